import { switchTo } from '../../store/indexing/index-builds.js'
import { readBuild } from './present-index-build.js'
import type { Operation } from '../operation.js'

export const switchIndexBuild: Operation<'switchIndexBuild'> = async ({ store, indexBuilds }, _caller, { params }) => {
  const body = await store.asSystem(async (system) => {
    await readBuild(system, params.build_id)
    await switchTo(system, params.build_id)
    return readBuild(system, params.build_id)
  })
  await indexBuilds.refresh()
  return { status: 200, body }
}
