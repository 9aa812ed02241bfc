import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { purgeOutcomes, saveOutcome } from '../../store/skills/outcomes.js'
import { candidateOf, skillsOf } from '../support/skills.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('outcomes of skills', () => {
  let test: TestStore
  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())

  it('are kept once for a run, and purged when they are old', async () => {
    const tenantId = `t-${randomUUID()}`
    const at = (day: number) => new Date(Date.UTC(2026, 4, day))
    const { docId } = await skillsOf(test.store, tenantId, () => at(1)).activate(candidateOf('valve', at(1)))
    const report = (runId: string, outcome: 'success' | 'failure', day: number) =>
      test.store.transact({ tenantId }, (writer) => saveOutcome(writer, docId, { outcome, runId, at: at(day) }))
    for (const [runId, outcome, day] of [
      ['a', 'success', 1],
      ['b', 'success', 2],
      ['b', 'failure', 5],
      ['c', 'success', 3],
    ] as const)
      await report(runId, outcome, day)
    const kept = async () => {
      const { rows } = await test.store.read({ tenantId }, ({ db }) =>
        sql<{ run: string }>`select run_id || ' ' || outcome as run from skill_outcomes order by 1`.execute(db),
      )
      return rows.map(({ run }) => run)
    }
    expect(await kept()).to.deep.equal(['a success', 'b failure', 'c success'])
    const purge = (limit: number) => test.store.asSystem((system) => purgeOutcomes(system, { before: at(4), limit }))
    expect(await purge(1)).to.equal(1)
    expect(await kept()).to.deep.equal(['b failure', 'c success'])
    expect([await purge(5), await purge(5)]).to.deep.equal([1, 0])
    expect(await kept()).to.deep.equal(['b failure'])
  })
})
