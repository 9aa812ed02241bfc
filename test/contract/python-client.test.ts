import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openapiDocument } from '../../contract/openapi-document.js'
import { sharedService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DOCUMENT = readFileSync(join(ROOT, 'docs/python.md'), 'utf8')
const METHODS = ['get', 'put', 'post', 'delete', 'patch']

const run = promisify(execFile)

/** Returns the code block of a language in the document. */
function blockOf(language: string): string {
  return new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(DOCUMENT)![1]!
}

/** Needs Python and PyPI: pending where they are missing, unless the run requires everything. */
describe('docs/python.md', function () {
  this.timeout(240_000)
  const service = sharedService('embedded')
  let [folder, path] = ['', '']

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'cairn-python-'))
    const installed = run(process.execPath, [join(ROOT, 'scripts/python-tools.mjs'), 'openapi-python-client'])
    const found = await installed.catch((error: unknown) => {
      if (process.env.CAIRN_TEST_SERVICES === 'require') throw error
      return null
    })
    if (found === null) return this.skip()
    path = `${found.stdout.trim()}${delimiter}${process.env.PATH}`
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('generates a function for each operation, without a warning', async () => {
    await copyFile(join(ROOT, 'openapi.yaml'), join(folder, 'openapi.yaml'))
    const [venv, pip, ...generate] = blockOf('sh').trim().split('\n')
    expect(venv).to.match(/^python3 -m venv /)
    // The version that is installed is in the path of its folder.
    expect(path).to.contain(`/${pip!.replace('pip install ', '').replace('==', '-')}/`)
    const { stdout, stderr } = await run('sh', ['-ec', generate.join('\n')], { cwd: folder, env: { PATH: path } })
    expect(`${stdout}${stderr}`.trim()).to.match(/^Generating \S+$/)
    const operations = Object.values(openapiDocument().paths).flatMap((item) =>
      METHODS.filter((method) => Object.hasOwn(item as object, method)),
    )
    const api = readdirSync(join(folder, 'cairn_client/api'), { recursive: true }) as string[]
    expect(api.filter((file) => file.endsWith('.py') && !file.endsWith('__init__.py'))).to.have.length(
      operations.length,
    )
  })

  it('writes, recalls, reads keystones and is refused another tenant, and prints what the page says', async () => {
    const tenant = newTenant(service())
    const operator = await tenant.caller({ trust: 3 })
    await operator.keystones.set({ doc_id: 'ask', title: 'Ask first', content: 'Ask before you delete anything.' }).ok()
    const key = await service().mintKey({ tenantId: tenant.id, agentId: 'ana' })
    await writeFile(join(folder, 'quick_start.py'), blockOf('python').replace('"default"', JSON.stringify(tenant.id)))
    const env = { PATH: path, CAIRN_URL: service().url, CAIRN_API_KEY: key }
    const { stdout } = await run('python', ['quick_start.py'], { cwd: folder, env })
    expect(stdout).to.equal(blockOf('text'))
  })
})
