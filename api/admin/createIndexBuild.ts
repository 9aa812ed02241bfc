import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { beginBuild } from '../../store/indexing/index-builds.js'
import { presentBuilds } from './present-index-build.js'
import type { Operation } from '../operation.js'

/** Only records the build; the workers carry it out (store/indexing/index-builds.md). */
export const createIndexBuild: Operation<'createIndexBuild'> = async (context, _caller, { body }) => {
  const { store, embedder, indexBuilds } = context
  const { id: model, dimensions } = body.model === undefined ? embedder : await indexBuilds.openModel(body.model)
  const [record] = await store.asSystem(async (system) => {
    const build = await beginBuild(system, {
      id: uuidv7(),
      model,
      dimensions,
      generation: randomBytes(4).toString('hex'),
      autoSwitch: body.auto_switch ?? true,
    })
    return presentBuilds(system, [build])
  })
  return { status: 201, body: record! }
}
