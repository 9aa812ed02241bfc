/** A skill as the scan takes it: everything that can reach a disk or a prompt. */
export interface ScannableSkill {
  readonly name?: string | null
  readonly slug?: string | null
  readonly description?: string | null
  readonly summary?: string | null
  readonly content?: string | null
  readonly tags?: readonly string[] | null
  readonly domain?: string | null
  readonly goal?: string | null
  /** JSON: every text in it is scanned. */
  readonly evidence?: unknown
  /** JSON, or the text between the dashes. */
  readonly front_matter?: unknown
  /** The front matter as it is parsed: what an escape or a quoted key says to who loads it. */
  readonly front_matter_fields?: unknown
  /** `isMedia`: a picture, a font, a sound or a PDF that nothing runs. */
  readonly support_files?:
    readonly { readonly path: string; readonly content?: string | null; readonly isMedia?: boolean }[] | null
}

/** A text of the skill, and the member it stands in. */
export interface SkillText {
  readonly field: string
  readonly text: string
  readonly kind: 'text' | 'slug' | 'path' | 'file'
  /** The path of a file beside the skill. */
  readonly path?: string
}

/** Texts beyond this are not read: the report says so, and the skill does not pass. */
export const MOST_CHARACTERS = 400_000
const MOST_TEXTS = 2_000
const DEEPEST = 12

/** Returns the texts of a skill in a fixed order. */
export function textsOf(skill: ScannableSkill): { readonly texts: readonly SkillText[]; readonly isComplete: boolean } {
  const collector = new Collector()
  collector.add('slug', skill.slug, 'slug')
  for (const field of ['name', 'description', 'summary', 'domain', 'goal', 'content'] as const)
    collector.add(field, skill[field])
  collector.addAll('tags', skill.tags, 0)
  collector.addAll('evidence', skill.evidence, 0)
  collector.addAll('front_matter', skill.front_matter, 0)
  collector.addAll('front_matter', fieldsBeyond(skill.front_matter_fields, skill.front_matter), 0)
  for (const [i, file] of (skill.support_files ?? []).entries()) {
    collector.add(`support_files[${i}].path`, file.path, 'path')
    collector.add(`support_files[${i}].content`, file.content, 'file', file.path)
  }
  return { texts: collector.texts, isComplete: collector.isComplete }
}

/** Returns how many characters the texts of a JSON value have, the names of its members among them. */
export function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (value === null || typeof value !== 'object') return 0
  let characters = 0
  for (const [key, member] of Object.entries(value)) characters += key.length + charactersOf(member)
  return characters
}

/** Returns the fields that a front matter spells otherwise than it is read, and those that name commands; the others are scanned as written. */
function fieldsBeyond(fields: unknown, written: unknown): unknown {
  if (fields === null || typeof fields !== 'object') return null
  const text = typeof written === 'string' ? written : ''
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([key, value]) => /^(?:hooks|allowed-tools)$/i.test(key) || typeof value !== 'string' || !text.includes(value),
    ),
  )
}

class Collector {
  readonly texts: SkillText[] = []
  isComplete = true
  #left = MOST_CHARACTERS

  add(field: string, text: string | null | undefined, kind: SkillText['kind'] = 'text', path?: string): void {
    if (text === null || text === undefined || (text === '' && kind === 'text')) return
    if (text.length > this.#left || this.texts.length >= MOST_TEXTS) this.isComplete = false
    if (this.#left <= 0 || this.texts.length >= MOST_TEXTS) return
    this.texts.push({ field, text: text.slice(0, this.#left), kind, ...(path !== undefined && { path }) })
    this.#left -= text.length
  }

  /** Adds every text of a JSON value, and the names of its members. */
  addAll(field: string, value: unknown, depth: number): void {
    if (typeof value === 'string') this.add(field, value)
    else if (value === null || typeof value !== 'object') return
    else if (depth >= DEEPEST) this.isComplete = false
    else if (Array.isArray(value))
      for (const [i, item] of value.entries()) this.addAll(`${field}[${i}]`, item, depth + 1)
    else
      for (const [key, item] of Object.entries(value)) {
        const name = /^[a-z][a-z_-]{0,30}$/i.test(key) ? `${field}.${key}` : `${field}.?`
        if (key.length > 20) this.add(name, key)
        this.addAll(name, item, depth + 1)
      }
  }
}
