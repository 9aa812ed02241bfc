import type { System } from './store.js'

/** Signs cursors, the same in every process; made by the first migration. */
export async function readCursorSecret({ db }: System): Promise<Buffer> {
  const row = await db
    .selectFrom('service_secrets')
    .select('value')
    .where('name', '=', 'cursor')
    .executeTakeFirstOrThrow()
  return row.value
}
