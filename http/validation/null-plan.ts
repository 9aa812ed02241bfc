import { fieldsOfBody, itemsOfBody } from '../../contract/absent-nulls.js'
import type { Schema } from '../../contract/openapi-types.js'

/** Says where null in a body means that a field is absent. */
export interface NullPlan {
  /** Names of fields that are absent when they are null. */
  readonly absent: readonly string[]
  readonly members: readonly (readonly [name: string, plan: NullPlan])[]
  readonly items: NullPlan | null
}

/**
 * Returns the plan of a schema without references; null where no null means absent, as in a caller's own objects. Where null has a meaning of
 * its own, as in PATCH, it means absent in lists alone: their items are replaced whole.
 */
export function nullPlanOf(schema: Schema, keepsNulls: boolean): NullPlan | null {
  const fields = fieldsOfBody(schema)
  const absent = keepsNulls ? [] : fields.filter(({ isAbsentAsNull }) => isAbsentAsNull).map(({ name }) => name)
  const members = fields.flatMap(({ name, declared }) =>
    declared.flatMap((place) => {
      const plan = nullPlanOf(place.schema, keepsNulls)
      return plan ? [[name, plan] as const] : []
    }),
  )
  const itemSchema = itemsOfBody(schema)
  const items = itemSchema ? nullPlanOf(itemSchema, false) : null
  return absent.length > 0 || members.length > 0 || items ? { absent, members, items } : null
}

/** Removes from a parsed value, in place, each null that means absent. */
export function dropAbsentNulls(value: unknown, plan: NullPlan | null): void {
  if (!plan || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    if (plan.items) for (const item of value) dropAbsentNulls(item, plan.items)
    return
  }
  const fields = value as Record<string, unknown>
  for (const name of plan.absent) if (Object.hasOwn(fields, name) && fields[name] === null) delete fields[name]
  for (const [name, member] of plan.members) if (Object.hasOwn(fields, name)) dropAbsentNulls(fields[name], member)
}
