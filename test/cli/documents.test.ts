import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import type { Caller } from '../support/client.js'
import { startForwardingProxy } from '../support/forwarding-proxy.js'
import { runCairn, spawnCairn } from '../support/processes.js'
import { startService, type TestService } from '../support/service.js'
import { until } from '../support/states.js'

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

const { schemas } = (
  parse(await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8')) as {
    components: { schemas: Record<string, { properties: object }> }
  }
).components

describe('documents on the command line', function () {
  this.timeout(120_000)
  let service: TestService
  let key: string
  let ana: Caller
  let directory: string
  before(async () => {
    service = await startService()
    key = await service.mintKey({ tenantId: 't', agentId: 'ana', fleetId: 'red', trust: 2 })
    ana = service.client(key).of('t')
    directory = await mkdtemp(path.join(os.tmpdir(), 'cairn-documents-'))
  })
  const ways: { stop(): void }[] = []
  after(async () => {
    for (const way of ways) way.stop()
    await service.stop()
    await rm(directory, { recursive: true, force: true })
  })

  const env = (url = service.url) => ({ CAIRN_URL: url, CAIRN_API_KEY: key })
  const cairn = (...args: string[]) => runCairn(['documents', ...args], { cwd: directory, env: env() })
  const lines = (count: number) =>
    Array.from({ length: count }, (_, i) => JSON.stringify({ doc_id: `d/${String(i).padStart(5, '0')}`, data: { i } }))
  async function fileOf(name: string, content: readonly string[]): Promise<string> {
    const file = path.join(directory, name)
    await writeFile(file, content.map((line) => `${line}\n`).join(''))
    return file
  }
  const parsed = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { doc_id: string; fleet_id: string | null; data: unknown })
  const total = async (collection: string) => {
    const { body } = await ana.documents.collections()
    return (body.collections as { name: string; count: number }[]).find(({ name }) => name === collection)?.count
  }

  const between = (take: (pathname: string, outgoing: ServerResponse) => boolean) =>
    startForwardingProxy(service.url, take)

  /**
   * Returns a proxy that answers nothing from the given number of requests to one of these paths on, until it is
   * healed.
   */
  async function lossy(pathname: string, answered: number) {
    let seen = 0
    let isHealed = false
    const way = await between((asked) => asked === pathname && ++seen > answered && !isHealed)
    ways.push(way)
    const run = (...args: string[]) => runCairn(['documents', ...args], { cwd: directory, env: env(way.url) })
    return { ...way, run, seen: () => seen, heal: () => void (isHealed = true) }
  }

  it('are imported once, however often that is repeated, and exported as they were imported', async () => {
    const content = lines(1_203)
    const file = await fileOf('once.jsonl', content)
    const first = await cairn('import', 'once', file)
    expect([first.code, first.stdout]).to.deep.equal([
      0,
      '1203 documents created, 0 changed, 0 unchanged, 0 lines refused.\n',
    ])
    const again = await cairn('import', 'once', file)
    expect(again.stdout).to.equal('0 documents created, 0 changed, 1203 unchanged, 0 lines refused.\n')
    expect(existsSync(`${file}.import-progress`)).to.equal(false)

    const out = await cairn('export', 'once')
    expect([out.code, out.stderr]).to.deep.equal([0, '1203 documents exported.\n'])
    expect(parsed(out.stdout)).to.deep.equal(
      content.map((line) => ({ ...(JSON.parse(line) as object), fleet_id: 'red' })),
    )
    const copy = await fileOf('copy.jsonl', out.stdout.trimEnd().split('\n'))
    expect((await cairn('import', 'copy', copy)).stdout).to.match(/^1203 documents created/)
    expect((await cairn('export', 'copy')).stdout).to.equal(out.stdout)
  })

  it('are all exported where a page ends before its limit, since they are large', async () => {
    const items = Array.from({ length: 24 }, (_, i) => ({
      doc_id: `d${String(i).padStart(2, '0')}`,
      data: { text: 'x'.repeat(250_000) },
    }))
    await ana.documents.putMany('pages', items)
    const out = await cairn('export', 'pages')
    expect(parsed(out.stdout).map(({ doc_id }) => doc_id)).to.deep.equal(items.map(({ doc_id }) => doc_id))
  })

  it('keep their fleets through export and import', async () => {
    await ana.documents.put('fleets', 'a', {}, { fleet_id: 'blue' }).ok()
    await ana.documents.put('fleets', 'b', {}).ok()
    const out = await cairn('export', 'fleets')
    expect(parsed(out.stdout).map(({ fleet_id }) => fleet_id)).to.deep.equal(['blue', 'red'])
    expect(parsed((await cairn('export', 'fleets', '--fleet', 'blue')).stdout)).to.have.length(1)
    const file = await fileOf('fleets.jsonl', [...out.stdout.trimEnd().split('\n'), '{"doc_id":"c","data":{}}'])
    await cairn('import', 'moved', file, '--fleet', 'green')
    const fleets = (await ana.documents.list('moved')).body.items.map((row) => row.fleet_id)
    expect(fleets).to.deep.equal(['blue', 'red', 'green'])
  })

  it('are written for the named agent, and counted as created, changed or unchanged', async () => {
    const tenantKey = await service.mintKey({ tenantId: 't', trust: 3 })
    const clerk = service.client(tenantKey).of('t')
    const before = await fileOf('of-ana.jsonl', lines(2))
    const by = (file: string, ...args: string[]) => cairn('import', 'of-ana', file, '--agent', 'ana', ...args)
    expect((await by(before, '--key', tenantKey)).stdout).to.match(/^2 documents created, 0 changed/)
    const { fleet_id, id } = (await ana.documents.get('of-ana', 'd/00000')).body as { fleet_id: string; id: string }
    expect(fleet_id).to.equal('red')
    expect((await clerk.audit.list({ subject_id: id })).body.items[0]!.actor).to.include({
      kind: 'tenant',
      agent_id: 'ana',
    })
    const [, same] = lines(2)
    const after = await fileOf('after.jsonl', [
      '{"doc_id":"d/00000","data":{"i":9}}',
      same!,
      '{"doc_id":"e","data":{}}',
    ])
    expect((await by(after, '--key', tenantKey)).stdout).to.equal(
      '1 document created, 1 changed, 1 unchanged, 0 lines refused.\n',
    )
    await service.mintKey({ tenantId: 't', agentId: 'ben' })
    const refused = await cairn('import', 'of-ana', after, '--agent', 'ben')
    expect([refused.code, refused.stdout]).to.deep.equal([1, ''])
    expect(refused.stderr).to.match(/^cairn: FORBIDDEN: /m)
  })

  it('that are refused are listed by their lines, and the others are imported', async () => {
    const file = await fileOf('bad.jsonl', [
      '{"doc_id":"good","data":{}}',
      '{not json',
      '{"doc_id":"/bad","data":{}}',
      '',
      '{"doc_id":"bad"}',
      '{"doc_id":"bad","data":{},"collection":"x"}',
      '{"doc_id":"also/good","data":{}}',
    ])
    const { code, stdout, stderr } = await cairn('import', 'bad', file)
    expect([code, stdout]).to.deep.equal([1, '2 documents created, 0 changed, 0 unchanged, 4 lines refused.\n'])
    const told = stderr.split('\n').flatMap((line) => /^line (\d+): ./.exec(line)?.[1] ?? [])
    expect(told.map(Number).sort((a, b) => a - b)).to.deep.equal([2, 3, 5, 6])
    expect(await total('bad')).to.equal(2)
  })

  it('continue after the last answered chunk when the import was killed', async () => {
    const file = await fileOf('killed.jsonl', ['{not json', ...lines(1_700)])
    const way = await lossy('/api/v1/documents/bulk', 2)
    const run = spawnCairn(['documents', 'import', 'killed', file], { cwd: directory, env: env(way.url) })
    await until('three requests pass', () => expect(way.seen()).to.equal(3))
    await run.kill('SIGKILL')
    way.heal()
    expect(await total('killed')).to.equal(1_000)
    const [copy, again] = ['elsewhere', 'again'].map((name) => path.join(directory, `${name}.jsonl`))
    for (const to of [copy, again])
      for (const end of ['', '.import-progress']) await copyFile(`${file}${end}`, `${to}${end}`)
    // The checkpoint of one collection's import does not apply to another's.
    expect((await way.run('import', 'elsewhere', copy!)).stdout).to.match(/^1700 documents created/)
    expect(await total('elsewhere')).to.equal(1_700)
    const rest = await way.run('import', 'killed', file)
    expect(rest.stderr).to.match(/^continues after line 1001$/m)
    // The line that the first run reported counts too.
    expect([rest.code, rest.stdout]).to.deep.equal([
      1,
      '1700 documents created, 0 changed, 0 unchanged, 1 line refused.\n',
    ])
    expect([await total('killed'), existsSync(`${file}.import-progress`)]).to.deep.equal([1_700, false])
    // It does not apply to another service either; this proxy is one, with an address of its own.
    const begun = await cairn('import', 'killed', again!)
    expect(begun.stderr).to.not.match(/continues after/)
    expect(begun.stdout).to.equal('0 documents created, 0 changed, 1700 unchanged, 1 line refused.\n')
  })

  it('are imported from the beginning when the file has changed since the interruption', async () => {
    const file = await fileOf('other.jsonl', lines(3))
    await writeFile(`${file}.import-progress`, JSON.stringify({ digest: 'x', line: 2, counts: { created: 9 } }))
    expect((await cairn('import', 'other', file)).stdout).to.match(/^3 documents created/)
  })

  it('continue in a file after its last whole page when the export was killed', async () => {
    await cairn('import', 'large', await fileOf('large.jsonl', lines(700)))
    const whole = (await cairn('export', 'large')).stdout
    const file = path.join(directory, 'out.jsonl')
    const way = await lossy('/api/v1/documents', 2)
    const args = ['documents', 'export', 'large', '--output', file]
    const run = spawnCairn(args, { cwd: directory, env: env(way.url) })
    await until('three requests pass', () => expect(way.seen()).to.equal(3))
    await run.kill('SIGKILL')
    way.heal()
    expect(parsed(await readFile(file, 'utf8'))).to.have.length(400)
    await appendFile(file, '{"doc_id":"d/00400","fleet_id":"re')
    // It is not another service's either, whatever that calls its tenants.
    expect((await cairn('export', 'large', '--output', file)).stderr).to.match(/give another --output/)
    const rest = await way.run('export', 'large', '--output', file)
    expect([rest.code, rest.stderr]).to.deep.equal([0, '300 documents exported.\n'])
    expect(await readFile(file, 'utf8')).to.equal(whole)
    expect(existsSync(`${file}.export-progress`)).to.equal(false)
    const behind = await cairn('export', 'large', '--after', 'd/00698')
    expect(parsed(behind.stdout).map(({ doc_id }) => doc_id)).to.deep.equal(['d/00699'])
  })

  it('continue in a file only with the same arguments', async () => {
    for (const fleet of ['blue', 'red', 'green'])
      for (const id of ['a', 'b']) await ana.documents.put('asked', `${id}-${fleet}`, {}, { fleet_id: fleet }).ok()
    await ana.documents.put('asked-besides', 'a', {}).ok()
    const file = path.join(directory, 'asked.jsonl')
    const way = await lossy('/api/v1/documents', 0)
    const args = ['export', 'asked', '--fleet', 'red', '--output', file]
    const run = spawnCairn(['documents', ...args], { cwd: directory, env: env(way.url) })
    await until('a request passes', () => expect(way.seen()).to.equal(1))
    await run.kill('SIGKILL')
    way.heal()
    const begun = '{"doc_id":"a-red","fleet_id":"red","data":{}}\n'
    await appendFile(file, begun)
    for (const other of [['asked', '--fleet', 'blue'], ['asked'], ['asked-besides', '--fleet', 'red']]) {
      const refused = await way.run('export', ...other, '--output', file)
      expect([refused.code, await readFile(file, 'utf8')]).to.deep.equal([1, begun])
      expect(refused.stderr).to.match(/give another --output/)
    }
    // What stands behind the checkpoint is written again.
    expect((await way.run(...args)).stderr).to.equal('2 documents exported.\n')
    const whole = await readFile(file, 'utf8')
    expect(parsed(whole).map(({ doc_id }) => doc_id)).to.deep.equal(['a-red', 'b-red'])
    expect([(await way.run(...args)).code, await readFile(file, 'utf8')]).to.deep.equal([1, whole])
  })

  it('are imported and exported although the service is unavailable for a moment', async () => {
    const paths = new Set(['/api/v1/documents/bulk', '/api/v1/documents', '/api/v1/documents/collections'])
    const way = await between((asked, outgoing) => paths.delete(asked) && !!outgoing.writeHead(503).end())
    try {
      const file = await fileOf('away.jsonl', lines(2))
      const run = (...args: string[]) => runCairn(['documents', ...args], { cwd: directory, env: env(way.url) })
      expect((await run('import', 'away', file)).stdout).to.match(/^2 documents created/)
      expect(parsed((await run('export', 'away')).stdout)).to.have.length(2)
      expect([...paths]).to.deep.equal([])
    } finally {
      way.stop()
    }
  })

  it('that cannot be exported any more name the document to continue after', async () => {
    await cairn('import', 'broken', await fileOf('broken.jsonl', lines(300)))
    let pages = 0
    const way = await between((asked, outgoing) => {
      if (asked !== '/api/v1/documents' || ++pages < 2) return false
      return !!outgoing.writeHead(500).end()
    })
    try {
      const args = ['documents', 'export', 'broken']
      const { code, stdout, stderr } = await runCairn(args, { cwd: directory, env: env(way.url) })
      expect([code, parsed(stdout).length]).to.deep.equal([1, 200])
      expect(stderr).to.match(/^interrupted after "d\/00199": continue with --after$/m)
    } finally {
      way.stop()
    }
    const both = await cairn('export', 'broken', '--after', 'd/00199', '--output', path.join(directory, 'both.jsonl'))
    expect([both.code, existsSync(path.join(directory, 'both.jsonl'))]).to.deep.equal([2, false])
  })

  it('that cannot be written any more name the last document that was', async () => {
    const run = await promisify(execFile)(
      'sh',
      ['-c', '"$0" "$1" documents export broken > /dev/full', process.execPath, CLI],
      {
        cwd: directory,
        env: { PATH: process.env.PATH, ...env() },
      },
    ).catch((error: { stderr: string }) => error)
    expect(run.stderr).to.match(/ENOSPC/)
    expect(run.stderr).not.to.match(/--after/)
  })

  it('do not continue in a file that has other content meanwhile', async () => {
    const file = path.join(directory, 'replaced.jsonl')
    let pages = 0
    const way = await between((asked, outgoing) => {
      if (asked !== '/api/v1/documents' || ++pages !== 2) return false
      return !!outgoing.writeHead(500).end()
    })
    const run = () =>
      runCairn(['documents', 'export', 'broken', '--output', file], { cwd: directory, env: env(way.url) })
    try {
      expect((await run()).code).to.equal(1)
      const begun = await readFile(file, 'utf8')
      const other = begun.replaceAll('"', "'")
      await writeFile(file, other)
      expect([(await run()).code, await readFile(file, 'utf8')]).to.deep.equal([1, other])
      await writeFile(file, begun)
      expect((await run()).code).to.equal(0)
      expect(parsed(await readFile(file, 'utf8'))).to.have.length(300)
    } finally {
      way.stop()
    }
  })

  it('are not appended to another file', async () => {
    const file = await fileOf('notes.txt', ['a note'])
    const refused = await cairn('export', 'once', '--output', file)
    expect([refused.code, await readFile(file, 'utf8')]).to.deep.equal([1, 'a note\n'])
  })

  it('of a reserved collection are refused', async () => {
    const refused = await cairn('export', '_own')
    expect([refused.code, refused.stdout]).to.deep.equal([1, ''])
    expect(refused.stderr).to.match(/^cairn: there is no collection _own in tenant t \(/)
  })

  it('of an unknown collection are an error and leave no file; a collection that is empty in a fleet is no error', async () => {
    const file = path.join(directory, 'unknown.jsonl')
    const refused = await cairn('export', 'onse', '--output', file)
    expect([refused.code, refused.stdout, existsSync(file)]).to.deep.equal([1, '', false])
    expect(refused.stderr).to.match(/^cairn: there is no collection onse in tenant t \(nearest: once, .*\)\.\n$/)
    expect(await cairn('export', 'once', '--fleet', 'grey')).to.include({ code: 0, stdout: '' })
  })

  it('and memories have a help text that names every field of a line', async () => {
    for (const [args, schema] of [
      [['documents', 'import'], 'DocumentFields'],
      [['import'], 'MemoryFields'],
    ] as const) {
      const { stdout } = await runCairn([...args, '--help'])
      for (const field of Object.keys(schemas[schema]!.properties))
        expect(stdout).to.match(new RegExp(`\\b${field}\\b`))
    }
  })
})
