import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { beginBuild, listLiveBuilds, recordFirstBuild, switchTo } from '../../store/indexing/index-builds.js'
import type { System } from '../../store/store.js'
import { runSql } from '../support/run-sql.js'
import { gate, until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('index builds in the store', () => {
  let test: TestStore
  before(async () => (test = await createTestStore()))
  after(() => test.stop())

  const newBuild = (generation: string) => {
    return { id: randomUUID(), model: 'm', dimensions: 2, generation, autoSwitch: false }
  }
  const states = async () => {
    const builds = await test.store.asSystem(listLiveBuilds)
    return builds.map(({ id, state }) => [id, state])
  }

  it('are at most two when one begins during a switch', async () => {
    const [first, second, third] = [newBuild('00000000'), newBuild('00000001'), newBuild('00000002')]
    await test.store.asSystem((system) => recordFirstBuild(system, first))
    await test.store.asSystem((system) => beginBuild(system, second))
    const makeReady = ({ db }: System) =>
      sql`update index_builds set state = 'ready' where id = ${second.id}`.execute(db)
    await test.store.asSystem(makeReady)
    const [switched, mayCommit] = [gate(), gate()]
    const switching = test.store.asSystem(async (system) => {
      await switchTo(system, second.id)
      switched.open()
      await mayCommit.opened
    })
    await switched.opened
    const beginning = test.store.asSystem((system) => beginBuild(system, third))
    await until('the statement waits for the lock', isWaiting)
    mayCommit.open()
    await Promise.all([switching, beginning])
    expect(await states()).to.deep.equal([
      [second.id, 'serving'],
      [third.id, 'waiting'],
    ])
  })

  /** Asks on a connection of its own: the store's may all be taken. */
  async function isWaiting(): Promise<boolean> {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await runSql(test.url, waiting)).length > 0
  }
})
