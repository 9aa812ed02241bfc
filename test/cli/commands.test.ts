import { expect } from 'chai'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { settled } from '../support/indexed.js'
import { removeEntry } from '../support/planted-damage.js'
import { runCairn } from '../support/processes.js'
import { startService, type TestService } from '../support/service.js'
import { until } from '../support/states.js'

describe('the command line against a running service', function () {
  this.timeout(120_000)
  let service: TestService
  let agentKey: string
  let directory: string
  before(async () => {
    service = await startService()
    agentKey = await service.mintKey({ tenantId: 't', agentId: 'a' })
    directory = await mkdtemp(path.join(os.tmpdir(), 'cairn-cli-'))
  })
  after(async () => {
    await service.stop()
    await rm(directory, { recursive: true, force: true })
  })

  const cairn = (key: string, ...args: string[]) =>
    runCairn(args, { cwd: directory, env: { CAIRN_URL: service.url, CAIRN_API_KEY: key } })
  async function fileOf(name: string, lines: readonly string[]): Promise<string> {
    const file = path.join(directory, name)
    await writeFile(file, lines.join('\n'))
    return file
  }
  const lineOf = (content: string) => JSON.stringify({ content })
  const count = async () => (await service.client(agentKey).memories.stats()).body.total

  it('creates a key that works, lists it without its text, and revokes it', async () => {
    const made = await cairn(service.adminKey, 'keys', 'create', '--tenant', 't', '--agent', 'b', '--trust', '2')
    expect(made.code).to.equal(0)
    const key = made.stdout.trim()
    expect((await service.client(key).agents.whoami()).body).to.include({ agent_id: 'b', trust_level: 2 })
    const keyId = key.split('_')[1]!
    const listed = await cairn(service.adminKey, 'keys', 'list', '--tenant', 't')
    expect(listed.stdout).to.contain(keyId).and.not.to.contain(key)
    expect((await cairn(service.adminKey, 'keys', 'revoke', keyId)).code).to.equal(0)
    expect((await service.client(key).agents.whoami()).status).to.equal(401)
  })

  it('refuses an option that a command does not have, even where cairn itself has it', async () => {
    const { code, stdout, stderr } = await cairn(agentKey, 'skills', 'approve', 'x', '--version', '1')
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' })
    expect(stderr).to.contain("unknown option '--version'")
    expect((await cairn(agentKey, '--version')).stdout).to.match(/^\d+\.\d+\.\d+/)
  })

  it('reads and changes a tenant’s settings, and rejects an unknown one', async () => {
    const operator = await service.mintKey({ tenantId: 't', trust: 3 })
    const settings = async (...args: string[]) => {
      const { code, stdout, stderr } = await cairn(operator, 'settings', ...args)
      return code === 0 ? (JSON.parse(stdout) as unknown) : `${code} ${stderr}`
    }
    expect(await settings('set', 'memory.pii_policy', 'mask')).to.equal('mask')
    expect(await settings('set', 'skills_factory.enabled', 'true')).to.equal(true)
    expect(await settings('set', 'memory.single_valued_predicates', '["seat"]')).to.deep.equal(['seat'])
    expect(await settings('get')).to.deep.equal((await service.client(operator).settings.get()).body)
    expect(await settings('set', 'memory.pii_policy', 'null')).to.equal('flag')
    expect(await settings('get', 'memory.pii')).to.match(/^1 cairn: Unknown setting memory.pii; /)
    expect(await settings('set', 'memory.pii', '1')).to.match(/^1 cairn: memory.pii: /)
    const admin = (...args: string[]) => cairn(service.adminKey, 'settings', 'get', 'memory.pii_policy', ...args)
    expect((await admin('--tenant', 't')).stdout).to.equal('"flag"\n')
    expect((await admin()).stdout).to.equal('"flag"\n')
    const change = ['settings', 'set', 'memory.pii_policy', 'mask']
    expect((await cairn(service.adminKey, ...change, '--tenant', 't')).stdout).to.equal('"mask"\n')
    expect(await settings('set', 'memory.pii_policy', 'null')).to.equal('flag')
    expect((await cairn(agentKey, 'settings', 'get')).stderr).to.match(/^cairn: FORBIDDEN: /)
  })

  it('shows the progress of enrichment, and that there is no language model', async () => {
    const status = await cairn(service.adminKey, 'enrich', '--status')
    expect([status.code, status.stdout.split('\n')[0]]).to.deep.equal([
      0,
      'No language model: 0 memories wait to be read.',
    ])
    const refused = await cairn(service.adminKey, 'enrich', '--tenant', 't')
    expect([refused.code, refused.stdout]).to.deep.equal([1, ''])
    expect(refused.stderr).to.match(/^cairn: CONFLICT: .*LLM_URL/)
  })

  it('prints why the service refuses, with exit code 1', async () => {
    const refused = await cairn(agentKey, 'keys', 'list')
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.match(/^cairn: FORBIDDEN: /)
    expect(refused.stderr).not.to.contain(agentKey)
    const unknown = await cairn(service.adminKey, 'keys', 'revoke', 'nobody')
    expect([unknown.code, unknown.stderr]).to.deep.equal([1, 'cairn: NOT_FOUND: Key not found.\n'])
  })

  it('uses the admin key for admin routes, also with an agent’s key in CAIRN_API_KEY', async () => {
    const env = { CAIRN_URL: service.url, CAIRN_API_KEY: agentKey, ADMIN_API_KEY: service.adminKey }
    expect((await runCairn(['keys', 'list'], { cwd: directory, env })).code).to.equal(0)
    const { stdout } = await runCairn(['keys', 'create', '--tenant', 'u', '--agent', 'c'], { cwd: directory, env })
    const other = { ...env, CAIRN_API_KEY: stdout.trim() }
    await service.client(stdout.trim()).memories.create({ tenant_id: 'u', content: 'A puffin.' })
    expect((await runCairn(['recall', 'puffin'], { cwd: directory, env: other })).stdout).to.contain('A puffin.')
    expect((await runCairn(['recall', 'puffin'], { cwd: directory, env })).stdout).to.not.contain('A puffin.')
    expect((await runCairn(['keys', 'list', '--key', agentKey], { cwd: directory, env })).code).to.equal(1)
  })

  it('imports once, however often it is repeated, and prints recalled memories as a table', async () => {
    const lines = Array.from({ length: 1_201 }, (_, i) =>
      JSON.stringify({ content: `Imported fact number ${i}.`, run_id: 'r' }),
    )
    const file = await fileOf('facts.jsonl', [...lines, '', ''])
    const first = await cairn(agentKey, 'import', file)
    expect([first.code, first.stdout]).to.deep.equal([
      0,
      '1201 memories written, 0 existed already, 0 lines refused.\n',
    ])
    const again = await cairn(agentKey, 'import', file)
    expect([again.code, again.stdout]).to.deep.equal([
      0,
      '0 memories written, 1201 existed already, 0 lines refused.\n',
    ])
    const longer = await fileOf('longer.jsonl', [...lines, JSON.stringify({ content: 'One fact more.' })])
    expect((await cairn(agentKey, 'import', longer)).stdout).to.match(/^1 memory written, 1201 existed already/)
    expect(await count()).to.equal(1_202)

    const recalled = await cairn(agentKey, 'recall', 'fact number 777', '--top-k', '3')
    expect(recalled.code).to.equal(0)
    expect(recalled.stdout).to.contain('Imported fact number 777.')
    expect(recalled.stdout).to.match(/score.*created.*memory/)
    expect(recalled.stdout).to.match(/3 memories in \d+ ms/)
    const json = await cairn(agentKey, 'recall', 'fact number 777', '--json', '--top-k', '1')
    expect(JSON.parse(json.stdout).memories).to.have.length(1)
  })

  it('sets, lists and deletes rules of the tenant, a fleet and an agent', async () => {
    const key = await service.mintKey({ tenantId: 'ruled', trust: 2 })
    await service.mintKey({ tenantId: 'ruled', agentId: 'ana' })
    const file = await fileOf('rule.txt', ['Never push', 'on Friday.'])
    const rules = (...args: string[]) => cairn(key, 'keystones', ...args)
    const set = await rules('set', 'fridays', '--title', 'Fridays', '--file', file, '--weight', 'high')
    expect([set.code, set.stdout]).to.deep.equal([0, 'Rule fridays is set, version 1.\n'])
    const own = ['--title', 'Tone', '--content', 'Be kind.\u001b[2J', '--agent', 'ana', '--as', 'ana']
    expect((await rules('set', 'tone', ...own)).code).to.equal(0)
    expect((await rules('list')).stdout)
      .to.contain('fridays')
      .and.contain('1 rule\n')
      .and.not.contain('tone')
    const redOnly = ['--title', 'Red', '--content', 'Wear red.', '--fleet', 'red']
    expect((await rules('set', 'red-only', ...redOnly)).code).to.equal(0)
    expect((await rules('list', '--fleet', 'red')).stdout)
      .to.contain('red-only')
      .and.contain('2 rules')
    expect((await rules('list', '--fleet', 'blue')).stdout).to.contain('1 rule\n')
    const listed = await rules('list', '--agent', 'ana')
    expect(listed.stdout).to.contain('2 rules').and.contain('Be kind.').and.not.contain('\u001b[2J')
    const json = JSON.parse((await rules('list', '--as', 'ana', '--json')).stdout) as Record<string, unknown>[]
    expect(
      json.map((rule) => [rule.doc_id, rule.scope, rule.weight, rule.content, rule.author_agent_id]),
    ).to.deep.equal([
      ['fridays', 'tenant', 'high', 'Never push\non Friday.', null],
      ['tone', 'agent', 'med', 'Be kind.\u001b[2J', 'ana'],
    ])
    expect((await rules('delete', 'fridays', '--as', 'ana')).stderr).to.match(/^cairn: FORBIDDEN: /)
    const deleted = await rules('delete', 'fridays')
    expect([deleted.code, deleted.stdout]).to.deep.equal([0, 'Rule fridays is deleted.\n'])
    expect((await rules('delete', 'fridays')).stderr).to.match(/^cairn: NOT_FOUND: /)
  })

  it('reports what a rule lacks before it calls the service', async () => {
    const rules = (...args: string[]) => cairn(agentKey, 'keystones', 'set', 'x', '--title', 'T', ...args)
    for (const [args, says] of [
      [[], /--content or --file/],
      [['--content', 'C', '--file', 'f'], /--content or --file/],
      [['--file', 'nowhere'], /nowhere cannot be read \(ENOENT\)/],
      [['--content', 'C', '--fleet', 'f', '--agent', 'a'], /--fleet or --agent/],
    ] as const) {
      const { code, stderr } = await rules(...args)
      expect([code, says.test(stderr)], stderr).to.deep.equal([1, true])
    }
    expect((await rules('--content', 'C', '--weight', 'heavy')).code).to.equal(2)
  })

  it('reports bad lines with their numbers, imports the others and ends with 1', async () => {
    const before = await count()
    const file = await fileOf('bad.jsonl', [
      JSON.stringify({ content: 'A good line.' }),
      '{not json',
      '"text"',
      JSON.stringify({ content: '' }),
      JSON.stringify({ content: 'x', agent_id: 'b' }),
      JSON.stringify({ content: 'x', wieght: 1 }),
      '',
      JSON.stringify({ content: 'Another good line.' }),
    ])
    const { code, stdout, stderr } = await cairn(agentKey, 'import', file)
    expect(code).to.equal(1)
    expect(stdout).to.equal('2 memories written, 0 existed already, 5 lines refused.\n')
    expect(stderr.split('\n').map((line) => /^line (\d+): ./.exec(line)?.[1])).to.include.members([
      '2',
      '3',
      '4',
      '5',
      '6',
    ])
    expect(stderr).to.contain('line 6: wieght: There is no such field.\n')
    expect(await count()).to.equal(before + 2)
  })

  it('archives what nobody uses, once it has said what that is', async () => {
    const key = await service.mintKey({ tenantId: 'idle', trust: 3 })
    for (const content of ['The mast is oiled.', 'The hull is blue.'])
      await service.client(key).memories.create({ tenant_id: 'idle', content })
    const archive = ['memories', 'archive', '--unused-since', '2999-01-01T00:00:00Z']
    const said = await cairn(key, ...archive)
    expect(said.stdout).to.contain('The mast is oiled.').and.contain('2 memories meet the rule (2 fact).')
    expect(said.stdout).to.contain('With --yes they are archived.')
    expect((await cairn(key, 'memories', 'list')).stdout).to.contain('2 memories')
    const narrowed = await cairn(key, ...archive, '--max-weight', '0.1')
    expect(narrowed.stdout).to.equal('0 memories meet the rule.\n')
    const done = await cairn(key, ...archive, '--yes')
    expect([done.code, done.stdout.includes('2 memories archived.')]).to.deep.equal([0, true])
    expect((await cairn(key, 'memories', 'list', '--status', 'archived')).stdout).to.contain('2 memories')
    expect((await cairn(agentKey, ...archive)).code).to.equal(1)
    expect((await cairn(key, 'memories', 'archive')).code).to.equal(2)
  })

  it('lists and restores what a memory was before', async () => {
    const key = await service.mintKey({ tenantId: 'former', agentId: 'ana' })
    const { memories } = service.client(key).of('former')
    const { id } = await memories.create('The port is 6432.').ok()
    await memories.patch(id, { content: 'The port is 6433.' }).ok()
    const listed = await cairn(key, 'memories', 'versions', id)
    expect(listed.stdout).to.contain('6432').and.contain('6433').and.contain('2 versions')
    const restored = await cairn(key, 'memories', 'restore', id, '1')
    expect(restored.stdout).to.equal(`Memory ${id} is as in version 1. Its version is 3 now.\n`)
    expect((await cairn(key, 'memories', 'get', id)).stdout).to.contain('The port is 6432.')
    expect((await cairn(key, 'memories', 'restore', id, '9')).code).to.equal(1)
  })

  it('lists entities, says which may be one thing, merges and splits them', async () => {
    const ops = await service.mintKey({ tenantId: 'merging', trust: 2 })
    const ana = service.client(await service.mintKey({ tenantId: 'merging', agentId: 'ana' })).of('merging')
    const about = async (content: string, name: string) =>
      (await ana.memories.create({ content, entity_links: [{ name }] }).ok()).entity_links[0]!.entity_id
    const printed = async (...args: string[]) => (await cairn(ops, ...args)).stdout
    const long = await about('Kubernetes (K8s) is updated on Mondays.', 'Kubernetes')
    const short = await about('Two schedulers run.', 'K8s')
    expect(await printed('entities', 'list', '--query', 'k8s')).to.match(/K8s[^]*\n1 entity\n$/)
    expect(await printed('entities', 'proposals', long)).to.match(/K8s[^]*brackets: [^]*\n1 proposal\n$/)
    expect(await printed('entities', 'merge', short, long)).to.equal('K8s is one thing with Kubernetes.\n')
    expect(await printed('entities', 'list')).to.match(/K8s[^]*Kubernetes/)
    expect(await printed('entities', 'split', short)).to.equal('K8s is a thing of its own.\n')
    const refused = await cairn(ops, 'entities', 'split', short)
    expect([refused.code, refused.stderr]).to.deep.equal([
      1,
      'cairn: CONFLICT: The entity is merged into no other one.\n',
    ])
    const weak = await service.mintKey({ tenantId: 'merging', agentId: 'ben' })
    expect((await cairn(weak, 'entities', 'merge', short, long)).code).to.equal(1)
  })

  it('prints how sure a recall is, and nothing below the confidence that is asked for', async () => {
    const key = await service.mintKey({ tenantId: 'sure', agentId: 'ana' })
    await service.client(key).of('sure').memories.create('The staging database listens on port 6432.').ok()
    const known = await cairn(key, 'recall', 'which port does the staging database listen on?', '--answer-if', 'high')
    expect(known.stdout)
      .to.contain('6432')
      .and.match(/confidence high \(0\.\d\d\)/)
    const unknown = await cairn(key, 'recall', 'which port does the fax gateway listen on?', '--answer-if', 'high')
    expect(unknown.stdout).to.match(/^0 memories in \d+ ms; confidence low .*; no memory here has fax, gateway\n$/)
    expect((await cairn(key, 'recall', 'port', '--answer-if', 'maybe')).code).to.equal(2)
  })

  it('prints no memory that would control the terminal', async () => {
    const { body } = await service
      .client(agentKey)
      .memories.create({ tenant_id: 't', content: 'zebra \u001b[2J\u0007 \u202ecrossing' })
    const { stdout } = await cairn(agentKey, 'recall', 'zebra crossing', '--top-k', '1')
    expect(body.content).to.contain('\u001b')
    expect(stdout)
      .to.contain('zebra')
      .and.not.to.match(/\u001b\[2J|\u0007|\u202e/u)
  })

  it('enqueues rows again', async () => {
    const { code, stdout } = await cairn(service.adminKey, 'reindex', '--tenant', 't')
    expect([code, stdout]).to.deep.equal([
      0,
      `${await count()} rows are enqueued; the workers index them in the background.\n`,
    ])
    const retried = await cairn(service.adminKey, 'index', 'retry')
    expect([retried.code, retried.stdout]).to.deep.equal([0, '0 failed rows are enqueued again.\n'])
    expect((await cairn(agentKey, 'reindex')).code).to.equal(1)
  })

  it('verifies the index, and says by its exit code what came of it', async () => {
    const { id } = await service.client(agentKey).of('t').memories.create('A crane for the verification.').ok()
    await settled(service, 't')
    const verify = (...args: string[]) => cairn(service.adminKey, 'verify', '--tenant', 't', ...args)
    const whole = await verify()
    expect(whole.code, whole.stdout + whole.stderr).to.equal(0)
    expect(whole.stdout).to.match(/memories +│ \d+ +│ \d+ +│ 0 +│ 0 +│ 0 +│ 0 /)
    await removeEntry(service, { tenantId: 't', corpus: 'memories', id })
    const damaged = await verify('--repair')
    expect(damaged.code, damaged.stdout + damaged.stderr).to.equal(1)
    expect(damaged.stdout)
      .to.contain(`missing t memories ${id}\n1 differences are enqueued;`)
      .and.not.to.contain('crane')
    await settled(service, 't')
    const repaired = await verify('--json', '--sample', '1000', '--seed', '7')
    expect(repaired.code).to.equal(0)
    expect(JSON.parse(repaired.stdout)).to.include({ consistent: true, enqueued: 0 })
    expect((await verify('--sample', '0')).code).to.equal(2)
    expect((await cairn(agentKey, 'verify')).code).to.equal(2)
    expect((await verify('--url', 'http://127.0.0.1:1')).code).to.equal(2)
  })

  it('does not restore what was deleted after its import', async () => {
    const file = await fileOf('deleted.jsonl', ['Kept afterwards.', 'Deleted afterwards.'].map(lineOf))
    expect((await cairn(agentKey, 'import', file)).stdout).to.match(/^2 memories written/)
    const before = await count()
    const client = service.client(agentKey)
    const { body } = await client.memories.list({ limit: 2 })
    const gone = body.items.find(({ content }) => content === 'Deleted afterwards.')!
    expect((await client.memories.delete(gone.id)).status).to.equal(204)
    expect((await cairn(agentKey, 'import', file)).stdout).to.match(/^0 memories written, 2 existed already/)
    expect(await count()).to.equal(before - 1)
    const others = await fileOf('others.jsonl', ['Another file.', 'Deleted afterwards.'].map(lineOf))
    expect((await cairn(agentKey, 'import', others)).stdout).to.match(/^2 memories written/)
  })

  it('rebuilds the index online, switches to it, switches back and drops it', async () => {
    const admin = (...args: string[]) => cairn(service.adminKey, ...args)
    const first = service.context.index
    const built = await admin('reindex', '--online')
    expect(`${built.code},${built.stdout}`).to.match(/^0,The new index serves/)
    expect(built.stderr).to.contain('serving: ')
    expect((await admin('index', 'status')).stdout).to.match(/serving.*static-multi-480[^]*kept/)
    expect((await admin('index', 'back')).code).to.equal(0)
    expect((await service.context.index.describe()).name).to.equal((await first.describe()).name)
    expect((await admin('embed', 'drop')).code).to.equal(0)
    expect((await admin('index', 'drop')).stderr).to.equal(
      'cairn: there is no index beside the serving one; see `cairn index status`.\n',
    )
    const none = await admin('embed', 'back')
    expect([none.code, none.stderr]).to.deep.equal([1, 'cairn: no index is kept; see `cairn index status`.\n'])
    const held = await admin('embed', 'migrate', '--to', 'builtin', '--hold')
    expect(`${held.code},${held.stdout}`).to.match(/^0,The new index is ready/)
    expect((await admin('embed', 'switch')).stdout).to.match(
      / serves, with vectors of static-multi-480; the other is kept/,
    )
  })

  it('refuses an unavailable model, another tenant’s key and a rebuild of one tenant', async () => {
    const refused = await cairn(service.adminKey, 'embed', 'migrate', '--to', 'nowhere')
    expect(`${refused.code},${refused.stderr}`).to.match(/^1,cairn: --to: EMBEDDINGS_URL: /)
    expect((await cairn(agentKey, 'reindex', '--online')).stderr).to.match(/^cairn: FORBIDDEN: /)
    expect((await cairn(service.adminKey, 'reindex', '--online', '--tenant', 't')).code).to.equal(2)
    expect((await cairn(service.adminKey, 'embed', 'migrate')).code).to.equal(2)
  })

  it('shows what happened over time, and how recalls went', async () => {
    const client = service.client(await service.mintKey({ tenantId: 't', agentId: 'timed' }))
    await client.memories.create({ tenant_id: 't', content: 'A fox.' }).ok()
    const { recall_id: id } = await client.memories.recall('fox', { tenant_id: 't', filter_agent_id: 'timed' }).ok()
    await until('the recall is recorded', async () => (await client.recalls.get(id)).status === 200)
    const key = await service.mintKey({ tenantId: 't', trust: 3 })
    const ofAgent = (...args: string[]) => cairn(key, ...args, '--agent', 'timed')
    const timeline = (await ofAgent('timeline', '--by', 'agent', '--timezone', 'Asia/Tokyo')).stdout
    expect(timeline).to.match(/│ day +│ agent │ created │.*\n[^]*│ timed │ 1 +│/)
    expect(timeline).to.contain('1 created, 0 superseded, 0 deleted, 1 recalled')
    expect((await ofAgent('recalls')).stdout)
      .to.match(/│ timed +│ 1 +│/)
      .and.to.contain('1 recall (')
    expect((await ofAgent('memories', 'list', '--recalled', 'never')).stdout).to.match(/^0 memories/)
    expect((await cairn(key, 'timeline', '--interval', 'year')).code).to.equal(2)
  })

  it('prints what to do when no service answers, no key is known or a file does not exist', async () => {
    const away = await runCairn(['recall', 'x'], {
      cwd: directory,
      env: { CAIRN_URL: 'http://127.0.0.1:1', CAIRN_API_KEY: agentKey },
    })
    expect(away.code).to.equal(1)
    expect(away.stderr).to.match(/no service answers at http:\/\/127.0.0.1:1 .*CAIRN_URL/)
    const keyless = await runCairn(['recall', 'x'], { cwd: directory, env: { CAIRN_URL: service.url } })
    expect(keyless.code).to.equal(1)
    expect(keyless.stderr).to.match(/--key.*CAIRN_API_KEY.*DATA_DIR/)
    const missing = await cairn(agentKey, 'import', 'nowhere.jsonl')
    expect([missing.code, missing.stderr]).to.deep.equal([1, 'cairn: nowhere.jsonl cannot be read (ENOENT).\n'])
  })

  it('refuses unknown commands and options with 2', async () => {
    const unknown = await runCairn(['recal', 'x'])
    expect(unknown).to.include({ code: 2, stdout: '' })
    expect(unknown.stderr.split('\n')).to.have.length(4)
    expect(unknown.stderr).to.match(/^cairn: unknown command 'recal'\n\(Did you mean recall\?\)\n`cairn --help` /)
    expect((await runCairn(['recall'])).code).to.equal(2)
    expect((await runCairn(['keys', 'create', '--tenant', 't', '--trust', 'much'])).code).to.equal(2)
    const help = await runCairn(['--help'])
    expect(help.code).to.equal(0)
    for (const command of [
      'serve',
      'api',
      'worker',
      'migrate',
      'doctor',
      'keys',
      'import',
      'recall',
      'settings',
      'reindex',
      'index',
      'embed',
    ])
      expect(help.stdout).to.contain(`  ${command} `)
  })
})
