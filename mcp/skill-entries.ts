import { createHash } from 'node:crypto'
import type { Skill } from '@modelcontextprotocol/server/ext/skills'
import { LRUCache } from 'lru-cache'
import type { components } from '../contract/types.js'
import { folderNameOf } from '../domain/skills/folder-name.js'
import { fieldFault, type HeadFields, headFieldsOf } from '../domain/skills/format-fault.js'
import { type FrontMatterFields, readFrontMatter, splitSkillFile } from '../domain/skills/front-matter.js'
import { plainDescription, skillFile } from '../domain/skills/skill-file.js'
import { SKILL_FILE, skillPathOf, skillUri } from './skill-uris.js'

type FactName = 'doc_id' | 'slug' | 'name' | 'description' | 'version' | 'content_hash' | 'front_matter' | 'files'

/** A listed skill without its content. */
export type SkillFacts = Readonly<Pick<components['schemas']['InstallableSkill'], FactName>>

/** A SKILL.md as a resource of the protocol. */
export interface SkillHead extends HeadFields {
  /** Segments of its folder's URI. */
  readonly path: readonly string[]
}

/** The part of an entry that follows from the content. */
interface Manifest {
  /** Null where it breaks the format. */
  readonly frontmatter: Skill['frontmatter'] | null
  readonly digest: string
  readonly size: number
}

/** Bytes that each of the two caches keeps: for manifests those of some 10,000 skills. */
const MOST_KEPT_BYTES = 8_000_000
/** Bytes of a kept entry beside its texts. */
const ENTRY_BYTES = 300
/** Bytes of a character of a kept text, at most. */
const CHARACTER_BYTES = 2

/**
 * Makes the entries of skills. What follows from a content is kept by everything that it is made of, so that a listing need not read the contents again; whoever asks
 * for it has read those facts.
 */
export class SkillEntries {
  readonly #manifests = new LRUCache<string, Manifest>({
    maxSize: MOST_KEPT_BYTES,
    sizeCalculation: ({ frontmatter }) => JSON.stringify(frontmatter).length + ENTRY_BYTES,
  })

  /** Holds, by digests of front matters, what they say; false where one breaks the format. */
  readonly #heads = new LRUCache<string, HeadFields | false>({
    maxSize: MOST_KEPT_BYTES,
    sizeCalculation: (fields) =>
      ENTRY_BYTES + (fields ? CHARACTER_BYTES * (fields.name.length + fields.description.length) : 0),
  })

  /**
   * Returns what a skill's front matter says of it; null for one without a URI, because its own front matter has not the name or the description that the
   * format asks for.
   */
  headOf({ doc_id, slug, description, front_matter }: SkillFacts): SkillHead | null {
    const fields =
      front_matter === null
        ? { name: folderNameOf(slug), description: plainDescription(description) }
        : this.#fieldsOf(front_matter)
    return fields && { ...fields, path: skillPathOf(doc_id, fields.name) }
  }

  /** Returns the name and the description of a front matter, which is read again only after the cache dropped it; null for one that breaks the format. */
  #fieldsOf(frontMatter: string): HeadFields | null {
    const key = createHash('sha256').update(frontMatter).digest('base64url')
    const kept = this.#heads.get(key)
    if (kept !== undefined) return kept || null
    const fields = copyOf(headFieldsOf(frontMatter))
    this.#heads.set(key, fields ?? false)
    return fields
  }

  /**
   * Returns the entry of a skill; null for one that breaks the format, for whose sake clients refuse the whole list. Undefined where its content is needed and not
   * given.
   */
  of(facts: SkillFacts, content: string | undefined): Skill | null | undefined {
    const head = this.headOf(facts)
    if (!head) return null
    const key = keyOf(facts)
    const kept = this.#manifests.get(key)
    if (kept === undefined && content === undefined) return undefined
    const manifest = kept ?? manifestOf(facts, content!)
    if (kept === undefined) this.#manifests.set(key, manifest)
    const { frontmatter, digest, size } = manifest
    if (frontmatter === null) return null
    const uri = skillUri(...head.path, SKILL_FILE)
    const files = facts.files.map((file) => ({
      uri: skillUri(...head.path, ...file.path.split('/')),
      digest: file.hash,
      size: file.size,
    }))
    return { uri, frontmatter, resources: [{ uri, digest, size }, ...files] }
  }
}

/** Returns a copy that keeps nothing else in memory: texts of the reader of YAML are slices, of which each keeps the whole front matter. */
function copyOf<T extends HeadFields | null>(fields: T): T {
  return JSON.parse(JSON.stringify(fields)) as T
}

function manifestOf(facts: SkillFacts, content: string): Manifest {
  const text = skillFile(facts, content)
  const bytes = Buffer.from(text)
  return {
    frontmatter: publishedFields(readFrontMatter(splitSkillFile(text).frontMatter)),
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    size: bytes.length,
  }
}

/** Returns the fields of a front matter as JSON has them; null where one is not as the format has it. */
function publishedFields(given: FrontMatterFields | string): Skill['frontmatter'] | null {
  if (typeof given === 'string' || fieldFault(given) !== null) return null
  try {
    return JSON.parse(JSON.stringify(given)) as Skill['frontmatter']
  } catch {
    // An alias may stand within what it repeats.
    return null
  }
}

/** Returns a digest of all that a SKILL.md is made of. */
function keyOf({ doc_id, slug, name, description, version, content_hash, front_matter }: SkillFacts): string {
  const made = [doc_id, slug, name, description, version, content_hash, front_matter]
  return createHash('sha256').update(JSON.stringify(made)).digest('base64url')
}
