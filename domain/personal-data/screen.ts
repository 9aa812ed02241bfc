import type { DraftFault, LinkDraft } from '../memory-draft.js'
import {
  type Memory,
  MEMORY_FIELDS,
  type NameOf,
  nameOf,
  SCREENED_MEMBERS,
  type ScreenedMember,
} from '../memory-fields.js'
import { runToEnd, type Yielding } from '../yielding.js'
import type { Settings } from '../settings/settings.gen.js'
import { tailOf, labelOf, scanPersonalData, scanName, maskSpans } from './find.js'
import { type Checks, createChecks, type PersonalDataKind, type PersonalDataSpan } from './finding.js'
import { secretKindOf } from './secrets.js'
import { normalised } from './words.js'

/**
 * A tenant's policy for personal data and secrets in a write: record in `system_metadata.pii` that they are there, also
 * replace them with `[email]` and the like, or refuse the write. Names (keys within an object, a document's `doc_id`, a
 * `run_id`) cannot be masked, since another name would be another thing: masking refuses the write when they contain
 * any.
 */
export type PiiPolicy = Settings['memory']['pii_policy']

/** The fields of a write that contain text of the caller's. */
export interface ScreenedFields extends Pick<Memory, ScreenedMember> {
  readonly links: readonly LinkDraft[]
  /** A document's data. */
  readonly data: Readonly<Record<string, unknown>>
  readonly docId: string
}

const OTHER_NAMES = { links: 'entity_links', data: 'data', docId: 'doc_id' } as const
type FieldName = NameOf<ScreenedMember> | (typeof OTHER_NAMES)[keyof typeof OTHER_NAMES]

/** The members, with their names in the contract. */
const FIELD_NAMES: readonly (readonly [keyof ScreenedFields, FieldName])[] = [
  ...SCREENED_MEMBERS.map((member) => [member, nameOf(member)] as const),
  ...(Object.entries(OTHER_NAMES) as [keyof typeof OTHER_NAMES, FieldName][]),
]

/** Members whose text is a name. */
const NAMES: ReadonlySet<keyof ScreenedFields> = new Set([
  ...SCREENED_MEMBERS.filter((member) => MEMORY_FIELDS[member].screened === 'name'),
  'docId' as const,
])

interface PiiFinding {
  readonly kinds: readonly PersonalDataKind[]
  readonly count: number
}

/** `system_metadata.pii`: kinds and counts, never the values found. */
export interface PiiRecord extends PiiFinding {
  readonly fields: Partial<Record<FieldName, PiiFinding>>
}

export interface ScreeningResult<T> {
  /** The fields as they may be stored. */
  readonly fields: T
  readonly faults: readonly DraftFault[]
  /** Null when nothing was found. */
  readonly pii: PiiRecord | null
}

/**
 * Applies the policy to the given fields: all of a new memory or document, or those that a change names. What `before`,
 * the memory's `system_metadata.pii`, records for the other fields stays. Masking may lengthen texts by a sixth.
 */
export function screenPersonalData<T extends Partial<ScreenedFields>>(
  fields: T,
  policy: PiiPolicy,
  before: PiiRecord | null = null,
): ScreeningResult<T> {
  return runToEnd(screenInSteps(fields, policy, before))
}

/** Does what `screenPersonalData` does for fields of any size. */
export function* screenInSteps<T extends Partial<ScreenedFields>>(
  fields: T,
  policy: PiiPolicy,
  before: PiiRecord | null = null,
): Yielding<ScreeningResult<T>> {
  const screened: Record<string, unknown> = { ...fields }
  const found: PiiRecord['fields'] = { ...before?.fields }
  const faults: DraftFault[] = []
  const checks = { texts: createChecks(), names: createChecks(MOST_CHECKED_NAMES) }
  for (const [key, field] of FIELD_NAMES) {
    if (fields[key] === undefined) continue
    delete found[field]
    const texts = textsOf(fields, key)
    const spansByText: PersonalDataSpan[][] = []
    for (const text of texts) spansByText.push(yield* scanFieldText(text, checks))
    if (spansByText.every(({ length }) => length === 0)) continue
    found[field] = findingOf(spansByText)
    const named = spansByText.filter((_, i) => texts[i]!.kind === 'name')
    const isNamed = named.some(({ length }) => length > 0)
    if (policy === 'refuse')
      faults.push({ field, message: `Contains ${describeFindings(spansByText)}, which this tenant refuses.` })
    else if (policy === 'mask' && isNamed)
      faults.push({
        field,
        message: `Contains ${describeFindings(named)} in names, which cannot be masked as this tenant wants.`,
      })
    else if (policy === 'mask')
      screened[key] =
        key === 'links'
          ? fields[key]!.filter((_, i) => spansByText[i]!.length === 0)
          : maskTexts(fields[key], texts, spansByText)
  }
  return { fields: screened as T, faults, pii: recordOf(found) }
}

