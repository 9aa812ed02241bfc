import { expect } from 'chai'
import type { Client } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { prepareEnvironment, startService, type TestEnvironment, type TestService } from '../support/service.js'
import { until } from '../support/states.js'

const [FORMER, PRESENT] = ['static-en-256', 'static-multi-480']

/** Starts on the data of an installation whose index has vectors of the former built-in model. */
describeOnEachProfile((profile) => {
  describe('an installation with the former built-in model', function () {
    this.timeout(120_000)
    let environment: TestEnvironment
    let service: TestService
    const tenant = 'harbour'
    let key: string
    const question = 'When is the meeting with the client?'

    before(async () => {
      environment = await prepareEnvironment(profile)
      await start({ EMBEDDINGS_MODEL: 'builtin:en' })
      key = await service.mintKey({ tenantId: tenant, agentId: 'ana' })
      for (const content of [
        'Our meeting with the client is on Wednesday.',
        '客户会议改到了星期三下午三点。',
        'The dog sleeps.',
      ])
        await service.client(key).of(tenant).memories.create({ content })
      await settled(service, tenant)
      expect(await models()).to.deep.equal({ serving: FORMER })
    })
    after(async () => {
      await service?.stop()
      await environment?.remove()
    })

    async function start(env: Record<string, string>): Promise<void> {
      service = await startService({ profile, environment, env })
    }
    async function restart(env: Record<string, string> = {}): Promise<void> {
      await service.stop()
      await start(env)
    }
    const admin = (): Client => service.client()
    async function models(): Promise<Record<string, string>> {
      const { items } = (await admin().indexBuilds.list()).body
      const live = items.filter(({ state }) => !['dropping', 'dropped'].includes(state))
      return Object.fromEntries(live.map(({ state, model }) => [state, model]))
    }
    /** Recalls, and expects that no leg is missing. */
    async function expectRecall(): Promise<void> {
      const { memories, degraded } = await service.client(key).of(tenant).memories.recall(question).ok()
      expect(degraded).to.equal(null)
      expect(memories[0]!.content).to.match(/^Our meeting/)
      expect(memories[0]!.similarity).to.be.above(0.3)
    }

    it('goes on with it where the setting names it', async () => {
      await restart({ EMBEDDINGS_MODEL: 'builtin:en' })
      await expectRecall()
      expect(await models()).to.deep.equal({ serving: FORMER })
    })

    it('changes to the present one by itself, without a recall that lacks its vectors', async () => {
      await restart()
      await until('the present model serves', async () => {
        await expectRecall()
        return expect(await models()).to.deep.equal({ serving: PRESENT, kept: FORMER })
      })
      await expectRecall()
    })

    it('goes back when an operator switches back, and stays there', async () => {
      const { items } = (await admin().indexBuilds.list()).body
      const { build_id: former } = items.find(({ state }) => state === 'kept')!
      expect((await admin().indexBuilds.switch(former)).status).to.equal(200)
      await restart()
      await expectRecall()
      expect(await models()).to.deep.equal({ serving: FORMER, kept: PRESENT })
    })
  })
})
