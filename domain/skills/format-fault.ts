import { type FrontMatterFields, readFrontMatter } from './front-matter.js'

const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/
/** Characters that a description has at most. */
export const LONGEST_DESCRIPTION = 1_024
const LONGEST_COMPATIBILITY = 500

/** The fields of a front matter by which a skill is found. */
export interface HeadFields {
  readonly name: string
  readonly description: string
}

/**
 * Returns what a front matter breaks of the Agent Skills format (agentskills.io/specification), as the end of a sentence; null for nothing. Strict clients refuse such a skill,
 * or a whole list with it.
 */
export function formatFault(frontMatter: string): string | null {
  const fields = readFrontMatter(frontMatter)
  if (typeof fields === 'string') return 'its front matter cannot be read'
  return headFault(frontMatter, fields) ?? fieldFault(fields)
}

/** Returns name and description of a front matter; null where it has not those that the format asks for. */
export function headFieldsOf(frontMatter: string): HeadFields | null {
  const fields = readFrontMatter(frontMatter)
  if (typeof fields === 'string' || headFault(frontMatter, fields) !== null) return null
  const { name, description } = fields as unknown as HeadFields
  return { name, description }
}

function headFault(frontMatter: string, { name, description }: FrontMatterFields): string | null {
  // The content must not go on in the line of the closing fence, which would then be none.
  if (!/[\r\n]$/.test(frontMatter)) return 'it has no front matter that ends with a line break'
  if (typeof name !== 'string' || !NAME.test(name))
    return 'its `name` is none of lower-case letters, digits and single hyphens, 64 at most'
  if (typeof description !== 'string' || description.trim() === '') return 'it has no `description`'
  return isShort(description, LONGEST_DESCRIPTION)
    ? null
    : `its \`description\` has more than ${LONGEST_DESCRIPTION} characters`
}

/** Returns what fields beside name and description break of the format; null for nothing. */
export function fieldFault(fields: FrontMatterFields): string | null {
  const { compatibility, metadata } = fields
  if (Object.hasOwn(fields, '__proto__')) return 'it has a field `__proto__`'
  if (compatibility !== undefined && !isCompatibility(compatibility))
    return `its \`compatibility\` is no text of ${LONGEST_COMPATIBILITY} characters at most`
  return metadata === undefined || isTextMap(metadata) ? null : 'its `metadata` has values that are no texts'
}

function isCompatibility(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && isShort(value, LONGEST_COMPATIBILITY)
}

function isTextMap(value: unknown): boolean {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isMap && Object.values(value).every((member) => typeof member === 'string')
}

function isShort(text: string, longest: number): boolean {
  return [...text].length <= longest
}
