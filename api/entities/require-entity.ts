import type { Audience } from '../../domain/visibility.js'
import { NotFoundError } from '../../runtime/errors.js'
import { type EntityRow, findEntity } from '../../store/entities.js'
import type { Reader } from '../../store/store.js'

/** Returns an entity that the audience sees, or throws NotFoundError. */
export async function requireEntity(reader: Reader, audience: Audience, id: string): Promise<EntityRow> {
  const row = await findEntity(reader, audience, id)
  if (!row) throw new NotFoundError('Entity')
  return row
}
