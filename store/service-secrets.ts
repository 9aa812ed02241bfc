import type { System } from './store.js'

/** Returns the key that signs cursors, the same in every process; the first migration creates it. */
export async function readCursorSecret({ db }: System): Promise<Buffer> {
  const row = await db
    .selectFrom('service_secrets')
    .select('value')
    .where('name', '=', 'cursor')
    .executeTakeFirstOrThrow()
  return row.value
}
