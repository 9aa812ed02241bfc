import { dropBuild } from '../../store/indexing/index-builds.js'
import { readBuild } from './present-index-build.js'
import type { Operation } from '../operation.js'

/** Drops a build: it receives no further changes. Dropping it again changes nothing. */
export const deleteIndexBuild: Operation<'deleteIndexBuild'> = async ({ store }, _caller, { params }) => {
  await store.asSystem(async (system) => {
    await readBuild(system, params.build_id)
    await dropBuild(system, params.build_id)
  })
  return { status: 204 }
}
