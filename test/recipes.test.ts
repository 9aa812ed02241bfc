import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { installedHarnesses } from './support/harnesses.js'
import { programOf, rememberOrRecall } from './support/recipes.js'
import { startScriptedModel } from './support/scripted-model.js'
import { sharedService } from './support/shared-service.js'
import { newTenant } from './support/tenants.js'

interface Known {
  readonly rules: readonly { readonly content: string }[]
  readonly memories: readonly { readonly id: string; readonly content: string }[]
}

interface Session {
  readonly run_id: string
  readonly result: unknown
  readonly rules: { readonly etag: string }
}

type RunSession = (task: string, act: (known: Known) => object, known?: object | null) => Promise<Session>

describe('docs/recipes.md', function () {
  this.timeout(300_000)
  const service = sharedService('embedded')
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'cairn-recipes-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  async function fileOf(name: string): Promise<string> {
    const file = path.join(folder, name)
    await writeFile(file, programOf(name))
    return file
  }
  async function newAgent(trust: 0 | 1 = 1) {
    const tenant = newTenant(service())
    const key = await service().mintKey({ tenantId: tenant.id, agentId: 'ana', fleetId: 'red', trust })
    const operator = await tenant.caller({ trust: 3 })
    return { key, operator, ana: service().client(key).of(tenant.id) }
  }

  describe('agent-loop.mjs', () => {
    async function loopOf(key: string): Promise<RunSession> {
      process.env.CAIRN_URL = service().url
      process.env.CAIRN_API_KEY = key
      // Another query is another module, which reads the environment anew.
      const url = `${pathToFileURL(await fileOf('agent-loop.mjs')).href}?key=${encodeURIComponent(key)}`
      return ((await import(url)) as { runSession: RunSession }).runSession
    }
    after(() => {
      delete process.env.CAIRN_URL
      delete process.env.CAIRN_API_KEY
    })

    it('reads and acknowledges the rules, recalls, acts, writes, and says what helped', async () => {
      const { key, operator, ana } = await newAgent()
      await operator.keystones.set({ doc_id: 'fridays', content: 'Never deploy on a Friday.', weight: 'high' }).ok()
      const runSession = await loopOf(key)
      const seen: Known[] = []
      const learnt = ['The staging database listens on port 6432.']
      const first = await runSession('Find the port of staging.', (known) => {
        seen.push(known)
        return { result: 'found', learnt }
      })
      expect(seen[0]!.rules.map(({ content }) => content)).to.deep.equal(['Never deploy on a Friday.'])
      expect([seen[0]!.memories, first.result]).to.deep.equal([[], 'found'])
      const coverage = (await operator.keystones.coverage({ run_id: first.run_id }).ok()).agents
      expect(coverage.map(({ agent_id, current }) => [agent_id, current])).to.deep.equal([['ana', true]])

      const second = await runSession(
        'Which port does the staging database listen on?',
        (known) => {
          seen.push(known)
          const outcomes = Object.fromEntries(known.memories.map(({ id }) => [id, 'success']))
          return { result: known.memories[0]!.content, learnt, outcomes }
        },
        first.rules,
      )
      expect([second.result, second.rules]).to.deep.equal([learnt[0], first.rules])
      expect(seen[1]!.rules).to.deep.equal(seen[0]!.rules)
      const stored = await ana.memories.listAll({})
      expect(stored.map(({ content, run_id, weight }) => [content, run_id, weight])).to.deep.equal([
        [learnt[0], first.run_id, 0.6],
      ])
    })

    it('ends with the service’s reason for an agent that may not write', async () => {
      const { key, ana } = await newAgent(0)
      const runSession = await loopOf(key)
      const failure = await runSession('Write.', () => ({ learnt: ['A fact.'] })).catch((error: unknown) => error)
      expect((failure as { code: string }).code).to.equal('FORBIDDEN')
      expect(await ana.memories.listAll({})).to.deep.equal([])
    })
  })

  describe('harnesses', () => {
    let model: Awaited<ReturnType<typeof startScriptedModel>>
    before(async () => {
      await symlink(path.join(await installedHarnesses(), 'node_modules'), path.join(folder, 'node_modules'))
      model = await startScriptedModel(rememberOrRecall)
    })
    after(() => model.stop())

    for (const name of ['ai-sdk.mjs', 'openai-agents.mjs', 'langchain.mjs'])
      it(`such as ${name} remember across two sessions, and without a key not at all`, async () => {
        const { key, ana } = await newAgent()
        const file = await fileOf(name)
        const ask = async (prompt: string, CAIRN_API_KEY = key) => {
          const env = {
            PATH: process.env.PATH,
            CAIRN_URL: service().url,
            CAIRN_API_KEY,
            OPENAI_BASE_URL: model.url,
            OPENAI_API_KEY: 'none',
            MODEL: 'scripted',
            OPENAI_AGENTS_DISABLE_TRACING: '1',
          }
          return (await promisify(execFile)(process.execPath, [file, prompt], { env })).stdout
        }
        const fact = `The staging database of ${name} listens on port 6432.`
        expect(await ask(`Remember: ${fact}`)).to.contain('The tool said: ')
        expect((await ana.memories.listAll({})).map(({ content }) => content)).to.deep.equal([fact])
        expect(await ask('Which port does the staging database listen on?')).to.contain(fact)
        const refused = await ask('Which port?', 'cairn_wrong').catch((error: { stderr: string }) => error.stderr)
        expect(refused).to.match(/401|UNAUTHORIZED|unauthorized/i)
      })
  })
})
