import { expect } from 'chai'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { runCairn } from '../support/processes.js'
import { startService, type TestService } from '../support/service.js'

describe('the command line', function () {
  this.timeout(180_000)
  let service: TestService
  let directory: string
  before(async () => {
    service = await startService()
    directory = await mkdtemp(path.join(os.tmpdir(), 'cairn-cli-'))
  })
  after(async () => {
    await service.stop()
    await rm(directory, { recursive: true, force: true })
  })
  const cairn = (key: string, ...args: string[]) =>
    runCairn(args, { cwd: directory, env: { CAIRN_URL: service.url, CAIRN_API_KEY: key } })
  async function printed(key: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await cairn(key, ...args)
    expect(code, stderr).to.equal(0)
    return stdout
  }
  const json = async <Answer>(key: string, ...args: string[]) =>
    JSON.parse(await printed(key, ...args, '--json')) as Answer
  interface Memory {
    readonly id: string
    readonly content: string
    readonly fleet_id: string | null
  }

  it('remembers, recalls, lists, reads and counts', async () => {
    const key = await service.mintKey({ tenantId: 'remembering', agentId: 'ana', fleetId: 'red' })
    const text = 'The billing database has a nightly backup.'
    const options = ['--type', 'decision', '--title', 'Backup', '--run', 'r1', '--visibility', 'scope_org']
    const stored = await printed(key, 'remember', text, ...options)
    const id = /^Memory ([0-9a-f-]{36}) is stored\.\n$/.exec(stored)![1]!
    const whole = await json<Memory>(key, 'remember', 'A heron stood in the pond.')
    expect(whole).to.include({ content: 'A heron stood in the pond.', fleet_id: 'red' })
    expect(await printed(key, 'recall', 'backup of billing'))
      .to.contain('nightly backup')
      .and.contain('Backup')

    const shown = await printed(key, 'memories', 'get', id)
    for (const line of [`id: ${id}`, 'memory_type: decision', 'run_id: r1', 'visibility: scope_org', text])
      expect(shown.split('\n')).to.include(line)
    expect(await json<Memory>(key, 'memories', 'get', id)).to.include({ id, content: text })
    const listed = await printed(key, 'memories', 'list')
    expect(listed)
      .to.contain(id)
      .and.to.match(/heron[^]*nightly backup[^]*\n2 memories\n$/)
    const idsOf = async (...narrowed: string[]) =>
      (await json<Memory[]>(key, 'memories', 'list', ...narrowed)).map((memory) => memory.id)
    expect(await idsOf('--limit', '1')).to.deep.equal([whole.id])
    for (const narrowed of [
      ['--type', 'decision'],
      ['--run', 'r1'],
      ['--visibility', 'scope_org'],
    ])
      expect(await idsOf(...narrowed), narrowed.join(' ')).to.deep.equal([id])
    expect(await printed(key, 'memories', 'list', '--before', '2020-01-01T00:00:00Z')).to.equal('0 memories\n')

    expect(await json(key, 'stats')).to.deep.include({ total: 2, by_type: { decision: 1, fact: 1 } })
    expect(await printed(key, 'stats', '--type', 'decision')).to.match(/agent +│ ana +│ 1[^]*\n1 memory\n$/)
  })

  it('recalls what is at least as similar as asked for, in the fleets asked for', async () => {
    const key = await service.mintKey({ tenantId: 'narrowing', trust: 2 })
    await printed(key, 'remember', 'The pump of the north hall leaks.', '--fleet', 'ops')
    await printed(key, 'remember', 'The choir rehearses on Mondays.', '--fleet', 'arts')
    const found = async (...options: string[]) =>
      (await json<{ memories: Memory[] }>(key, 'recall', 'pump of the north hall', ...options)).memories.map(
        ({ fleet_id }) => fleet_id,
      )
    expect(await found()).to.have.members(['ops', 'arts'])
    expect(await found('--min-score', '0.6')).to.deep.equal(['ops'])
    expect(await found('--fleet', 'arts')).to.deep.equal(['arts'])
    expect(await found('--fleet', 'arts', '--fleet', 'ops')).to.have.members(['ops', 'arts'])
    const agent = await service.mintKey({ tenantId: 'narrowing', agentId: 'ana', fleetId: 'red' })
    expect((await cairn(agent, 'recall', 'pump', '--fleet', 'ops')).stderr).to.match(/^cairn: FORBIDDEN: .*fleet/)
    expect(await printed(agent, 'recall', 'pump')).to.match(/^0 memories/)
  })

  it('finds what it imported for another fleet, or says how to', async () => {
    const notes = path.join(directory, 'notes')
    await mkdir(notes)
    await writeFile(path.join(notes, 'pump.md'), '# Pump\n\nThe pump of the north hall leaks.\n')
    const first = await service.mintKey({ tenantId: 'importing', agentId: 'first', trust: 2 })
    const imported = await cairn(first, 'import', '--from', 'markdown', notes, '--fleet', 'ops')
    expect([imported.code, imported.stderr.includes('--fleet')], imported.stderr).to.deep.equal([0, false])
    expect(await printed(first, 'recall', 'north hall')).to.contain('leaks')
    expect(await printed(first, 'memories', 'list')).to.contain('leaks')
    expect(await json(first, 'stats')).to.deep.include({ total: 1 })
    const other = await service.mintKey({ tenantId: 'importing', agentId: 'other', trust: 2 })
    expect(await json(other, 'stats')).to.deep.include({ total: 0 })

    const ofRed = await service.mintKey({ tenantId: 'importing', fleetId: 'red', trust: 2 })
    const unseen = await cairn(ofRed, 'remember', 'The valve leaks too.', '--fleet', 'ops')
    expect(unseen.stderr).to.equal('This key is of fleet red. To find these memories with it, give --fleet ops.\n')
    expect(await printed(ofRed, 'recall', 'valve')).not.to.contain('leaks too')
    expect(await printed(ofRed, 'recall', 'valve', '--fleet', 'ops')).to.contain('leaks too')
  })

  it('names the argument that is wrong', async () => {
    const key = await service.mintKey({ tenantId: 'mistaken', agentId: 'ana' })
    const wrong: readonly (readonly [RegExp, ...string[]])[] = [
      [/^cairn: the text: /, 'remember', ' '],
      [/^cairn: --type: /, 'remember', 'x', '--type', 'poem'],
      [/^cairn: --title: /, 'remember', 'x', '--title', 'x'.repeat(201)],
      [/^cairn: option '--visibility <visibility>' argument 'all'/, 'remember', 'x', '--visibility', 'all'],
      [/^cairn: option '--min-score <n>' argument '2' is invalid/, 'recall', 'x', '--min-score', '2'],
      [/^cairn: --after: /, 'memories', 'list', '--after', 'yesterday'],
      [/^cairn: --status: /, 'stats', '--status', 'open'],
      [/^cairn: --limit: /, 'memories', 'list', '--limit', '0'],
      [/^cairn: the id: /, 'memories', 'get', 'nothing'],
      [/^cairn: nothing to set: give --fleet, --no-fleet, --trust or --name/, 'agents', 'set', 'ana'],
      [/^cairn: give exactly one of --agent, --entity and --memory/, 'erase', '--agent', 'a', '--memory', 'b'],
    ]
    for (const [message, ...args] of wrong) {
      const { code, stdout, stderr } = await cairn(key, ...args)
      expect([code === 0, stdout], args.join(' ')).to.deep.equal([false, ''])
      expect(stderr, args.join(' ')).to.match(message)
    }
    const trust = await cairn(service.adminKey, 'agents', 'set', 'ana', '--trust', '4', '--tenant', 'mistaken')
    expect(trust.stderr).to.match(/^cairn: --trust: /)
    await printed(key, 'remember', 'Once is enough.')
    expect((await cairn(key, 'remember', 'Once is enough.')).stderr).to.match(
      /^cairn: this is remembered already: memory [0-9a-f-]{36}\.\n$/,
    )
  })

  it('lists and changes agents, and registers new ones', async () => {
    const operator = await service.mintKey({ tenantId: 'staffing', trust: 3 })
    const ana = await service.mintKey({ tenantId: 'staffing', agentId: 'ana' })
    expect(await printed(operator, 'agents', 'set', 'ana', '--fleet', 'red', '--trust', '2')).to.equal(
      'Agent ana is in fleet red, with trust 2.\n',
    )
    expect(await printed(operator, 'agents', 'set', 'ben', '--name', 'Ben')).to.equal(
      'Agent ben is in no fleet, with trust 1.\n',
    )
    expect(await json(operator, 'agents', 'set', 'ana', '--name', 'Ana')).to.include({
      fleet_id: 'red',
      trust_level: 2,
    })
    const listed = await printed(operator, 'agents', 'list')
    expect(listed).to.match(/ana +│ Ana +│ red +│ 2[^]*ben +│ Ben +│ +│ 1/)
    expect(await json<unknown[]>(operator, 'agents', 'list', '--fleet', 'red')).to.have.length(1)
    expect(await printed(operator, 'agents', 'set', 'ana', '--no-fleet')).to.contain('in no fleet')
    expect((await cairn(ana, 'agents', 'set', 'ana', '--trust', '3')).stderr).to.match(/^cairn: FORBIDDEN: /)
  })

  it('lists tenants, for the admin key alone', async () => {
    const key = await service.mintKey({ tenantId: 'listed', agentId: 'ana' })
    expect(await printed(service.adminKey, 'tenants', 'list')).to.match(/listed +│ 1 +│ 0 +│ none +│ 30 days/)
    const tenants = await json<{ tenant_id: string }[]>(service.adminKey, 'tenants', 'list')
    expect(tenants.map(({ tenant_id }) => tenant_id)).to.include('listed')
    expect((await cairn(key, 'tenants', 'list')).stderr).to.match(/^cairn: FORBIDDEN: /)
  })

  it('erases after it has said how many, and was told to', async () => {
    const key = await service.mintKey({ tenantId: 'erasing', agentId: 'ana' })
    const { id } = await json<Memory>(key, 'remember', 'To be erased.')
    await printed(key, 'remember', 'To be erased too.')
    const erase = (...args: string[]) => cairn(service.adminKey, 'erase', '--tenant', 'erasing', ...args)
    const count = async () => (await json<{ total: number }>(key, 'stats')).total
    expect((await erase('--agent', 'ana', '--preview')).stdout).to.equal(
      '2 memories of tenant erasing would be erased.\n',
    )
    const unsure = await erase('--agent', 'ana')
    expect([unsure.code, unsure.stderr]).to.deep.equal([
      2,
      'cairn: Erase 2 memories of tenant erasing for good? Nothing was erased: repeat the command with --yes.\n',
    ])
    expect((await cairn(key, 'erase', '--memory', id, '--yes')).stderr).to.match(/^cairn: FORBIDDEN: /)
    expect(await count()).to.equal(2)
    const one = await erase('--memory', id, '--yes')
    expect(one.stdout, one.stderr).to.match(/^1 memory erased: receipt [0-9a-f-]{36}, sha256:[0-9a-f]{64}\n/)
    expect(await count()).to.equal(1)
    const rest = await erase('--agent', 'ana', '--yes', '--json')
    expect(JSON.parse(rest.stdout)).to.include({ memory_count: 1, complete: true })
    expect(await count()).to.equal(0)
  })
})
