import type { Principal } from '../domain/principal.js'
import { maskSpans, scanName, scanPersonalData } from '../domain/personal-data/find.js'
import { createChecks } from '../domain/personal-data/finding.js'
import { runToEnd } from '../domain/yielding.js'
import { InvalidArgumentsError } from '../runtime/errors.js'
import { readSettings } from '../store/tenants/settings.js'
import type { Operation, OperationId, OperationTable } from './operation.js'

/** Kinds of fields: a `name` cannot be masked, since another name would be another thing. */
type FieldKind = 'value' | 'name'

/**
 * The fields of bodies that are kept as they are given, and that personal data is looked for in before an operation begins. Memories,
 * documents, keystones and skills are screened where they are stored, since what is found there is noted with them.
 */
export const SCREENED_FIELDS: { readonly [K in OperationId]?: Readonly<Record<string, FieldKind>> } = {
  acknowledgeKeystones: { run_id: 'name' },
  approveSkill: { reason: 'value' },
  createKey: { label: 'value' },
  deferSkill: { reason: 'value' },
  editSkill: { reason: 'value' },
  patchAgent: { display_name: 'value' },
  overruleSkill: { reason: 'value' },
  putAgent: { display_name: 'value' },
  quarantineSkill: { reason: 'value' },
  rateMemory: { run_id: 'name' },
  recall: { run_id: 'name' },
  rejectSkill: { reason: 'value' },
  reportSkillOutcome: { run_id: 'name' },
  restoreSkill: { reason: 'value' },
  retireSkill: { reason: 'value' },
  rollbackSkill: { reason: 'value' },
}

/** Returns the operations, those with such fields behind the tenant's policy on personal data. */
export function screenOperations(operations: OperationTable): OperationTable {
  const table: Partial<Record<OperationId, unknown>> = { ...operations }
  for (const [id, fields] of Object.entries(SCREENED_FIELDS) as [OperationId, Record<string, FieldKind>][])
    table[id] = behindPolicy(operations[id] as Operation<OperationId>, fields)
  return table as OperationTable
}

function behindPolicy(
  operation: Operation<OperationId>,
  fields: Readonly<Record<string, FieldKind>>,
): Operation<OperationId> {
  return async (context, caller, input) => {
    const body = input.body as Readonly<Record<string, unknown>> & { readonly tenant_id?: string }
    const found = Object.entries(fields).flatMap(([field, kind]) => {
      const text = body[field]
      if (typeof text !== 'string') return []
      const spans = runToEnd(kind === 'name' ? scanName(text, createChecks()) : scanPersonalData(text, createChecks()))
      return spans.length === 0 ? [] : [{ field, kind, spans, masked: maskSpans(text, spans) }]
    })
    const tenantId = (caller as Principal | null)?.tenantId ?? body.tenant_id
    if (found.length === 0 || tenantId === undefined) return operation(context, caller, input)
    const { memory } = await context.store.read({ tenantId }, readSettings)
    const policy = memory.pii_policy
    const refused = found.filter(({ kind }) => policy === 'refuse' || (policy === 'mask' && kind === 'name'))
    if (refused.length > 0)
      throw new InvalidArgumentsError(
        refused.map(({ field, kind, spans }) => ({
          path: [field],
          msg: `Contains personal data or secrets (${[...new Set(spans.map((span) => span.kind))].sort().join(', ')})${
            policy === 'refuse'
              ? ', which this tenant refuses.'
              : kind === 'name'
                ? ' in a name, which cannot be masked.'
                : '.'
          }`,
          type: 'value_error',
        })),
      )
    if (policy !== 'mask') return operation(context, caller, input)
    const masked = Object.fromEntries(found.map((one) => [one.field, one.masked]))
    return operation(context, caller, { ...input, body: { ...body, ...masked } } as typeof input)
  }
}
