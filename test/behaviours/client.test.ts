import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as clients from '../../client/index.js'
import { describeOnEmbedded, describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const { createClient } = clients

/** Tests the client on a service that is one. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)

  async function newClient(options: { agentId?: string; trust?: 0 | 1 } = {}) {
    const tenantId = newTenant(service()).id
    const apiKey = await service().mintKey({ tenantId, agentId: 'ana', fleetId: 'red', ...options })
    return { tenantId, cairn: createClient({ url: service().url, apiKey }) }
  }

  it('writes, recalls, changes and deletes in the tenant of its key', async () => {
    const { cairn, tenantId } = await newClient()
    const stored = await cairn.createMemory({ content: 'The heron nests at pier nine.' })
    expect(stored.tenant_id).to.equal(tenantId)
    const { memories } = await cairn.recall({ query: 'where does the heron nest?' })
    expect(memories.map(({ id }) => id)).to.deep.equal([stored.id])
    const title = 'Heron'
    const { headers, body } = await cairn.request('patchMemory', { memory_id: stored.id, title })
    expect(body.title).to.equal(title)
    await cairn.patchMemory({ memory_id: stored.id, title: 'H' }, { ifMatch: headers.get('etag')! })
    const old = cairn.patchMemory({ memory_id: stored.id, title }, { ifMatch: headers.get('etag')! })
    await rejects(old, clients.ConflictError)
    expect(await cairn.deleteMemory({ memory_id: stored.id })).to.equal(undefined)
    await rejects(cairn.getMemory({ memory_id: stored.id }), clients.NotFoundError)
  })

  it('makes one write of two with the same idempotency key, and is refused the same content without it', async () => {
    const { cairn } = await newClient()
    const write = (idempotencyKey?: string) => cairn.createMemory({ content: 'The same.' }, { idempotencyKey })
    expect((await write('k')).id).to.equal((await write('k')).id)
    await rejects(write(), clients.ConflictError)
    await rejects(cairn.createMemory({ content: '' }), clients.InvalidArgumentsError)
  })

  it('walks all pages, keeps slashes in ids, and reads bare lists and envelopes', async () => {
    const { cairn } = await newClient({ agentId: 'ana' })
    for (const doc_id of ['a', 'b/c', 'b/d']) await cairn.putDocument({ collection: 'notes', doc_id, data: { doc_id } })
    const seen: string[] = []
    for await (const { doc_id } of cairn.listDocuments({ collection: 'notes', limit: 1 })) seen.push(doc_id)
    expect(seen.sort()).to.deep.equal(['a', 'b/c', 'b/d'])
    expect((await cairn.getDocument({ collection: 'notes', doc_id: 'b/c' })).data).to.deep.equal({ doc_id: 'b/c' })
    expect(await cairn.listKeystones()).to.deep.equal([])
    expect(await cairn.listKeystones({ envelope: true })).to.deep.equal({ count: 0, items: [] })
  })

  it('throws what a key may not do, and acts with the admin credential for the tenant that is given', async () => {
    const { cairn, tenantId } = await newClient({ trust: 0 })
    await rejects(cairn.createMemory({ content: 'x' }), clients.ForbiddenError)
    await rejects(cairn.listTenants(), clients.ForbiddenError)
    const unknown = createClient({ url: service().url, apiKey: 'cairn_unknown' })
    await rejects(unknown.recall({ query: 'x' }), clients.UnauthorizedError)
    const admin = createClient({ url: service().url, apiKey: service().adminKey, tenantId })
    expect((await admin.createMemory({ content: 'By the operator.' })).tenant_id).to.equal(tenantId)
    expect((await admin.listTenants({ tenant_id: tenantId })).items).to.have.length(1)
  })
})

async function rejects(promise: Promise<unknown>, type: new (...given: never[]) => Error): Promise<void> {
  const error: unknown = await promise.catch((reason: unknown) => reason)
  expect(error).to.be.instanceOf(type)
}

describeOnEmbedded(() => {
  const service = sharedService('embedded')
  let folder: string
  let packed: readonly string[]
  before(async function () {
    this.timeout(120_000)
    folder = await mkdtemp(join(tmpdir(), 'cairn-client-'))
    const npm = { cwd: join(ROOT, 'client'), env: { ...process.env, npm_config_ignore_scripts: 'false' } }
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], npm)
    packed = (JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ files: { path: string }[] }])[0].files.map(
      ({ path }) => path,
    )
    const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))!
    await mkdir(join(folder, 'empty'))
    const install = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', join(folder, tarball)]
    await run('npm', install, { cwd: join(folder, 'empty') })
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('is packed with its code, its types, its README and the licence, and nothing else', async () => {
    const sources = (await readdir(join(ROOT, 'client'))).filter((name) => name.endsWith('.ts'))
    const built = sources.flatMap((name) => [`dist/${name.slice(0, -3)}.js`, `dist/${name.slice(0, -3)}.d.ts`])
    expect([...packed].sort()).to.deep.equal(['LICENSE', 'README.md', 'package.json', ...built].sort())
    const licences = await Promise.all(['LICENSE', 'client/LICENSE'].map((path) => readFile(join(ROOT, path), 'utf8')))
    expect(licences[0]).to.equal(licences[1])
  })

  it('compiles and runs the code of its README from an empty folder', async function () {
    this.timeout(120_000)
    const readme = await readFile(join(folder, 'empty/node_modules/@cairn/client/README.md'), 'utf8')
    const blocks = [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code)
    expect(blocks).to.have.length.greaterThan(4)
    await writeFile(join(folder, 'empty/readme.mts'), blocks.join('\n'))
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types')]
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, ...options, ...types, 'readme.mts'], { cwd: join(folder, 'empty') })
    const CAIRN_API_KEY = await service().mintKey({ tenantId: newTenant(service()).id, agentId: 'ana' })
    const env = { PATH: process.env.PATH, CAIRN_URL: service().url, CAIRN_API_KEY }
    const { stdout } = await run(process.execPath, ['readme.mjs'], { cwd: join(folder, 'empty'), env })
    expect(stdout).to.contain('The nightly backup of billing takes forty minutes.\n1 null\n')
    expect(stdout).to.match(/it is known already as [0-9a-f-]{36}\n/)
    expect(stdout).to.match(/nothing has changed\n$/)
  })
})
