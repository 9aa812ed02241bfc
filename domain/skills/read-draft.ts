import type { Settings } from '../settings/settings.gen.js'
import { MOST_SKILL_BYTES } from '../skill-bytes.js'
import { isBlank } from '../text/characters.js'
import { joinFault, LONGEST_FRONT_MATTER_BYTES, readFrontMatter } from './front-matter.js'
import { isSlug, type SkillKind, type SkillSource, type SkillTexts } from './skill.js'

/** A skill as a caller writes it. */
export interface SkillDraft {
  readonly texts: SkillTexts
  readonly kind: SkillKind
  readonly source: SkillSource
  /** The version that an update revises. */
  readonly target: { readonly docId: string | null; readonly contentHash: string } | null
  /** Undefined leaves what the revised version has. */
  readonly frontMatter: string | null | undefined
}

/** A fault of a skill's data; `path` leads to the field within it. */
interface SkillFault {
  readonly path: readonly string[]
  readonly message: string
}

type SkillSizes = Pick<Settings['skills_factory'], 'description_max_bytes' | 'body_max_bytes'>

const MOST_TAGS = 20

/** Fields that do not belong to a skill, and are named in the refusal, at most. */
const MOST_NAMED_OTHERS = 20

/** Fields that only the service gives. */
const SERVICE_FIELDS: readonly string[] = [
  'status',
  'scan',
  'gates',
  'origin',
  'cites',
  'evidence',
  'fingerprint',
  'content_hash',
  'version',
  'deferred_at',
]
const SOURCES: readonly string[] = ['agent', 'manual', 'forge', 'imported']

/** Reads a skill from a document's data, or returns everything that is wrong with it. Sizes count UTF-8 bytes. */
export function readSkillDraft(
  data: Readonly<Record<string, unknown>>,
  sizes: SkillSizes,
): SkillDraft | readonly SkillFault[] {
  const reader = new FieldReader(data)
  const texts: SkillTexts = {
    name: reader.text('name', MOST_SKILL_BYTES.name),
    slug: reader.slug(),
    description: reader.text('description', sizes.description_max_bytes),
    summary: reader.optionalText('summary', MOST_SKILL_BYTES.summary),
    content: reader.text('content', sizes.body_max_bytes),
    domain: reader.text('domain', MOST_SKILL_BYTES.domain),
    goal: reader.optionalText('goal', MOST_SKILL_BYTES.goal),
    tags: reader.tags(),
  }
  const kind = reader.oneOf('kind', ['create', 'update']) as SkillKind
  const source = reader.oneOf('source', SOURCES) as SkillSource
  const target = reader.target(kind)
  const frontMatter = reader.frontMatter(texts.content)
  reader.refuseOthers()
  return reader.faults.length > 0 ? reader.faults : { texts, kind, source, target, frontMatter }
}

class FieldReader {
  readonly faults: SkillFault[] = []
  readonly #known = new Set<string>()

  constructor(private readonly data: Readonly<Record<string, unknown>>) {}

  text(key: string, mostBytes: number): string {
    const value = this.#take(key)
    if (value === undefined || value === null) return this.#fault([key], 'This field is required.')
    if (typeof value !== 'string' || isBlank(value)) return this.#fault([key], 'Must be a text that is not blank.')
    return this.#sized([key], value, mostBytes)
  }

  optionalText(key: string, mostBytes: number): string | null {
    const value = this.#take(key)
    if (value === undefined || value === null) return null
    if (typeof value !== 'string') return this.#fault([key], 'Must be a text or null.')
    return isBlank(value) ? null : this.#sized([key], value, mostBytes)
  }

  slug(): string {
    const value = this.#take('slug')
    if (value === undefined || value === null) return this.#fault(['slug'], 'This field is required.')
    if (typeof value === 'string' && isSlug(value)) return value
    return this.#fault(['slug'], 'Must match ^[a-z0-9][a-z0-9._-]{0,99}$, without a prefix.')
  }

  oneOf(key: string, values: readonly string[]): string {
    const value = this.#take(key)
    if (value === undefined || value === null) return this.#fault([key], 'This field is required.')
    return typeof value === 'string' && values.includes(value)
      ? value
      : this.#fault([key], `Must be one of ${values.join(', ')}.`)
  }

  tags(): string[] {
    const value = this.#take('tags') ?? []
    if (!Array.isArray(value) || value.some((tag) => typeof tag !== 'string' || isBlank(tag)))
      return this.#faults(['tags'], 'Must be a list of texts that are not blank.')
    const tags = [...new Set(value as string[])]
    if (tags.length > MOST_TAGS) return this.#faults(['tags'], `At most ${MOST_TAGS} tags.`)
    if (tags.some((tag) => bytesOf(tag) > MOST_SKILL_BYTES.tag))
      return this.#faults(['tags'], `A tag has at most ${MOST_SKILL_BYTES.tag} bytes.`)
    return tags
  }

  target(kind: SkillKind): SkillDraft['target'] {
    const value = this.#take('target')
    if (kind !== 'update') {
      if (value !== undefined && value !== null) this.#fault(['target'], 'Only an update has a target.')
      return null
    }
    const { doc_id: docId = null, target_content_hash: contentHash } = isRecord(value)
      ? (value as { doc_id?: unknown; target_content_hash?: unknown })
      : {}
    if (typeof contentHash !== 'string') {
      this.#fault(['target', 'target_content_hash'], 'An update names the content hash of the version that it revises.')
      return null
    }
    if (docId !== null && typeof docId !== 'string') {
      this.#fault(['target', 'doc_id'], 'Must be a doc_id.')
      return null
    }
    return { docId, contentHash }
  }

  frontMatter(content: string): string | null | undefined {
    const value = this.#take('front_matter')
    if (value === undefined || value === null) return value
    if (typeof value !== 'string') return this.#fault(['front_matter'], 'Must be a text or null.')
    const fields = readFrontMatter(this.#sized(['front_matter'], value, LONGEST_FRONT_MATTER_BYTES))
    if (typeof fields === 'string') return this.#fault(['front_matter'], fields)
    const fault = joinFault(value, content)
    return fault === null ? value : this.#fault(['front_matter'], fault)
  }

  refuseOthers(): void {
    const others = Object.keys(this.data).filter((key) => !this.#known.has(key))
    for (const key of others.slice(0, MOST_NAMED_OTHERS)) {
      if (SERVICE_FIELDS.includes(key)) this.#fault([key], 'Only the service gives this field.')
      else this.#fault([key.slice(0, 100)], 'A skill has no such field.')
    }
  }

  #take(key: string): unknown {
    this.#known.add(key)
    return Object.hasOwn(this.data, key) ? this.data[key] : undefined
  }

  #sized(path: readonly string[], text: string, most: number): string {
    const bytes = bytesOf(text)
    return bytes <= most ? text : this.#fault(path, `At most ${most} bytes in UTF-8; this has ${bytes}.`)
  }

  #fault(path: readonly string[], message: string): string {
    this.faults.push({ path, message })
    return ''
  }

  #faults(path: readonly string[], message: string): string[] {
    this.#fault(path, message)
    return []
  }
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
