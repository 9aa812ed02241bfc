import { listBuilds } from '../../store/indexing/index-builds.js'
import { presentBuilds } from './present-index-build.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

export const listIndexBuilds: Operation<'listIndexBuilds'> = async ({ store, cursorSecret }, _caller, { query }) => {
  const page = readPage<string>(cursorSecret, { tenant: '', operation: 'listIndexBuilds' }, query)
  return store.asSystem(async (system) => {
    const builds = await presentBuilds(system, await listBuilds(system, page.keyset))
    return page.answer(builds, { positionOf: (build) => build.build_id, present: (build) => build })
  })
}
