import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Embedder } from '../../models/embedder.js'
import {
  beginBuild,
  listLiveBuilds,
  recordFirstBuild,
  type IndexBuild,
  takesChanges,
} from '../../store/indexing/index-builds.js'
import type { IndexTarget, LiveIndexes } from '../../workers/context.js'
import { makeIndex } from '../../workers/indexing/write-index.js'
import { createFakeIndex, type FakeIndex } from './fake-index.js'
import type { SuccessorModel } from '../../store/indexing/successor-builds.js'
import type { TestStore } from './test-store.js'

export interface TestIndexes extends LiveIndexes {
  /** Makes a model take the place of others. */
  succeedBy(embedder: Embedder, ...after: readonly Embedder[]): void
  /** Records the first index of the database. */
  first(): Promise<IndexBuild>
  /** Begins another build, and creates its index. */
  begin(embedder?: Embedder, autoSwitch?: boolean): Promise<IndexBuild>
  /** Returns the fake engine's index of a build. */
  indexOf(build: IndexBuild): FakeIndex
  readonly removed: string[]
}

const generation = () => randomBytes(4).toString('hex')

/** Creates indices in memory for the builds that PostgreSQL knows of. */
export function createTestIndexes({ store }: TestStore, embedder: Embedder): TestIndexes {
  const known = new Map<string, IndexTarget & { index: FakeIndex }>()
  const embedders = new Map([[embedder.id, embedder]])
  let serving: string | undefined
  const removed: string[] = []
  let successor: SuccessorModel | null = null

  function targetOf(build: IndexBuild): IndexTarget & { index: FakeIndex } {
    const target = known.get(build.id) ?? {
      buildId: build.id,
      index: createFakeIndex(),
      embedder: embedders.get(build.model)!,
    }
    known.set(build.id, target)
    return target
  }

  return {
    get successor() {
      return successor
    },
    succeedBy(other, ...after) {
      embedders.set(other.id, other)
      successor = { model: other.id, dimensions: other.dimensions, after: after.map(({ id }) => id) }
    },
    serving: () => known.get(serving!)!,
    async targets() {
      const builds = await store.asSystem(listLiveBuilds)
      return builds.filter(takesChanges).map(targetOf)
    },
    open: (build) => Promise.resolve(targetOf(build)),
    remove: (build) => Promise.resolve(void removed.push(build.id)),
    async first() {
      const { id: model, dimensions } = embedder
      await store.asSystem((system) =>
        recordFirstBuild(system, { id: uuidv7(), model, dimensions, generation: generation() }),
      )
      const [build] = await store.asSystem(listLiveBuilds)
      serving = build!.id
      await makeIndex(store, targetOf(build!))
      return build!
    },
    async begin(other = embedder, autoSwitch = false) {
      embedders.set(other.id, other)
      const { id: model, dimensions } = other
      const given = { id: uuidv7(), model, dimensions, generation: generation(), autoSwitch }
      const build = await store.asSystem((system) => beginBuild(system, given))
      await makeIndex(store, targetOf(build))
      return build
    },
    indexOf: (build) => targetOf(build).index,
    removed,
  }
}
