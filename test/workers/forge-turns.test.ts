import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { LanguageModel } from '../../models/language-model.js'
import { ModelCallError } from '../../models/model-call.js'
import { UnavailableError } from '../../runtime/errors.js'
import { beginErasure } from '../../store/erasure/erasures.js'
import type { ForgeRun } from '../../store/forge/runs.js'
import { listTurns } from '../../store/forge/turns.js'
import { takeTurns } from '../../workers/forge/take-turns.js'
import { type ForgeTenant, forgeContext, newForgeTenant, type TurnOptions } from '../support/forge-tenant.js'
import type { MovingClock } from '../support/moving-clock.js'
import { runSql } from '../support/run-sql.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

const MINUTE = 60_000
const MODEL = { id: 'stub' } as LanguageModel

describe('runs of the Forge take turns', function () {
  this.timeout(120_000)
  let test: TestStore
  let tenant: ForgeTenant
  let clock: MovingClock
  /** A part proposes one skill, of all of its memories. */
  const thread = { file: new URL('./planned-forge-thread', import.meta.url) }
  before(async () => (test = await createTestStore()))
  after(() => test.stop())
  beforeEach(async () => {
    await test.store.asSystem(({ db }) => sql`delete from forge_runs`.execute(db))
    tenant = await newForgeTenant(test)
    clock = createHandClock()
  })

  async function work(of: ForgeTenant, fleets: string, memories = 1): Promise<void> {
    for (const fleetId of fleets)
      for (let i = 0; i < memories; i++)
        await of.run('ana', `run-${fleetId}-${i}`, [`Secret ${i} of ${fleetId}.`], { fleetId })
  }
  /** Has each part take so many minutes. */
  const taking = (minutes: number): TurnOptions => ({ thread, clock, onPart: () => clock.advance(minutes * MINUTE) })
  const parts = ({ result }: ForgeRun) => (result.parts ?? []).map(({ fleet_id, state }) => `${fleet_id} ${state}`)
  const outcomes = ({ result }: ForgeRun) =>
    (result.candidates ?? []).map(({ fleet_id, outcome }) => `${fleet_id} ${outcome}`).sort()

  describe('by a budget of time', () => {
    it('begin no part once it is used up, and come to those first the next time', async () => {
      await work(tenant, 'abcde')
      const runs = [await tenant.tick(taking(4)), await tenant.tick(taking(4)), await tenant.tick(taking(4))]
      expect(runs.map(({ state }) => state)).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
      expect(runs.map(parts)).to.deep.equal([
        ['a succeeded', 'b succeeded', 'c left', 'd left', 'e left'],
        ['c succeeded', 'd succeeded', 'e left', 'a left', 'b left'],
        ['e succeeded', 'a succeeded', 'b left', 'c left', 'd left'],
      ])
      expect(runs.map(outcomes)).to.deep.equal([
        ['a created', 'b created'],
        ['c created', 'd created'],
        ['a unchanged', 'e created'],
      ])
    })

    it('is the smaller one of the tenant and the service', async () => {
      await work(tenant, 'abc')
      expect(parts(await tenant.tick({ ...taking(0.6), runMs: MINUTE }))).to.deep.equal([
        'a succeeded',
        'b left',
        'c left',
      ])
      await tenant.set({ skills_factory: { enabled: true, forge: { max_minutes_per_run: 3 } } })
      expect(parts(await tenant.tick(taking(1.4)))).to.deep.equal(['b succeeded', 'c succeeded', 'a left'])
      await tenant.set({ skills_factory: { enabled: true, forge: { max_minutes_per_run: 1000 } } })
      expect(parts(await tenant.tick(taking(4)))).to.deep.equal(['a succeeded', 'b succeeded', 'c left'])
    })

    it('cuts a part short: the first one has failed then, a later one is left and comes first', async () => {
      await work(tenant, 'abc')
      expect(parts(await tenant.tick(taking(11)))).to.deep.equal(['a failed', 'b left', 'c left'])
      let begun = 0
      const later = () => clock.advance(begun++ === 0 ? MINUTE : 11 * MINUTE)
      const second = await tenant.tick({ thread, clock, onPart: later })
      expect(parts(second)).to.deep.equal(['b succeeded', 'c left', 'a left'])
      expect(second.state).to.equal('succeeded')
      expect(parts(await tenant.tick(taking(1)))).to.deep.equal(['c succeeded', 'a succeeded', 'b succeeded'])
    })

    it('keeps what was deferred first while its part is left', async () => {
      await work(tenant, 'a')
      await work(tenant, 'b', 2)
      await tenant.set({ skills_factory: { enabled: true, forge: { max_writes_per_run: 1 } } })
      expect(outcomes(await tenant.tick(taking(1)))).to.deep.equal(['a deferred', 'b created'])
      await work(tenant, 'b', 3)
      const second = await tenant.tick(taking(11))
      expect(parts(second)).to.deep.equal(['a failed', 'b left'])
      await work(tenant, 'c', 4)
      const third = await tenant.tick(taking(4))
      expect(parts(third)).to.deep.equal(['b succeeded', 'a succeeded', 'c left'])
      expect(outcomes(third)).to.deep.equal(['a deferred', 'b refreshed'])
      expect(outcomes(await tenant.tick(taking(1)))).to.deep.equal(['a created', 'b unchanged', 'c deferred'])
    })
  })

  describe('by part', () => {
    it('so that a tenant waits for one turn of each other tenant at most', async () => {
      const [big, small, tiny] = [tenant, await newForgeTenant(test), await newForgeTenant(test)]
      await work(big, 'abcd')
      await work(small, 'ab')
      await work(tiny, 'a')
      const names = new Map([big, small, tiny].map(({ tenantId }, i) => [tenantId, ['big', 'small', 'tiny'][i]!]))
      const order: string[] = []
      const ids: [ForgeTenant, string][] = [[big, await big.request()]]
      const onPart = (tenantId: string) => void order.push(names.get(tenantId)!)
      const context = forgeContext(test, { thread, onPart })
      for (const one of [small, tiny]) ids.push([one, await one.request()])
      // What the big tenant asks for once more waits for its first run, and behind the others.
      ids.push([big, await big.request()])
      await takeTurns(context)
      expect(order).to.deep.equal([
        ...['big', 'small', 'tiny'],
        ...['big', 'small'],
        ...['big', 'big'],
        ...['big', 'big', 'big', 'big'],
      ])
      for (const [of, id] of ids) expect(await of.find(id)).to.include({ state: 'succeeded', attempts: 1 })
      expect(outcomes(await big.find(ids[0]![1]))).to.deep.equal(['a created', 'b created', 'c created', 'd created'])
      expect(outcomes(await big.find(ids.at(-1)![1]))).to.deep.equal([
        ...['a unchanged', 'b unchanged', 'c unchanged', 'd unchanged'],
      ])
    })

    it('also of what is asked for while another works', async () => {
      const other = await newForgeTenant(test)
      await work(tenant, 'abc')
      await work(other, 'a')
      const order: boolean[] = []
      let asked: Promise<unknown> = Promise.resolve()
      const onPart = (tenantId: string) => {
        if (order.push(tenantId === other.tenantId) === 1) asked = other.request()
      }
      await tenant.request()
      await takeTurns(forgeContext(test, { thread, onPart }))
      await asked
      expect(order).to.deep.equal([false, true, false, false])
    })

    it('whatever time the clocks of the workers show', async () => {
      const ahead: string[] = []
      const askAnother = async () => (await newForgeTenant(test)).request()
      await work(tenant, 'abc')
      const id = await tenant.request()
      for (let i = 0; i < 2; i++) ahead.push(await askAnother())
      const listed = async () =>
        (await test.store.asSystem((system) => listTurns(system, { at: new Date(), limit: 10 }))).map(
          ({ runId }) => runId,
        )
      expect(await listed()).to.deep.equal([id, ...ahead])
      for (const hours of [-1, 1]) {
        const now = Date.now() + hours * 60 * MINUTE
        expect(await tenant.turn(id, { thread, clock: { now: () => now } })).to.equal('passed')
        const later = await askAnother()
        expect(await listed(), `a clock that is ${hours} h ahead`).to.deep.equal([...ahead, id, later])
        ahead.push(later)
      }
    })

    it('however many runs the other was asked for before', async () => {
      const other = await newForgeTenant(test)
      await work(tenant, 'a')
      await work(other, 'ab')
      for (let runs = 0; runs < 3; runs++) await tenant.request()
      await other.request()
      const order: boolean[] = []
      await takeTurns(
        forgeContext(test, { thread, onPart: (tenantId) => void order.push(tenantId === other.tenantId) }),
      )
      expect(order).to.deep.equal([false, true, true, false, false])
    })

    it('and stop for nobody whose run cannot begin', async () => {
      const other = await newForgeTenant(test)
      await work(tenant, 'ab')
      await other.request()
      const busy = await other.request()
      await test.store.asSystem(({ db }) =>
        sql`update forge_runs set state = 'running', owner = gen_random_uuid(), lease = now() + interval '1 h' where run_id = ${busy}`.execute(
          db,
        ),
      )
      expect(await tenant.turn(await tenant.request(), { thread })).to.equal('over')
    })

    it('with the best of all parts, wherever a turn ends, and in one record', async () => {
      const other = await newForgeTenant(test)
      await work(tenant, 'a')
      await work(tenant, 'b', 3)
      await work(tenant, 'c', 2)
      await tenant.set({ skills_factory: { enabled: true, forge: { max_writes_per_run: 2 } } })
      await other.request()
      const id = await tenant.request()
      const shown: [string, string[], string[]][] = []
      for (let end = 'passed'; end === 'passed';) {
        end = await tenant.turn(id, { thread })
        const run = await tenant.find(id)
        shown.push([run.state, parts(run), outcomes(run)])
      }
      const done = ['a succeeded', 'b succeeded', 'c succeeded']
      expect(shown).to.deep.equal([
        ['queued', done.slice(0, 1), []],
        ['queued', done.slice(0, 2), []],
        ['queued', done, ['a deferred']],
        ['queued', done, ['a deferred', 'b created']],
        ['succeeded', done, ['a deferred', 'b created', 'c created']],
      ])
      const { rows } = await test.store.read(tenant, ({ db }) =>
        sql`select kept, spent_ms from forge_runs where run_id = ${id} and kept = '{}'`.execute(db),
      )
      expect(rows).to.have.length(1)
    })

    it('also when they are dry, and change nothing', async () => {
      const other = await newForgeTenant(test)
      await work(tenant, 'ab')
      await other.request()
      const before = await tenant.everything()
      const id = await tenant.request(true)
      while ((await tenant.turn(id, { thread })) === 'passed');
      expect(outcomes(await tenant.find(id))).to.deep.equal(['a created', 'b created'])
      expect(await tenant.everything()).to.deep.equal(before)
    })

    it('look again at what was found when the next turn begins', async () => {
      const other = await newForgeTenant(test)
      await work(tenant, 'ab')
      await other.request()
      const id = await tenant.request()
      await tenant.turn(id, { thread })
      await test.store.transact(tenant, ({ db }) =>
        sql`update memories set visibility = 'scope_agent' where tenant_id = ${tenant.tenantId} and fleet_id = 'a'`.execute(
          db,
        ),
      )
      while ((await tenant.turn(id, { thread })) === 'passed');
      expect(outcomes(await tenant.find(id))).to.deep.equal(['a held', 'b created'])
    })
  })

  describe('and when something comes in between', () => {
    it('keep nothing of what an erasure erases, and begin again', async () => {
      const other = await newForgeTenant(test)
      await work(tenant, 'ab')
      await other.request()
      const id = await tenant.request()
      expect(await tenant.turn(id, { thread })).to.equal('passed')
      const row = async () =>
        JSON.stringify(
          (
            await test.store.read(tenant, ({ db }) =>
              sql`select * from forge_runs where tenant_id = ${tenant.tenantId}`.execute(db),
            )
          ).rows,
        )
      expect(await row()).to.include('Secret 0 of a')
      const erasure = { id: randomUUID(), at: new Date(), selector: { agentId: 'ana' }, isSelected: false }
      await test.store.transact(tenant, (writer) => beginErasure(writer, erasure))
      expect(await row()).to.not.include('Secret')
      expect(parts(await tenant.find(id))).to.deep.equal([])
      expect(await tenant.turn(id, { thread })).to.equal('another')
      await test.store.asSystem(({ db }) => sql`delete from erasures`.execute(db))
      await test.store.transact(tenant, ({ db }) =>
        sql`delete from memories where tenant_id = ${tenant.tenantId} and fleet_id = 'a'`.execute(db),
      )
      while ((await tenant.turn(id, { thread })) === 'passed');
      const run = await tenant.find(id)
      expect(parts(run)).to.deep.equal(['b succeeded'])
      expect(outcomes(run)).to.deep.equal(['b created'])
      expect(await row()).to.not.include('Secret')
    })

    it('keep in the record what they had written before an erasure', async () => {
      const other = await newForgeTenant(test)
      await work(tenant, 'ab')
      await other.request()
      const id = await tenant.request()
      for (let turn = 0; turn < 3; turn++) await tenant.turn(id, { thread })
      expect(outcomes(await tenant.find(id))).to.deep.equal(['a created'])
      const erasure = { id: randomUUID(), at: new Date(), selector: { agentId: 'zoe' }, isSelected: false }
      await test.store.transact(tenant, (writer) => beginErasure(writer, erasure))
      await test.store.asSystem(({ db }) => sql`delete from erasures`.execute(db))
      while ((await tenant.turn(id, { thread })) === 'passed');
      expect(outcomes(await tenant.find(id))).to.deep.equal(['a created', 'b created'])
    })

    it('go on behind the last part when their worker dies', async () => {
      await work(tenant, 'abc')
      const id = await tenant.request()
      const begun: string[] = []
      const dying = () => {
        if (begun.push('part') === 2) throw new UnavailableError('postgres', new Error('gone'))
      }
      const died = await tenant.turn(id, { thread, clock, onPart: dying }).catch((error: unknown) => error)
      expect(died).to.be.instanceOf(UnavailableError)
      expect(await tenant.find(id)).to.include({ state: 'running' })
      const rest: string[] = []
      const turn = () => tenant.turn(id, { thread, clock, onPart: () => void rest.push('part') })
      expect(await turn()).to.equal('another')
      await endLease()
      expect(await turn()).to.equal('over')
      expect(rest).to.have.length(2)
      const run = await tenant.find(id)
      expect(run).to.include({ state: 'succeeded', attempts: 2 })
      expect(outcomes(run)).to.deep.equal(['a created', 'b created', 'c created'])
    })

    it('give up the part at which worker after worker dies, and leave those behind it', async () => {
      await work(tenant, 'abc')
      const id = await tenant.request()
      const begun: string[] = []
      const dying = () => {
        if (begun.push('part') > 1) throw new UnavailableError('postgres', new Error('gone'))
      }
      for (let attempt = 0; attempt < 3; attempt++) {
        await tenant.turn(id, { thread, clock, onPart: dying }).catch(() => undefined)
        await endLease()
      }
      expect(await tenant.turn(id, { thread, clock, onPart: dying })).to.equal('over')
      const run = await tenant.find(id)
      expect(run).to.include({ state: 'failed', error: 'its worker ended 3 times before it was done' })
      expect(parts(run)).to.deep.equal(['a succeeded', 'b failed', 'c left'])
      expect(parts(await tenant.tick({ thread }))).to.deep.equal(['c succeeded', 'a succeeded', 'b succeeded'])
    })

    it('write no skill twice when their worker dies while it writes, even where the first is gone by then', async () => {
      await work(tenant, 'ab')
      const id = await tenant.request()
      const kept: unknown[] = []
      // Another worker takes the run while the second skill is worded.
      const dies = async () => {
        const { rows } = await test.store.read(tenant, ({ db }) =>
          sql<{ skills: number }>`
            select jsonb_array_length(kept -> 'skills') as skills from forge_runs where run_id = ${id}`.execute(db),
        )
        kept.push(rows[0]!.skills)
        if (kept.length === 2)
          await test.store.asSystem(({ db }) =>
            sql`update forge_runs set owner = gen_random_uuid(), lease = now() - interval '1 s' where run_id = ${id}`.execute(
              db,
            ),
          )
        throw new ModelCallError('unfit', 'no JSON')
      }
      const languageModel: LanguageModel = { ...MODEL, complete: dies }
      expect(await tenant.turn(id, { thread, languageModel })).to.equal('another')
      // What is found is stored once, not after each skill.
      expect(kept).to.deep.equal([2, 2])
      expect(outcomes(await tenant.find(id))).to.deep.equal(['a created'])
      await test.store.transact(tenant, ({ db }) =>
        sql`delete from skills where tenant_id = ${tenant.tenantId}`.execute(db),
      )
      expect(await tenant.turn(id, { thread })).to.equal('over')
      expect(outcomes(await tenant.find(id))).to.deep.equal(['a created', 'b created'])
      const { rows } = await test.store.read(tenant, ({ db }) =>
        sql`select slug from skills where tenant_id = ${tenant.tenantId}`.execute(db),
      )
      expect(rows).to.deep.equal([{ slug: 'work-of-b' }])
    })

    it('write no more than they may when a worker dies that had written more than is listed', async () => {
      await work(tenant, 'abc')
      await tenant.set({ skills_factory: { enabled: true, forge: { max_writes_per_run: 602 } } })
      const id = await tenant.request()
      const outcomesSoFar = { created: 601, refreshed: 0 }
      await test.store.asSystem(({ db }) =>
        sql`update forge_runs set result = ${JSON.stringify({ outcomes: outcomesSoFar, candidates: [] })} where run_id = ${id}`.execute(
          db,
        ),
      )
      // Neither does an erasure that begins the run again.
      const erasure = { id: randomUUID(), at: new Date(), selector: { agentId: 'zoe' }, isSelected: false }
      await test.store.transact(tenant, (writer) => beginErasure(writer, erasure))
      await test.store.asSystem(({ db }) => sql`delete from erasures`.execute(db))
      expect(await tenant.turn(id, { thread })).to.equal('over')
      const run = await tenant.find(id)
      expect(outcomes(run)).to.deep.equal(['a created', 'b deferred', 'c deferred'])
      expect(run.result.outcomes).to.include({ created: 602, deferred: 2 })
    })

    it('end with what they have done and written when they fail by a fault of the service', async () => {
      await work(tenant, 'abc')
      const id = await tenant.request()
      let asked = 0
      const complete = () =>
        Promise.reject(asked++ === 0 ? new ModelCallError('unfit', 'no JSON') : new TypeError('a fault'))
      expect(await tenant.turn(id, { thread, languageModel: { ...MODEL, complete } })).to.equal('over')
      const run = await tenant.find(id)
      expect(run).to.include({ state: 'failed', error: 'TypeError' })
      expect(parts(run)).to.deep.equal(['a succeeded', 'b succeeded', 'c succeeded'])
      expect(outcomes(run)).to.deep.equal(['a created'])
      expect(run.result.model).to.include({ model: MODEL.id, calls: 2, failed: 1 })
    })

    it('leave the parts that they have not done when they fail, and the next run begins with those', async () => {
      await work(tenant, 'abc')
      const id = await tenant.request()
      await runSql(
        test.url,
        `create function refuse_kept() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
        create trigger refuse_kept before update on forge_runs for each row when
          (new.state = 'running' and jsonb_array_length(new.result -> 'parts') = 2) execute function refuse_kept()`,
      )
      try {
        expect(await tenant.turn(id, { thread })).to.equal('over')
      } finally {
        await runSql(test.url, 'drop trigger refuse_kept on forge_runs; drop function refuse_kept()')
      }
      const run = await tenant.find(id)
      expect(run.state).to.equal('failed')
      expect(parts(run)).to.deep.equal(['a succeeded', 'b succeeded', 'c left'])
      expect(parts(await tenant.tick({ thread }))).to.deep.equal(['c succeeded', 'a succeeded', 'b succeeded'])
    })

    it('fail in one part alone that cannot be read', async () => {
      await work(tenant, 'abc')
      let begun = 0
      const onPart = () => {
        if (++begun === 2) throw new TypeError('a fault')
      }
      const run = await tenant.tick({ thread, onPart })
      expect(run).to.include({ state: 'succeeded', error: null })
      expect(parts(run)).to.deep.equal(['a succeeded', 'b failed', 'c succeeded'])
      expect(run.result.parts![1]).to.include({ error: 'TypeError', traces: 0 })
      expect(outcomes(run)).to.deep.equal(['a created', 'c created'])
    })

    it('come before the other runs of their tenant, which wait until they are over', async () => {
      const other = await newForgeTenant(test)
      await work(tenant, 'ab')
      await other.request()
      const [first, second] = [await tenant.request(), await tenant.request()]
      expect(await tenant.turn(first, { thread })).to.equal('passed')
      expect(await tenant.turn(second, { thread })).to.equal('another')
      const due = await test.store.asSystem((system) => listTurns(system, { at: new Date(), limit: 10 }))
      expect(due.filter(({ tenantId }) => tenantId === tenant.tenantId).map(({ runId }) => runId)).to.deep.equal([
        first,
      ])
    })
  })

  const endLease = () =>
    test.store.asSystem(({ db }) =>
      sql`update forge_runs set lease = now() - interval '1 s' where state = 'running'`.execute(db),
    )
})

/** A clock that only the test moves on: what a part really takes counts for nothing. */
function createHandClock(): MovingClock {
  let now = Date.now()
  return { now: () => now, advance: (ms) => void (now += ms) }
}
