import { expect } from 'chai'
import { RawConnection } from '../http/raw-connection.js'
import { type Caller, createClient } from '../support/client.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { createMovingClock } from '../support/moving-clock.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'
import { until } from '../support/states.js'
import { callTool, connectTools } from '../support/tools.js'

/** Returns `[limit, remaining]`; null when an answer has no quota headers. */
function quotaOf({ headers }: { headers: Headers }): number[] | null {
  const values = ['Limit', 'Remaining'].map((part) => headers.get(`X-RateLimit-${part}`))
  return values.includes(null) ? null : values.map(Number)
}

/** Tests the rate limiter on the whole service, with its clock and the counter store of the profile. */
describeOnEachProfile((profile) => {
  describe('request limits', () => {
    const clock = createMovingClock()
    const env = { RATE_LIMIT_WRITES: '4', RATE_LIMIT_RECALLS: '3', RATE_LIMIT_BULK: '2' }
    const service = ownService({ profile, clock, env, queues: [] })
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      nextMinute()
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', trust: 2 })
    })

    /** Moves the clock to the start of the next minute, so that no minute ends during a test by itself. */
    function nextMinute(): void {
      clock.advance(60_000 - (clock.now() % 60_000))
    }

    function setLimits(rate_limits: object) {
      return tenant.admin.tenants.patch(tenant.id, { rate_limits })
    }

    it('count writes down, refuse those beyond the limit, and accept them a minute later', async () => {
      for (const remaining of [3, 2, 1, 0]) {
        const answer = await ana.memories.create(`With ${remaining} left.`)
        expect([answer.status, quotaOf(answer)]).to.deep.equal([201, [4, remaining]])
        const reset = Number(answer.headers.get('X-RateLimit-Reset'))
        expect(reset).to.equal(Math.ceil(clock.now() / 60_000) * 60)
      }
      const refused = await ana.memories.create('Beyond.')
      expect([refused.status, refused.body.error.code, quotaOf(refused)]).to.deep.equal([429, 'RATE_LIMITED', [4, 0]])
      expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 60)
      expect(await ana.memories.total()).to.equal(4)
      nextMinute()
      expect(quotaOf(await ana.memories.create('Beyond.'))).to.deep.equal([4, 3])
    })

    it('count each key separately, and recalls and bulk writes apart from writes', async () => {
      for (let i = 0; i < 5; i++) await ana.memories.create(`Note ${i}.`)
      const ben = await tenant.caller({ agentId: 'ben' })
      expect(quotaOf(await ben.memories.create('Of another key.'))).to.deep.equal([4, 3])
      expect(quotaOf(await ana.memories.recall('note'))).to.deep.equal([3, 2])
      const bulk = [{ content: 'One.' }, { content: 'Two.' }]
      expect(quotaOf(await ana.memories.createMany(bulk))).to.deep.equal([2, 1])
      expect(quotaOf(await ana.memories.list())).to.equal(null)
    })

    it('count a key’s tool calls and requests together', async () => {
      const key = await service().mintKey({ tenantId: tenant.id, agentId: 'ana' })
      const [rest, tools] = [service().client(key).of(tenant.id), await connectTools(service().url, key)]
      const byTool = () => callTool(tools, 'svc_memory', { op: 'write', content: `By a tool ${Math.random()}.` })
      for (const i of [1, 2]) {
        expect((await byTool()).isError).to.equal(false)
        expect((await rest.memories.create(`By a request ${i}.`)).status).to.equal(201)
      }
      const refused = await byTool()
      expect([refused.isError, refused.content.error.code]).to.deep.equal([true, 'RATE_LIMITED'])
      expect((await rest.memories.create('Beyond.')).status).to.equal(429)
      await tools.close()
    })

    it('count failed requests, and have headers on every failure', async () => {
      expect(quotaOf(await ana.memories.create(''))).to.deep.equal([4, 3])
      expect(quotaOf(await ana.memories.delete('0192f3a4-0000-7000-8000-000000000000'))).to.deep.equal([4, 2])
      const foreign = { tenant_id: 'another', content: 'Foreign.' }
      const refused = await ana.memories.create(foreign)
      expect([refused.status, quotaOf(refused)]).to.deep.equal([403, [4, 1]])
    })

    it('do not count replays', async () => {
      const header = { 'Idempotency-Key': 'once' }
      for (let i = 0; i < 6; i++) {
        const answer = await ana.memories.create('Said once.', header)
        expect([answer.status, quotaOf(answer)]).to.deep.equal([201, [4, 3]])
      }
      expect(quotaOf(await ana.memories.create('Said besides.'))).to.deep.equal([4, 2])
    })

    it('can be set for one tenant, with immediate effect, until they are reset', async () => {
      const other = await newTenant(service()).caller({ agentId: 'ana' })
      expect((await setLimits({ writes: 2, recalls: 0 })).status).to.equal(200)
      expect(quotaOf(await ana.memories.create('First.'))).to.deep.equal([2, 1])
      expect((await ana.memories.recall('first')).status).to.equal(429)
      expect((await ana.memories.create('Second.')).status).to.equal(201)
      expect((await ana.memories.create('Third.')).status).to.equal(429)
      expect(quotaOf(await other.memories.create('Elsewhere.'))).to.deep.equal([4, 3])
      await setLimits({ writes: 3 })
      // The refused request was not counted.
      const third = await ana.memories.create('Third.')
      expect([third.status, quotaOf(third)]).to.deep.equal([201, [3, 0]])
      expect((await ana.memories.recall('first')).status).to.equal(200)
      await setLimits({ writes: null })
      expect(quotaOf(await ana.memories.create('Fourth.'))).to.deep.equal([4, 0])
    })

    it('are exact for many concurrent writers', async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => ana.memories.create(`At once ${i}.`)))
      expect(answers.filter(({ status }) => status === 201)).to.have.length(4)
      expect(answers.filter(({ status }) => status === 429)).to.have.length(8)
      expect(await ana.memories.total()).to.equal(4)
    })

    it('do not read a large body while its tenant uses its share of the memory budget, and block nothing else', async () => {
      const connections: RawConnection[] = []
      const announce = async (tenantId: string): Promise<RawConnection> => {
        const connection = await RawConnection.open(Number(new URL(service().url).port))
        connections.push(connection)
        const head = [
          'Host: x',
          `X-API-Key: ${await service().mintKey({ tenantId })}`,
          'Content-Type: application/json',
        ]
        const length = ['Content-Length: 16777216', 'Expect: 100-continue']
        connection.send('POST /api/v1/memories/bulk HTTP/1.1', ...head, ...length, '', '')
        return connection
      }
      const says = async (...lines: string[]) => {
        const text = await service().context.metrics.text()
        return lines.every((line) => text.includes(`${line}\n`))
      }
      try {
        // The budget depends on the heap size of this process.
        const isOneUnread = () => says('cairn_requests{state="unread"} 1')
        let last: RawConnection
        do {
          last = await announce(tenant.id)
          await until(
            'the last request is answered, or one body is unread',
            async () => last.text !== '' || (await isOneUnread()),
          )
        } while (last.text !== '')
        expect((await ana.memories.create('A small body passes.')).status).to.equal(201)
        await (await announce(newTenant(service()).id)).until(/100 Continue/)
        expect(last.text).to.equal('')
        connections[0]!.close()
        await last.until(/100 Continue/)
      } finally {
        for (const connection of connections) connection.close()
      }
      await until('no body and no unread request is left', () =>
        says('cairn_body_bytes 0', 'cairn_requests{state="unread"} 0'),
      )
    })

    it('count requests of the admin credential under /admin, and no probes', async () => {
      const quota = quotaOf(await service().client().tenants.list())
      expect(quotaOf(await service().client().keys.list())).to.deep.equal([quota![0], quota![1]! - 1])
      expect(quotaOf(await createClient(service().url).probes.health())).to.equal(null)
    })
  })
})