/**
 * Names that are verified. More than of texts, because a name that is wrongly taken for personal data refuses the
 * write.
 */
const MOST_CHECKED_NAMES = 1_000

function describeFindings(spansByText: readonly PersonalDataSpan[][]): string {
  return `personal data or secrets (${findingOf(spansByText).kinds.join(', ')})`
}

function recordOf(fields: PiiRecord['fields']): PiiRecord | null {
  const findings = Object.values(fields)
  if (findings.length === 0) return null
  const kinds = [...new Set(findings.flatMap((finding) => finding.kinds))].sort()
  return { kinds, count: findings.reduce((sum, { count }) => sum + count, 0), fields }
}

function findingOf(spansByText: readonly PersonalDataSpan[][]): PiiFinding {
  const kinds: PersonalDataKind[] = spansByText.flat().map(({ kind }) => kind)
  return { kinds: [...new Set(kinds)].sort(), count: kinds.length }
}

/** A key as a person reads it, computed once however many values it has. */
class FieldKey {
  #name: string | undefined
  #label: string | undefined

  constructor(private readonly text: string) {}

  /** The key as it is compared with names of secrets. */
  get name(): string {
    return (this.#name ??= normalised(tailOf(this.text)))
  }

  /** The key as the label of a number. */
  get label(): string {
    return (this.#label ??= labelOf(this.text))
  }
}

const NO_KEY = new FieldKey('')

/** A text within a field: a value and its key, or a key itself. */
type FieldText =
  | { readonly text: string; readonly kind: 'value'; readonly under: FieldKey }
  | { readonly text: string; readonly kind: 'name' }

/**
 * Returns the texts of a field. Of a link they are its name, type and role: a name that is personal data is not an
 * entity, and masking drops such a link.
 */
function textsOf(fields: Partial<ScreenedFields>, key: keyof ScreenedFields): FieldText[] {
  if (NAMES.has(key)) return [{ text: (fields[key] as string | null) ?? '', kind: 'name' }]
  if (key === 'links') return fields[key]!.map((link) => ({ text: textOfLink(link), kind: 'value', under: NO_KEY }))
  return collectTexts(fields[key])
}

function textOfLink({ name, entityType, role }: LinkDraft): string {
  return [name, entityType, role].map((text) => text ?? '').join('\n')
}

/** Returns the texts in the order of `maskTexts`. The contract limits the depth of nesting. */
function collectTexts(value: unknown, under = NO_KEY, texts: FieldText[] = []): FieldText[] {
  const text = textOf(value)
  if (text !== null) texts.push({ text, kind: 'value', under })
  else if (Array.isArray(value)) for (const item of value) collectTexts(item, under, texts)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      texts.push({ text: key, kind: 'name' })
      collectTexts(item, new FieldKey(key), texts)
    }
  return texts
}

/**
 * Returns the value as text, or null. A number may be a card number or a password too; below four digits it is nothing,
 * and beyond the safe integers it is no card number.
 */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  return Number.isSafeInteger(value) && Math.abs(value as number) >= 1_000 ? String(value) : null
}

function* scanFieldText(text: FieldText, checks: Record<'texts' | 'names', Checks>): Yielding<PersonalDataSpan[]> {
  if (text.kind === 'name') return yield* scanName(text.text, checks.names)
  const named = text.under.name === '' ? null : secretKindOf(text.under.name, text.text)
  if (named !== null) return [{ kind: named, start: 0, end: text.text.length }]
  return yield* scanPersonalData(text.text, checks.texts, text.under.label)
}

/** Returns the value with its texts masked (a masked number becomes a text); keys stay. */
function maskTexts(value: unknown, texts: readonly FieldText[], spansByText: readonly PersonalDataSpan[][]): unknown {
  let position = 0
  const mask = (value: unknown): unknown => {
    if (textOf(value) !== null) {
      const spans = spansByText[position]!
      return spans.length === 0 ? (position++, value) : maskSpans(texts[position++]!.text, spans)
    }
    if (Array.isArray(value)) return value.map(mask)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => (position++, [key, mask(item)])))
  }
  return mask(value)
}
