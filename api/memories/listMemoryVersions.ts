import { audienceOf } from '../../domain/visibility.js'
import { readPage } from '../../http/pages.js'
import { NotFoundError } from '../../runtime/errors.js'
import { listVersions, type MemoryVersionRow } from '../../store/memories/memory-versions.js'
import { findMemories } from '../../store/memories/read-memories.js'
import { presentMemory } from './present-memory.js'
import type { Operation } from '../operation.js'

export const listMemoryVersions: Operation<'listMemoryVersions'> = async (context, principal, { params, query }) => {
  const { tenantId } = principal
  const id = params.memory_id.toLowerCase()
  const list = { tenant: tenantId, operation: 'listMemoryVersions', subject: id }
  const page = readPage<number>(context.cursorSecret, list, query)
  const audience = audienceOf(principal, 'all')
  const rows = await context.store.read(principal, async (reader) => {
    const [present] = await findMemories(reader, audience, [id])
    if (!present) throw new NotFoundError('Memory')
    return listVersions(reader, audience, id, page.keyset)
  })
  const { status, body } = page.answer(rows, {
    positionOf: ({ version }) => version,
    present: (row: MemoryVersionRow) => ({
      ...presentMemory(tenantId, row),
      known_from: row.knownFrom.toISOString(),
      known_until: row.knownUntil && row.knownUntil.toISOString(),
    }),
  })
  return { status, body: { memory_id: id, ...body } }
}
