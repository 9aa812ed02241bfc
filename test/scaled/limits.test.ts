import { expect } from 'chai'
import { Redis } from 'ioredis'
import { randomBytes } from 'node:crypto'
import type { Bucket, Window } from '../../api/limits/limit-store.js'
import { MemoryLimitStore } from '../../api/limits/memory-limit-store.js'
import { RedisLimitStore } from '../../api/limits/redis-limit-store.js'
import { systemClock } from '../../runtime/clock.js'
import { createLogger } from '../../runtime/logger.js'
import { describeLimits } from '../behaviours/limits.js'
import { newTenant } from '../support/caller.js'
import { createMovingClock } from '../support/moving-clock.js'
import { scaledPlace, type ApiProcess, type ScaledPlace } from '../support/scaled-processes.js'
import { startService, type TestService } from '../support/service.js'
import { scaled } from '../support/services.js'
import { severable, type SeverableUrl } from '../support/severable.js'
import { until } from '../support/states.js'

function remainingOf({ headers }: { headers: Headers }): number {
  return Number(headers.get('X-RateLimit-Remaining') ?? NaN)
}

describe('limits on the scaled profile', function () {
  this.timeout(120_000)
  scaled(['postgres', 'redis', 'opensearch'], ({ redis }) => {
    describeLimits('scaled')

    describe('counted in Redis', () => {
      const prefix = `test-${randomBytes(6).toString('hex')}`
      let client: Redis
      let stores: RedisLimitStore[]
      let passed = 0
      before(async () => {
        client = new Redis(redis)
        const metrics = { limitStore: () => undefined, passedUnlimited: () => void passed++ }
        const local = new MemoryLimitStore(systemClock)
        const options = { url: redis, prefix, logger: createLogger('silent'), metrics, local, answerMs: 5_000 }
        stores = [new RedisLimitStore(options), new RedisLimitStore(options)]
        await Promise.all(stores.map((store) => store.start()))
      })
      after(async () => {
        for (const store of stores ?? []) store.stop()
        const keys = await client.keys(`${prefix}:*`)
        if (keys.length > 0) await client.del(...keys)
        client.disconnect()
      })
      const window = (key: string, limit: number): Window => {
        return { kind: 'window', key, limit, startedAt: 60_000, lengthMs: 60_000 }
      }
      const bucket = (key: string): Bucket => ({ kind: 'bucket', key, perSecond: 0.01, burst: 10 })
      const atOnce = async (limits: (Bucket | Window)[], count: number) => {
        const asked = Array.from({ length: count }, (_, i) => stores[i % 2]!.take(limits))
        return (await Promise.all(asked)).filter((taken) => taken.every(({ allowed }) => allowed)).length
      }

      it('a window lets exactly its limit through, whoever asks at once', async () => {
        expect(await atOnce([window('exact', 10)], 100)).to.equal(10)
        expect(await stores[0]!.take([window('exact', 11)])).to.deep.equal([{ allowed: true, used: 11 }])
        await stores[1]!.giveBack(window('exact', 11))
        expect(await stores[0]!.take([window('exact', 11)])).to.deep.equal([{ allowed: true, used: 11 }])
      })

      it('a bucket lets its burst through, and a window behind it counts only what passed', async () => {
        expect(await atOnce([bucket('burst'), window('behind', 50)], 40)).to.equal(10)
        expect(await stores[0]!.take([window('behind', 50)])).to.deep.equal([{ allowed: true, used: 11 }])
      })

      it('nothing stays for ever', async () => {
        const keys = await client.keys(`${prefix}:*`)
        expect(keys.length).to.be.greaterThan(2)
        for (const key of keys) expect(await client.pttl(key)).to.be.within(1, 1_100_000)
        expect(passed).to.equal(0)
      })
    })

    describe('of two api processes', () => {
      let place: ScaledPlace
      let first: ApiProcess
      let second: ApiProcess
      before(async () => {
        place = await scaledPlace({ RATE_LIMIT_WRITES: '10' })
        ;[first, second] = await Promise.all([place.api(), place.api()])
      })
      after(() => place?.remove())

      /** The processes go by the time of this machine: what is counted must fit in what is left of its minute. */
      async function earlyInTheMinute(): Promise<void> {
        const left = () => 60_000 - (Date.now() % 60_000)
        if (left() < 14_000) await until(() => left() > 50_000)
      }

      it('are one', async () => {
        const key = await first.mint('shared')
        const [here, there] = [first.caller('shared', key), second.caller('shared', key)]
        await earlyInTheMinute()
        for (let i = 0; i < 4; i++) await here.remember(`Here ${i}.`)
        expect(remainingOf(await there.write('There.'))).to.equal(5)
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, i) => (i % 2 ? here : there).write(`Somewhere ${i}.`)),
        )
        expect(answers.filter(({ status }) => status === 201)).to.have.length(5)
        expect(answers.filter(({ status }) => status === 429)).to.have.length(7)
      })

      it("follow a tenant's own within a second", async () => {
        const key = await first.mint('own')
        const there = second.caller('own', key)
        await there.remember('Before.')
        const params = { tenant_id: 'own' }
        await first.admin.call('patchTenant', { params, body: { rate_limits: { writes: 1_000 } } })
        await until(
          async () =>
            (await there.delete('0192f3a4-0000-7000-8000-000000000000')).headers.get('X-RateLimit-Limit') === '1000',
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
            way = await severable(env.REDIS_URL!)
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
        it(`${state} everything passes with a quota and a metric says so, and afterwards the limit holds again`, async () => {
          clock.advance(60_000 - (clock.now() % 60_000))
          const caller = await newTenant(service).caller({ agentId: 'ana' })
          for (let i = 0; i < 3; i++) await caller.remember(`Before ${i}.`)
          expect((await caller.write('Beyond.')).status).to.equal(429)
          const before = await metric('cairn_limit_passed_total')

          await take()
          await until(async () => {
            await caller.remember(`Meanwhile ${randomBytes(6).toString('hex')}.`)
            return !(await isUp())
          })
          const answers = []
          for (let i = 0; i < 5; i++) answers.push(await caller.write(`During ${i}.`))
          expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201])
          expect(remainingOf(answers[4]!)).to.equal(0)
          expect(await metric('cairn_limit_passed_total')).to.be.greaterThan(before + 5)

          await way.restore()
          await until(async () => {
            await caller.write(`Again ${randomBytes(6).toString('hex')}.`)
            return isUp()
          })
          expect((await caller.write('Beyond still.')).status).to.equal(429)
        })
      }
    })
  })
})
