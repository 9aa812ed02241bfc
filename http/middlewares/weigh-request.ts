import type { Weighing } from '../validation/routes.js'
import type { OperationCall } from '../operation-call.js'

/** Has a call that asks for much hold more than one permit. */
export async function weighRequest({ route: { weighing }, body, permit }: OperationCall): Promise<void> {
  if (weighing === null || permit === null) return
  await permit.growTo(weightOf(weighing, body.value as Readonly<Record<string, unknown>>))
}

function weightOf({ of, each, doubledBy }: Weighing, body: Readonly<Record<string, unknown>>): number {
  const asked = Number(body[of]) * (body[doubledBy] === true ? 2 : 1)
  return Math.max(1, Math.ceil(asked / each))
}
