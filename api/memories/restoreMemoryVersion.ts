import { audienceOf } from '../../domain/visibility.js'
import { NotFoundError } from '../../runtime/errors.js'
import { changeToVersion } from '../../services/memories/restore-version.js'
import { readSpellings } from '../../store/entities.js'
import { findVersion } from '../../store/memories/memory-versions.js'
import { changeMemory } from './change-memory.js'
import type { Operation } from '../operation.js'

export const restoreMemoryVersion: Operation<'restoreMemoryVersion'> = (
  context,
  principal,
  { params, headers, signal },
) => {
  const { memory_id: id, version } = params
  const audience = audienceOf(principal, 'all')
  return changeMemory(context, principal, { id, ifMatch: headers['If-Match'], signal }, async (writer, row, now) => {
    const former = await findVersion(writer, audience, id, version)
    if (!former) throw new NotFoundError('Version')
    const subjects = former.subjectEntityId === null ? [] : [former.subjectEntityId]
    const knownSubjects = await readSpellings(writer, subjects, audience)
    return { change: changeToVersion(row, former, { knownSubjects, now }), restoredVersion: version }
  })
}
