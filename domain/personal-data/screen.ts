import type { DraftFault, LinkDraft } from '../memory-draft.js'
import type { Settings } from '../settings/settings.gen.js'
import { findPersonalData, maskSpans } from './find.js'
import { type Checks, newChecks, type PersonalDataKind } from './finding.js'
import { secretKindOf } from './secrets.js'

/**
 * What a tenant does with personal data and secrets in a write: says in `system_metadata.pii` that they are there, also puts
 * `[email]` and the like in their place, or refuses the write.
 */
export type PiiPolicy = Settings['memory']['pii_policy']

/** The fields of a write that hold text of its own. */
export interface ScreenedFields {
  readonly content: string
  readonly title: string | null
  readonly objectValue: string | null
  readonly sourceUri: string | null
  readonly metadata: Record<string, unknown>
  readonly scope: Record<string, unknown> | null
  readonly links: readonly LinkDraft[]
  /** Of a document. */
  readonly data: Readonly<Record<string, unknown>>
}

/** By the names of the contract. */
const FIELD_NAMES = {
  content: 'content',
  title: 'title',
  objectValue: 'object_value',
  sourceUri: 'source_uri',
  metadata: 'metadata',
  scope: 'scope',
  links: 'entity_links',
  data: 'data',
} as const satisfies { [K in keyof ScreenedFields]: string }
type FieldName = (typeof FIELD_NAMES)[keyof ScreenedFields]

export interface PiiFinding {
  readonly kinds: readonly PersonalDataKind[]
  readonly count: number
}

/** `system_metadata.pii`: kinds and numbers, never what was found. */
export interface PiiRecord extends PiiFinding {
  readonly fields: Partial<Record<FieldName, PiiFinding>>
}

export interface Screened<T> {
  /** As they may be stored. */
  readonly fields: T
  readonly faults: readonly DraftFault[]
  /** Null when there is nothing to say. */
  readonly pii: PiiRecord | null
}

/**
 * Applies the policy to the fields that are given, all of a new memory or document or those that a change names. What `before`, the memory's
 * `system_metadata.pii`, says of the other fields stays. Texts may grow by a sixth when they are masked.
 */
export function screenPersonalData<T extends Partial<ScreenedFields>>(
  fields: T,
  policy: PiiPolicy,
  before: PiiRecord | null = null,
): Screened<T> {
  const screened: Record<string, unknown> = { ...fields }
  const found: PiiRecord['fields'] = { ...before?.fields }
  const faults: DraftFault[] = []
  const checks = newChecks()
  for (const key of Object.keys(FIELD_NAMES) as (keyof ScreenedFields)[]) {
    if (fields[key] === undefined) continue
    const field = FIELD_NAMES[key]
    const kinds: PersonalDataKind[] = []
    const masked = key === 'links' ? screenLinks(fields[key]!, kinds, checks) : screenValue(fields[key], kinds, checks)
    delete found[field]
    if (kinds.length === 0) continue
    found[field] = findingOf(kinds)
    if (policy === 'mask') screened[key] = masked
    if (policy === 'refuse')
      faults.push({
        field,
        message: `Holds personal data or secrets (${found[field].kinds.join(', ')}), which this tenant refuses.`,
      })
  }
  return { fields: screened as T, faults, pii: recordOf(found) }
}

function recordOf(fields: PiiRecord['fields']): PiiRecord | null {
  const findings = Object.values(fields)
  if (findings.length === 0) return null
  const kinds = [...new Set(findings.flatMap((finding) => finding.kinds))].sort()
  return { kinds, count: findings.reduce((sum, { count }) => sum + count, 0), fields }
}

function findingOf(kinds: readonly PersonalDataKind[]): PiiFinding {
  return { kinds: [...new Set(kinds)].sort(), count: kinds.length }
}

/** A name that is personal data is nobody's entity: masked, such a link goes. */
function screenLinks(links: readonly LinkDraft[], kinds: PersonalDataKind[], checks: Checks): LinkDraft[] {
  return links.filter(({ name }) => {
    const before = kinds.length
    screenValue(name, kinds, checks)
    return kinds.length === before
  })
}

/** The value with its texts masked; adds what is found to `kinds`. The contract bounds how deep values are nested. */
function screenValue(value: unknown, kinds: PersonalDataKind[], checks: Checks, name = ''): unknown {
  if (typeof value === 'string') return screenText(value, kinds, checks, name)
  if (Array.isArray(value)) return value.map((item) => screenValue(item, kinds, checks, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, screenValue(item, kinds, checks, key)]))
}

function screenText(text: string, kinds: PersonalDataKind[], checks: Checks, name: string): string {
  const spans = findPersonalData(text, checks)
  const named = spans.length === 0 && name !== '' ? secretKindOf(name, text) : null
  if (named !== null) spans.push({ kind: named, start: 0, end: text.length })
  kinds.push(...spans.map(({ kind }) => kind))
  return maskSpans(text, spans)
}
