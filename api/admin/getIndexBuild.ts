import { readBuild } from './present-index-build.js'
import type { Operation } from '../operation.js'

export const getIndexBuild: Operation<'getIndexBuild'> = async ({ store }, _caller, { params }) => ({
  status: 200,
  body: await store.asSystem((system) => readBuild(system, params.build_id)),
})
