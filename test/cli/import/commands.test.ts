import { expect } from 'chai'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { chatgptConversation, claudeConversation, zipOf } from '../../support/chat-exports.js'
import { startForwardingProxy } from '../../support/forwarding-proxy.js'
import { settled } from '../../support/indexed.js'
import { runCairn, spawnCairn } from '../../support/processes.js'
import { sharedService } from '../../support/shared-service.js'
import { until } from '../../support/states.js'
import { newTenant } from '../../support/tenants.js'

describe('cairn import --from', function () {
  this.timeout(120_000)
  const service = sharedService('embedded')
  let directory: string
  before(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'cairn-import-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  /** Returns a tenant of its own, and the command line with a key of it. */
  async function importer() {
    const tenant = newTenant(service())
    const key = await service().mintKey({ tenantId: tenant.id, agentId: 'ana', fleetId: 'red' })
    const env = { CAIRN_URL: service().url, CAIRN_API_KEY: key }
    const ana = service().client(key).of(tenant.id)
    const run = (...args: string[]) => runCairn(['import', ...args], { cwd: directory, env })
    return { ana, env, run }
  }
  const fileOf = async (name: string, content: string | Buffer) => {
    const file = path.join(directory, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, content)
    return file
  }
  const turns = (count: number, word: string) =>
    Array.from({ length: count }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', text: `The ${word} number ${i}.` }))

  it('writes every line that differs in case or indentation, as it stands in the export', async () => {
    const { ana, run } = await importer()
    const lines = [
      'Use git branch -d.',
      'Use git branch -D.',
      'if x:\n  a()\nb()',
      'if x:\n  a()\n  b()',
      '  x: 1\n  y: 2\n',
    ]
    const turn = (text: string) => ({ role: 'user', text })
    const chat = [chatgptConversation('one', lines.map(turn)), chatgptConversation('two', lines.slice(0, 2).map(turn))]
    const file = await fileOf('lines.json', JSON.stringify(chat))
    const out = await run('--from', 'chatgpt', file)
    expect([out.code, out.stdout]).to.deep.equal([0, '5 memories written, 2 existed already, 0 refused.\n'])
    expect((await ana.memories.listAll()).map(({ content }) => content)).to.have.members(lines)
  })

  it('writes tags by which a recall finds everything that was imported', async () => {
    const { ana, run } = await importer()
    for (const name of ['a', 'b', 'c'])
      await fileOf(`vault/${name}.md`, `---\ntags: [${name}, all]\n---\nThe fox ${name}.`)
    await ana.memories.create({ content: 'The fox of another place.', metadata: { tags: ['chats'] } }).ok()
    const out = await run('--from', 'markdown', path.join(directory, 'vault'), '--tag', 'vault')
    expect(out.stdout).to.equal('3 memories written, 0 existed already, 0 refused.\n')
    const found = async (tags: unknown) =>
      (await ana.memories.recallContents('fox', { metadata_filter: { tags } })).sort()
    for (const indexed of [false, true]) {
      if (indexed) await settled(service())
      expect(await found('vault')).to.deep.equal(['The fox a.', 'The fox b.', 'The fox c.'])
      expect(await found('b')).to.deep.equal(['The fox b.'])
      expect(await found(['a', 'c', 'none'])).to.deep.equal(['The fox a.', 'The fox c.'])
      expect(await found('none')).to.deep.equal([])
    }
  })

  it('writes a chat export once, and reports the conversations that make no sense', async () => {
    const { ana, run } = await importer()
    const broken = { ...chatgptConversation('broken', turns(1, 'owl')), current_node: 'gone' }
    const nul = chatgptConversation('nul', [{ role: 'user', text: 'a\0b' }])
    const good = chatgptConversation('good', turns(3, 'fox'))
    const zip = zipOf({ 'conversations.json': JSON.stringify([broken, nul, good]) })
    const file = await fileOf('chatgpt.zip', zip)
    const wished = ['--from', 'chatgpt', file, '--tag', 'chats', '--fleet', 'red', '--visibility', 'scope_org']
    const dry = await run(...wished, '--dry-run')
    expect([dry.code, dry.stdout]).to.deep.equal([1, '4 memories of 3 conversations would be written, 1 refused.\n'])
    expect((await ana.memories.stats()).body.total).to.equal(0)

    const first = await run(...wished)
    expect([first.code, first.stdout]).to.deep.equal([1, '3 memories written, 0 existed already, 2 refused.\n'])
    expect(first.stderr).to.match(
      /^conversation 1 \(About broken\): lacks the message gone, which another one answers\.$/m,
    )
    expect(first.stderr).to.match(/^conversation 2 \(About nul\): content: /m)
    const again = await run(...wished)
    expect(again.stdout).to.equal('0 memories written, 3 existed already, 2 refused.\n')
    const [memory] = (await ana.memories.listAll({ run_id: 'good' })).filter(({ content }) => content.includes('1'))
    expect(memory).to.deep.include({
      content: 'The fox number 1.',
      title: 'About good',
      memory_type: 'episode',
      fleet_id: 'red',
      visibility: 'scope_org',
      ts_valid_start: '2024-05-01T10:00:01.250Z',
      metadata: {
        imported_from: 'chatgpt',
        role: 'assistant',
        conversation_id: 'good',
        message_id: 'good-m1',
        tags: ['chats'],
      },
    })
    // A later export has the conversation once more, with one message after it.
    const later = [chatgptConversation('newer', turns(1, 'elk')), chatgptConversation('good', turns(4, 'fox'))]
    const next = await fileOf('chatgpt-later.json', JSON.stringify(later))
    expect((await run('--from', 'chatgpt', next, '--fleet', 'red')).stdout).to.match(/^2 memories written, 3 existed/)
  })

  it('writes nothing of an export that breaks off', async () => {
    const { ana, run } = await importer()
    const whole = JSON.stringify([claudeConversation('a', turns(2, 'fox')), claudeConversation('b', turns(2, 'owl'))])
    const file = await fileOf('claude.json', whole.slice(0, -20))
    const refused = await run('--from', 'claude', file)
    expect([refused.code, refused.stdout]).to.deep.equal([1, ''])
    expect(refused.stderr).to.equal(`cairn: ${file} cannot be read (it ends in the middle).\n`)
    expect((await ana.memories.stats()).body.total).to.equal(0)
    await writeFile(file, whole)
    expect((await run('--from', 'claude', file)).stdout).to.equal('4 memories written, 0 existed already, 0 refused.\n')
  })

  it('continues after the last chunk that was answered when it was killed', async () => {
    const { ana, env } = await importer()
    const file = await fileOf('killed.json', JSON.stringify([chatgptConversation('long', turns(1_200, 'fox'))]))
    let [asked, isHeld] = [0, true]
    const way = await startForwardingProxy(
      service().url,
      (pathname) => pathname === '/api/v1/memories/bulk' && ++asked > 2 && isHeld,
    )
    const on = { cwd: directory, env: { ...env, CAIRN_URL: way.url } }
    const total = async () => (await ana.memories.stats()).body.total
    try {
      const killed = spawnCairn(['import', '--from', 'chatgpt', file], on)
      await until('the third chunk is sent', () => expect(asked).to.equal(3))
      await killed.kill('SIGKILL')
      expect(await total()).to.equal(1_000)
      isHeld = false
      const rest = await runCairn(['import', '--from', 'chatgpt', file], on)
      expect(rest.stderr).to.match(/^continues after memory 1000 of 1200$/m)
      expect([rest.code, rest.stdout]).to.deep.equal([0, '1200 memories written, 0 existed already, 0 refused.\n'])
      expect([asked, await total(), existsSync(`${file}.import-progress`)]).to.deep.equal([4, 1_200, false])
    } finally {
      way.stop()
    }
  })

  it('writes a folder of notes, and again what is new in it', async () => {
    const { ana, run } = await importer()
    await fileOf('notes/a.md', '---\ntags: [ops]\n---\nThe port is 6432.')
    await fileOf('notes/b/c.md', '# Foxes\n\nThey live in dens.')
    await fileOf('notes/bad.md', '---\na: "\n---\nText')
    const notes = path.join(directory, 'notes')
    const first = await run('--from', 'markdown', notes)
    expect([first.code, first.stdout]).to.deep.equal([0, '3 memories written, 0 existed already, 0 refused.\n'])
    expect(first.stderr).to.match(/^bad\.md: its front matter is not YAML/m)
    await fileOf('notes/bad.md', 'Mended.')
    const next = await run('--from', 'markdown', `${notes}/`)
    expect([next.code, next.stdout]).to.deep.equal([0, '1 memory written, 2 existed already, 0 refused.\n'])
    const found = await ana.memories.listAll({})
    expect(found.map(({ title }) => title).sort()).to.deep.equal(['Foxes', 'a', 'bad', 'bad'])
  })

  it('writes the tags, links and days of notes, by which a recall finds them', async () => {
    const { ana, run } = await importer()
    const many = Array.from({ length: 102 }, (_, i) => `[[Many ${i}]] #many${i}`).join(' ')
    await fileOf('daily/2026-03-01.md', 'Met [[people/Ana|her]] about [[C++]], [[🦊]] and [[==]]. #work/one-one')
    await fileOf('daily/2026-03-02 Many.md', many)
    const out = await run('--from', 'markdown', path.join(directory, 'daily'))
    expect([out.code, out.stdout]).to.deep.equal([0, '2 memories written, 0 existed already, 0 refused.\n'])
    expect(out.stderr).to.match(/^left out: links to notes \(2\)$/m)
    const found = (await ana.memories.listAll()).sort((a, b) => (a.title! < b.title! ? -1 : 1))
    expect(found.map(({ ts_valid_start }) => ts_valid_start)).to.deep.equal([
      '2026-03-01T00:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
    ])
    const linked = found.map(({ entity_links }) => entity_links.filter(({ origin }) => origin === 'caller'))
    expect(linked[0]!.map(({ name }) => name)).to.have.members(['Ana', 'C++', '🦊', '=='])
    expect(linked[1]).to.have.length(100)
    for (const tag of ['work/one-one', 'many101'])
      expect(await ana.memories.recallContents('her many', { metadata_filter: { tags: tag } })).to.have.length(1)
  })

  it('says what it leaves out, by kind, and ends with 1 for that with --strict', async () => {
    const { run } = await importer()
    const thought = { content: { content_type: 'thoughts', thoughts: [] } }
    const odd = chatgptConversation('odd', [...turns(2, 'crow'), { role: 'assistant', text: '', fields: thought }])
    const file = await fileOf('odd.json', JSON.stringify(odd))
    for (const [args, code, says] of [
      [['--dry-run'], 0, '2 memories of 1 conversation would be written, 0 refused.'],
      [['--dry-run', '--strict'], 1, '2 memories of 1 conversation would be written, 0 refused.'],
      [['--strict'], 1, '2 memories written, 0 existed already, 0 refused.'],
      [[], 0, '0 memories written, 2 existed already, 0 refused.'],
    ] as const) {
      const out = await run('--from', 'chatgpt', file, ...args)
      expect([out.code, out.stdout]).to.deep.equal([code, `${says}\n`])
      expect(out.stderr).to.match(/^left out: thoughts \(1\)$/m)
    }
    const whole = await fileOf('whole.json', JSON.stringify([chatgptConversation('whole', turns(1, 'jay'))]))
    const out = await run('--from', 'chatgpt', whole, '--strict')
    expect([out.code, out.stderr.includes('left out')]).to.deep.equal([0, false])
  })

  it('writes what Claude remembers beside its conversations, and says what it leaves out of its projects', async () => {
    const { ana, run } = await importer()
    const folder = path.dirname(
      await fileOf('data/conversations.json', JSON.stringify([claudeConversation('a', turns(1, 'fox'))])),
    )
    await fileOf('data/memories.json', JSON.stringify([{ conversations_memory: 'Ana keeps bees.' }]))
    const project = {
      uuid: 'p',
      name: 'Bees',
      prompt_template: 'Be brief.',
      docs: [{ filename: 'hive.md', content: 'It stands north.' }],
    }
    await fileOf('data/projects.json', JSON.stringify([project]))
    const dry = await run('--from', 'claude', folder, '--dry-run')
    expect(dry.stdout).to.equal('3 memories of 3 conversations and projects would be written, 0 refused.\n')
    expect((await run('--from', 'claude', folder)).stdout).to.equal(
      '3 memories written, 0 existed already, 0 refused.\n',
    )
    expect((await ana.memories.listAll({})).map(({ content }) => content)).to.include.members([
      'Ana keeps bees.',
      'It stands north.',
    ])
    const strict = await run('--from', 'claude', folder, '--strict')
    expect([strict.code, strict.stderr]).to.deep.equal([1, 'left out: instructions of projects (1)\n'])
  })

  it('writes an export of channels, whose messages are found by who wrote them', async () => {
    const { ana, run } = await importer()
    const message = (id: number, from: string, text: string) => ({
      id,
      type: 'message',
      date_unixtime: '1714557600',
      from,
      text,
    })
    const messages = [message(1, 'Dana', 'The rota is done.'), message(2, 'Eve', 'The lift is broken.')]
    const file = await fileOf('telegram/result.json', JSON.stringify({ name: 'Ops', id: 7, messages }))
    const out = await run('--from', 'telegram', file)
    expect([out.code, out.stdout]).to.deep.equal([0, '2 memories written, 0 existed already, 0 refused.\n'])
    const { memories } = await ana.memories.recall('What did Eve write?').ok()
    expect(memories[0]).to.deep.include({ content: 'The lift is broken.', run_id: 'telegram:7:2024-05-01' })
    const again = await run('--from', 'telegram', path.dirname(file))
    expect(again.stdout).to.equal('0 memories written, 2 existed already, 0 refused.\n')
  })

  it('refuses another format, options of another format, and a path that is not there', async () => {
    const { run } = await importer()
    const empty = path.dirname(await fileOf('empty/notes.txt', ''))
    for (const [args, code, says] of [
      [['--from', 'word', 'x'], 2, /^cairn: option '--from <format>' argument 'word' is invalid/],
      [
        ['x.jsonl', '--tag', 'a'],
        2,
        /^cairn: --tag, --visibility, --dry-run and --strict are for chat exports and notes/,
      ],
      [['--from', 'markdown', 'nowhere'], 1, /^cairn: .*nowhere cannot be read \(ENOENT\)\.$/m],
      [['--from', 'claude', 'nowhere'], 1, /^cairn: .*nowhere cannot be read \(ENOENT\)\.$/m],
      [['--from', 'claude', empty], 1, /^cairn: there is no conversations\.json in /],
    ] as const) {
      const refused = await run(...args)
      expect([refused.code, says.test(refused.stderr)], refused.stderr).to.deep.equal([code, true])
    }
  })
})
