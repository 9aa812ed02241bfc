import type { MemoryRecord } from './clients/memories.js'
import type { ClientAnswer, FailureBody, Schemas } from './clients/request.js'

/** Returns the record without the links that the service finds whenever it indexes the memory. */
export function asWritten(record: MemoryRecord): MemoryRecord {
  return { ...record, entity_links: record.entity_links.filter(({ origin }) => origin === 'caller') }
}

/** Returns the locations of the faults in a 422, such as `body.items.0.title`. */
export function faultsOf(answer: ClientAnswer<FailureBody>): string[] {
  if (answer.status !== 422) throw new Error(`not a 422: ${answer.status} ${JSON.stringify(answer.body)}`)
  const listed = answer.body.detail as Schemas['FieldError'][]
  if (JSON.stringify(listed) !== JSON.stringify(answer.body.error.details.errors))
    throw new Error('detail and error.details.errors differ')
  return listed.map(({ loc }) => loc.join('.'))
}

/** Returns the locations of the faults of one item of a bulk, such as `body.items.0.title`. */
export function itemFaultsOf({ error }: Pick<Schemas['BulkResult'], 'error'>): string[] {
  return (error!.details!.errors as Schemas['FieldError'][]).map(({ loc }) => loc.join('.'))
}
