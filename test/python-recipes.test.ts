import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { programOf, RECIPES, rememberOrRecall } from './support/recipes.js'
import { startScriptedModel } from './support/scripted-model.js'
import { sharedService } from './support/shared-service.js'
import { newTenant } from './support/tenants.js'

const SCRIPT = fileURLToPath(new URL('../scripts/python-tools.mjs', import.meta.url))
const FACT = 'The staging database listens on port 6432.'
const QUESTION = 'Which port does the staging database listen on?'
/** Programs without a model, and agents, by the environment of `scripts/python-tools.mjs` that has their packages. */
const CLIENTS = { 'mcp_sdk.py': 'fastmcp', 'fastmcp_client.py': 'fastmcp' }
const AGENTS = {
  'langchain_agent.py': 'langchain-mcp-adapters',
  'openai_agent.py': 'fastmcp',
  'pydantic_agent.py': 'fastmcp',
}

/** Ends a program whose key is refused. Line 1 of `mcp` reads no body of a refusal: it has the sentence from the status line. */
const REFUSED = 'This key is not accepted: it is unknown, revoked or expired.'

const run = promisify(execFile)

/** Needs Python and PyPI: pending where they are missing, unless the run requires everything. */
describe('docs/recipes.md in Python', function () {
  this.timeout(600_000)
  const service = sharedService('embedded')
  const commands = new Map<string, string>()
  let folder: string
  let model: Awaited<ReturnType<typeof startScriptedModel>>

  before(async function () {
    folder = await mkdtemp(path.join(tmpdir(), 'cairn-recipes-'))
    model = await startScriptedModel(rememberOrRecall)
    for (const name of new Set([...Object.values(CLIENTS), ...Object.values(AGENTS)])) {
      const found = await run(process.execPath, [SCRIPT, name]).catch((error: unknown) => {
        if (process.env.CAIRN_TEST_SERVICES === 'require') throw error
        return null
      })
      if (found === null) return this.skip()
      commands.set(name, found.stdout.trim())
    }
  })
  after(async () => {
    model.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function newAgent() {
    const tenant = newTenant(service())
    const key = await service().mintKey({ tenantId: tenant.id, agentId: 'ana' })
    return { key, ana: service().client(key).of(tenant.id) }
  }
  async function print(name: string, tool: string, key: string, ...args: string[]): Promise<string> {
    const file = path.join(folder, name)
    await writeFile(file, programOf(name))
    const env = {
      PATH: commands.get(tool),
      PYTHONDONTWRITEBYTECODE: '1',
      CAIRN_URL: service().url,
      CAIRN_API_KEY: key,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'none',
      MODEL: 'scripted',
      OPENAI_AGENTS_DISABLE_TRACING: '1',
    }
    return (await run(path.join(commands.get(tool)!, 'python'), [file, ...args], { env })).stdout
  }
  async function failure(name: string, tool: string, ...args: string[]): Promise<string> {
    const refused = print(name, tool, 'cairn_wrong', ...args)
    return refused.then(
      (stdout) => expect.fail(`printed ${stdout}`),
      ({ stderr }: { stderr: string }) => stderr,
    )
  }

  for (const [name, tool] of Object.entries(CLIENTS))
    it(`lists the tools, writes and recalls with ${name}, and with another key not`, async () => {
      const { key, ana } = await newAgent()
      const [tools, written, ...recalled] = (await print(name, tool, key, FACT, QUESTION)).trim().split('\n')
      expect(tools).to.contain("'svc_memory'").and.to.contain("'svc_recall'")
      expect(written).to.contain(FACT)
      expect(recalled).to.deep.equal([FACT])
      expect((await ana.memories.listAll({})).map(({ content }) => content)).to.deep.equal([FACT])
      expect(await print(name, tool, key, FACT, QUESTION)).to.contain('CONFLICT')
      expect(await failure(name, tool, FACT, QUESTION)).to.contain(REFUSED)
    })

  for (const [name, tool] of Object.entries(AGENTS))
    it(`remembers across two sessions with ${name}, and with another key not`, async () => {
      const { key, ana } = await newAgent()
      expect(await print(name, tool, key, `Remember: ${FACT}`)).to.contain('The tool said: ')
      expect((await ana.memories.listAll({})).map(({ content }) => content)).to.deep.equal([FACT])
      expect(await print(name, tool, key, QUESTION)).to.contain(FACT)
      expect(await failure(name, tool, QUESTION)).to.contain(REFUSED)
    })

  it('has the versions that the page names', async () => {
    const script = await readFile(SCRIPT, 'utf8')
    const named = [...RECIPES.matchAll(/^pip install (.*)$/gm)].flatMap(([, names]) =>
      names!.replaceAll("'", '').split(' '),
    )
    expect(named).to.have.length.above(5)
    for (const one of named) expect(script).to.contain(`'${one}'`)
  })
})
