import { expect } from 'chai'
import { Redis } from 'ioredis'
import { randomBytes } from 'node:crypto'
import { RateLimiter } from '../../http/limits/rate-limiter.js'
import { RedisCounters } from '../../http/limits/redis-counters.js'
import { createLogger } from '../../runtime/logger.js'
import { newTenant } from '../support/tenants.js'
import { createMovingClock } from '../support/moving-clock.js'
import { createTestCluster, type ApiProcess, type TestCluster } from '../support/scaled-processes.js'
import { startService, type TestService } from '../support/service.js'
import { scaled } from '../support/services.js'
import { startSeverableProxy, type SeverableUrl } from '../support/severable.js'
import { countSocketWrites } from '../support/socket-writes.js'
import { until } from '../support/states.js'

function remainingOf({ headers }: { headers: Headers }): number {
  return Number(headers.get('X-RateLimit-Remaining') ?? NaN)
}

describe('limits on the scaled profile', function () {
  this.timeout(120_000)
  scaled(['postgres', 'redis', 'opensearch'], ({ redis }) => {
    describe('counted in Redis', () => {
      const prefix = `test-${randomBytes(6).toString('hex')}`
      let client: Redis
      let stores: RedisCounters[]
      let limiters: RateLimiter[]
      let passed = 0
      before(async () => {
        client = new Redis(redis)
        const metrics = { limitStore: () => undefined, passedUnlimited: () => void passed++, limited: () => undefined }
        const rates = { address: { perSecond: 10, burst: 15 }, tenant: { perSecond: 1_000, burst: 1_000 } }
        const options = { url: redis, prefix, rates, logger: createLogger('silent'), metrics }
        stores = [new RedisCounters(options), new RedisCounters(options)]
        await Promise.all(stores.map((store) => store.start()))
        const limits = { writes: 10, recalls: 10, bulk: 10, inbox: 10, messages: 10 }
        limiters = stores.map(
          ({ counters }) => new RateLimiter({ counters, clock: createMovingClock(), metrics, limits }),
        )
      })
      after(async () => {
        for (const store of stores ?? []) store.stop()
        const keys = await client.keys(`${prefix}:*`)
        if (keys.length > 0) await client.del(...keys)
        client.disconnect()
      })
      const admit = (i: number) => limiters[i % 2]!.admit({ keyId: 'key', tenantId: 'acme', limits: {} }, 'writes')

      it('a minute allows exactly its limit, however many ask at once', async () => {
        const quotas = await Promise.all(Array.from({ length: 100 }, (_, i) => admit(i)))
        const allowed = quotas.filter((quota) => quota!.allowed)
        expect(allowed.map((quota) => quota!.remaining).sort()).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
        limiters[1]!.uncount(allowed[0]!)
        await until('a request is admitted again', async () => (await admit(0))!.allowed)
        expect((await admit(1))!.allowed).to.equal(false)
      })

      it('the limiters of a tenant and of a key are asked in one write', async () => {
        const other = { keyId: 'another key', tenantId: 'harbour', limits: {} }
        // The first makes the scripts known.
        await limiters[0]!.admit(other, 'recalls')
        const writes = countSocketWrites({ port: Number(new URL(redis).port) })
        try {
          expect((await limiters[0]!.admit(other, 'recalls'))!.allowed).to.equal(true)
        } finally {
          writes.stop()
        }
        expect(writes.count()).to.equal(1)
      })

      it('a burst passes, and each second refills it', async () => {
        const passes = (i: number) =>
          limiters[i % 2]!.admitAddress('203.0.113.9').then(
            () => true,
            () => false,
          )
        const asked = await Promise.all(Array.from({ length: 100 }, (_, i) => passes(i)))
        expect(asked.filter(Boolean)).to.have.length(15)
        await until('a request passes', () => passes(1))
      })

      it('every counter expires', async () => {
        const keys = await client.keys(`${prefix}:*`)
        expect(keys.length).to.be.greaterThan(2)
        for (const key of keys)
          expect(await client.pttl(key))
            .to.be.within(-2, 120_000)
            .and.not.equal(-1)
        expect(passed).to.equal(0)
      })
    })

    describe('in two api processes', () => {
      let cluster: TestCluster
      let first: ApiProcess
      let second: ApiProcess
      before(async () => {
        cluster = await createTestCluster({ RATE_LIMIT_WRITES: '10' })
        ;[first, second] = await Promise.all([cluster.api(), cluster.api()])
      })
      after(() => cluster?.remove())

      /**
       * Waits for the beginning of a minute. The processes use the time of this machine: what is counted must fit into
       * the rest of its minute.
       */
      async function earlyInTheMinute(): Promise<void> {
        const left = () => 60_000 - (Date.now() % 60_000)
        if (left() < 14_000) await until('a new minute begins', () => expect(left()).to.be.greaterThan(50_000))
      }

      it('are shared', async () => {
        const key = await first.mint('shared')
        const [here, there] = [first.caller('shared', key), second.caller('shared', key)]
        await earlyInTheMinute()
        for (let i = 0; i < 4; i++) await here.memories.create(`Here ${i}.`).ok()
        expect(remainingOf(await there.memories.create('There.'))).to.equal(5)
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, i) => (i % 2 ? here : there).memories.create(`Somewhere ${i}.`)),
        )
        expect(answers.filter(({ status }) => status === 201)).to.have.length(5)
        expect(answers.filter(({ status }) => status === 429)).to.have.length(7)
      })

      it("apply a tenant's own values within a second", async () => {
        const key = await first.mint('own')
        const there = second.caller('own', key)
        await there.memories.create('Before.').ok()
        await first.admin.tenants.patch('own', { rate_limits: { writes: 1_000 } })
        await until('the new limit is in force', async () =>
          expect(
            (await there.memories.delete('0192f3a4-0000-7000-8000-000000000000')).headers.get('X-RateLimit-Limit'),
          ).to.equal('1000'),
        )
      })
    })

    describe('while Redis', () => {
      const clock = createMovingClock()
      let way: SeverableUrl
      let service: TestService
      before(async () => {
        service = await startService({
          profile: 'scaled',
          clock,
          queues: [],
          env: { RATE_LIMIT_WRITES: '3', METRICS_PORT: '0' },
          reroute: async (env) => {
            way = await startSeverableProxy(env.REDIS_URL!)
            return { REDIS_URL: way.url }
          },
        })
      })
      after(async () => {
        await way?.restore()
        await service?.stop()
        await way?.cut()
      })
      const metric = async (name: string) => {
        const line = (await service.context.metrics.text()).split('\n').find((text) => text.startsWith(name))
        return Number(line?.split(' ').at(-1))
      }
      const isUp = async () => (await metric('cairn_limit_store_up')) === 1

      for (const [state, take] of [
        ['is away', () => way.cut()],
        ['hangs', () => Promise.resolve(way.hang())],
      ] as const) {
        it(`${state} every request passes with a quota, a metric counts it, and afterwards the limit applies again`, async () => {
          clock.advance(60_000 - (clock.now() % 60_000))
          const caller = await newTenant(service).caller({ agentId: 'ana' })
          for (let i = 0; i < 3; i++) await caller.memories.create(`Before ${i}.`).ok()
          expect((await caller.memories.create('Beyond.')).status).to.equal(429)
          const before = await metric('cairn_limit_passed_total')

          await take()
          await until('the counters in Redis are down', async () => {
            await caller.memories.create(`Meanwhile ${randomBytes(6).toString('hex')}.`).ok()
            return !(await isUp())
          })
          const answers = []
          for (let i = 0; i < 5; i++) answers.push(await caller.memories.create(`During ${i}.`))
          expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201])
          expect(remainingOf(answers[4]!)).to.equal(3)
          expect(await metric('cairn_limit_passed_total')).to.be.greaterThan(before + 5)

          await way.restore()
          await until('the counters in Redis are up', async () => {
            await caller.memories.create(`Again ${randomBytes(6).toString('hex')}.`)
            return isUp()
          })
          expect((await caller.memories.create('Beyond still.')).status).to.equal(429)
        })
      }
    })
  })
})
