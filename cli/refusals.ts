import type { components } from '../contract/contract.gen.js'
import { printable } from './printable.js'

/** Maps a field of a request to the argument that sets it on the command line. */
const ARGUMENT_BY_FIELD: Readonly<Record<string, string>> = {
  after: '--after',
  agent_id: '--agent',
  collection: 'the collection',
  content: '--content',
  content_hash: '--hash',
  cooloff_days: '--cooloff-days',
  description: '--description',
  doc_id: 'the doc-id',
  expires_at: '--expires',
  filter_agent_id: '--agent',
  fleet_id: '--fleet',
  kind: '--kind',
  label: '--label',
  model: '--to',
  query: 'the query',
  reason: '--reason',
  slug: 'the slug',
  summary: '--summary',
  tenant_id: '--tenant',
  title: '--title',
  top_k: '--top-k',
  trust_level: '--trust',
  version: 'the version',
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

/** Returns the message of a refusal in terms of the command line: `--top-k: …`, not `body.top_k: …`. */
export function describeRefusal({ code, message, details }: Refusal): string {
  const errors = details?.errors
  if (code !== 'INVALID_ARGUMENTS' || !errors?.length)
    return printable([`${code}: ${message}`, ...(details?.findings ?? []).map(describeFinding)].join('\n'))
  return printable(errors.map(({ loc, msg }) => `${argumentAt(loc)}: ${msg}`).join(' '))
}

/** Returns one line about a finding of a scan. */
export function describeFinding({ severity, code, field, message }: Finding): string {
  return `  ${severity} ${code} in ${field}: ${message}`
}

/** Returns the message for one item of a bulk write in terms of its line: `weight: …`, not `body.items.7.weight: …`. */
export function describeItemError({ message, details }: Refusal): string {
  if (!details?.errors?.length) return printable(message ?? 'refused')
  return printable(
    details.errors.map(({ loc, msg }) => [loc.slice(3).join('.'), msg].filter(Boolean).join(': ')).join(' '),
  )
}

/** Returns the argument for a field. The first element of `loc` is its location: body, query, path or header. */
function argumentAt(loc: readonly string[]): string {
  const [field = 'the request', ...below] = loc.slice(1)
  return [ARGUMENT_BY_FIELD[field.toLowerCase()] ?? field, ...below].join('.')
}
