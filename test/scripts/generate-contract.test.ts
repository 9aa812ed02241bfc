import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const TYPES = ['contract/facts.gen.ts', 'client/contract.gen.ts', 'client/operations.gen.ts']

/** Runs on a copy of what it reads: the contract, its types, the files of the operations. */
describe('the check of the contract', function () {
  this.timeout(120_000)
  let copy: string
  beforeEach(async () => {
    copy = await mkdtemp(join(tmpdir(), 'cairn-contract-'))
    for (const path of [
      'openapi.yaml',
      'scripts/generate-contract.mjs',
      ...TYPES,
      'api',
      'domain/settings/settings.gen.ts',
    ])
      await cp(join(ROOT, path), join(copy, path), { recursive: true })
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir')
  })
  afterEach(() => rm(copy, { recursive: true, force: true }))

  function run(...args: string[]): Promise<{ failed: boolean; stderr: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, [join(copy, 'scripts/generate-contract.mjs'), ...args], (error, _, stderr) =>
        resolve({ failed: error !== null, stderr }),
      )
    })
  }
  async function edit(path: string, from: string, to: string): Promise<void> {
    const text = await readFile(join(copy, path), 'utf8')
    expect(text).to.contain(from)
    await writeFile(join(copy, path), text.replace(from, to))
  }

  it('fails while the types differ from the contract, until they are generated', async () => {
    await edit('openapi.yaml', 'No key is needed and no limiter', 'No key is asked for and no limiter')
    await edit('openapi.yaml', 'How much it counts in recall', 'How heavily it counts in recall')
    const stale = (path: string) => `${path} is stale: run \`npm run generate\`\n`
    expect(await run('--check')).to.deep.equal({ failed: true, stderr: TYPES.map(stale).join('') })
    expect(await run()).to.deep.equal({ failed: false, stderr: '' })
    expect(await run('--check')).to.deep.equal({ failed: false, stderr: '' })
    await edit('contract/facts.gen.ts', "getReady: { security: 'public'", "getReady: { security: 'apiKey'")
    expect(await run('--check')).to.deep.equal({ failed: true, stderr: stale(TYPES[0]!) })
  })

  it('fails while the defaults of the settings differ from the contract’s, and for a setting without one', async () => {
    await edit('openapi.yaml', 'maximum: 10000, default: 50', 'maximum: 10000, default: 51')
    const stale = 'domain/settings/settings.gen.ts is stale: run `npm run generate`\n'
    expect((await run('--check')).stderr).to.contain(stale)
    await edit('openapi.yaml', 'maximum: 10000, default: 51', 'maximum: 10000')
    expect((await run()).stderr).to.contain('Settings.skills_factory.inbox_max_pending has no default')
    await edit('openapi.yaml', '            - inbox_max_pending\n', '')
    expect((await run()).stderr).to.contain('Settings.skills_factory.inbox_max_pending is not required')
  })

  it('fails for an operation without a file of its name', async () => {
    await rm(join(copy, 'api/probes/getReady.ts'))
    expect(await run('--check')).to.deep.equal({ failed: true, stderr: 'no folder of api/ has a file getReady.ts\n' })
  })

  it('fails for an operation that does not name its limiter, or does not declare the quota', async () => {
    await edit('openapi.yaml', 'x-rate-limit: none', 'x-rate-limit: some')
    await edit('openapi.yaml', 'x-rate-limit: recalls', 'x-rate-limit: exempt')
    await edit('openapi.yaml', 'operationId: listMemories', 'operationId: listMemories\n      x-rate-limit: bulk')
    await edit(
      'openapi.yaml',
      'or a cursor of other filters, is 400.\n      x-rate-limit: none',
      'or a cursor of other filters, is 400.',
    )
    const { failed, stderr } = await run('--check')
    expect(failed).to.equal(true)
    expect(stderr).to.contain('getRoot: x-rate-limit is one of writes, recalls, bulk, inbox, none, exempt')
    expect(stderr).to.match(/^.*\b\w+: x-rate-limit exempt does not agree with its 429/m)
    expect(stderr).to.contain('listMemories 200: no X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset')
    expect(stderr).not.to.contain('listMemories 401')
  })

  it('fails for an operation without a description, and for one that omits a status of the service', async () => {
    await edit(
      'openapi.yaml',
      '      description: Counts all tenants together. The counts are at most one second old.\n',
      '',
    )
    await edit('openapi.yaml', "        '431': { $ref: '#/components/responses/HeadersTooLarge' }\n", '')
    await edit(
      'openapi.yaml',
      "        '503': { $ref: '#/components/responses/Unavailable' }\n        '504'",
      "        '504'",
    )
    await edit('openapi.yaml', "        '415': { $ref: '#/components/responses/UnsupportedMediaType' }\n", '')
    const { failed, stderr } = await run('--check')
    expect(failed).to.equal(true)
    expect(stderr).to.contain('(operation-description)')
    expect(stderr).to.contain('getRoot: does not declare 431')
    expect(stderr).to.contain('createMemory: does not declare 415')
  })

  it('fails for an invalid document', async () => {
    await edit('openapi.yaml', 'operationId: whoami', 'operationId: whoami\n      security: [{ nobodysKey: [] }]')
    const { failed, stderr } = await run('--check')
    expect(failed).to.equal(true)
    expect(stderr).to.contain('(security-defined)')
  })
})
