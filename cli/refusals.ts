import type { components } from '../contract/types.js'
import { printable } from './printable.js'

/** Maps a field of a request to the argument that sets it on the command line. */
const ARGUMENT_BY_FIELD: Readonly<Record<string, string>> = {
  after: '--after',
  agent_id: '--agent',
  collection: 'the collection',
  created_after: '--after',
  created_before: '--before',
  content: '--content',
  content_hash: '--hash',
  cooloff_days: '--cooloff-days',
  description: '--description',
  display_name: '--name',
  doc_id: 'the doc-id',
  entity_id: 'the id',
  expires_at: '--expires',
  filter_agent_id: '--agent',
  fleet_id: '--fleet',
  fleet_ids: '--fleet',
  into: 'the second id',
  kind: '--kind',
  label: '--label',
  language: '--language',
  languages: '--language',
  memory_id: 'the id',
  memory_ids: '--memory',
  memory_type: '--type',
  min_score: '--min-score',
  model: '--to',
  query: 'the query',
  reason: '--reason',
  run_id: '--run',
  scope: '--scope',
  slug: 'the slug',
  status: '--status',
  subject_entity_id: '--entity',
  summary: '--summary',
  tenant_id: '--tenant',
  title: '--title',
  top_k: '--top-k',
  max_tokens: '--max-tokens',
  answer_if: '--answer-if',
  trust_level: '--trust',
  version: 'the version',
  visibility: '--visibility',
  'x-agent-id': '--as',
  'x-api-key': '--key',
}

export interface Refusal {
  readonly code?: string
  readonly message?: string
  readonly details?: {
    readonly errors?: readonly { readonly loc: readonly string[]; readonly msg: string }[]
    /** Findings of a scan that refused the text. */
    readonly findings?: readonly Finding[]
  }
}

type Finding = components['schemas']['SkillFinding']

/**
 * Returns the message of a refusal in terms of the command line: `--top-k: …`, not `body.top_k: …`. `named` are fields that
 * the command takes by other arguments than most.
 */
export function describeRefusal(
  { code, message, details }: Refusal,
  named: Readonly<Record<string, string>> = {},
): string {
  const errors = details?.errors
  if (code !== 'INVALID_ARGUMENTS' || !errors?.length)
    return printable([`${code}: ${message}`, ...(details?.findings ?? []).map(describeFinding)].join('\n'))
  return printable(errors.map(({ loc, msg }) => `${argumentAt(loc, named)}: ${msg}`).join(' '))
}

/** Returns lines about a finding of a scan: what and where, the words, what a model thinks of them, and what their author can do. */
export function describeFinding(finding: Finding): string {
  const { severity, code, field, line, column, message, quote, advice, opinion } = finding
  const place = line === null ? field : `${field}, line ${line}${column === null ? '' : `, column ${column}`}`
  const words = quote === '' ? [] : [`    “${quote.replace(/\s+/g, ' ')}”`]
  const thought = opinion ? [`    ${opinion.model} thinks: ${opinion.verdict}. ${opinion.reason}`] : []
  const advised = advice === '' ? [] : [`    ${advice}`]
  return [`  ${severity} ${code} in ${place}: ${message}`, ...words, ...thought, ...advised].join('\n')
}

/** Returns the message for one item of a bulk write in terms of its line: `weight: …`, not `body.items.7.weight: …`. */
export function describeItemError({ message, details }: Refusal): string {
  if (!details?.errors?.length) return printable(message ?? 'refused')
  return printable(
    details.errors.map(({ loc, msg }) => [loc.slice(3).join('.'), msg].filter(Boolean).join(': ')).join(' '),
  )
}

/** Returns the argument for a field. The first element of `loc` is its location: body, query, path or header. */
function argumentAt(loc: readonly string[], named: Readonly<Record<string, string>>): string {
  const [field = 'the request', ...below] = loc.slice(1)
  const key = field.toLowerCase()
  return [named[key] ?? ARGUMENT_BY_FIELD[key] ?? field, ...below].join('.')
}
