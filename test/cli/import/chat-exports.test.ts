import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { readChats } from '../../../cli/import/chat-export.js'
import { readChatgpt } from '../../../cli/import/chatgpt.js'
import { readClaude } from '../../../cli/import/claude.js'
import { claudeProjects } from '../../../cli/import/claude-projects.js'
import { conversationFound } from '../../../cli/import/conversation.js'
import type { Found } from '../../../cli/import/source.js'
import { chatgptConversation, claudeConversation, zipOf } from '../../support/chat-exports.js'

const user = (text: string, fields?: object) => ({ role: 'user', text, fields })
const assistant = (text: string, fields?: object) => ({ role: 'assistant', text, fields })

describe('a chat export', () => {
  let directory: string
  before(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'cairn-export-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  async function elementsOf(content: string | Buffer | Readable, name = 'conversations.json') {
    const file = path.join(directory, name)
    await writeFile(file, content)
    const found: unknown[] = []
    try {
      for await (const value of readChats(file, (one) => one)) found.push(value)
      return found
    } catch (error) {
      return (error as Error).message.replaceAll(directory, '')
    }
  }
  type Readable = Iterable<string>
  const chatgpt = (value: unknown) =>
    conversationFound(value, 1, { format: 'chatgpt', read: readChatgpt }, { tags: [] })
  const claude = (value: unknown) => conversationFound(value, 1, { format: 'claude', read: readClaude }, { tags: [] })
  const texts = ({ memories }: Found) => memories.map(({ content }) => content)

  it('says whose it looks like when it is given as the other one’s', () => {
    const ofClaude = claudeConversation('c1', [])
    expect(chatgpt(ofClaude).fault).to.equal('looks like Claude’s: give --from claude.')
    expect(claude(chatgptConversation('c1', [])).fault).to.equal('looks like ChatGPT’s: give --from chatgpt.')
    expect([claude(ofClaude).fault, chatgpt(chatgptConversation('c1', [])).fault]).to.deep.equal([undefined, undefined])
  })

  it('of ChatGPT becomes a memory for each message of the current branch', () => {
    const value = chatgptConversation('c1', [user('Where do foxes live?'), assistant('In dens.')])
    const other = { id: 'x', message: user('Another branch'), parent: 'root', children: [] }
    const found = chatgpt({ ...value, mapping: { ...value.mapping, x: other } })
    expect(Object.fromEntries(found.leftOut!.counts)).to.deep.equal({ 'messages of other branches': 1 })
    expect({ place: found.place, memories: found.memories }).to.deep.equal({
      place: 'conversation 1 (About c1)',
      memories: [
        { content: 'Where do foxes live?', role: 'user', message: 'c1-m0', at: '2024-05-01T10:00:00.250Z' },
        { content: 'In dens.', role: 'assistant', message: 'c1-m1', at: '2024-05-01T10:00:01.250Z' },
      ].map(({ content, role, message, at }) => ({
        content,
        title: 'About c1',
        memory_type: 'episode',
        run_id: 'c1',
        source_uri: 'https://chatgpt.com/c/c1',
        ts_valid_start: at,
        metadata: { imported_from: 'chatgpt', role, conversation_id: 'c1', message_id: message },
      })),
    })
  })

  it('of ChatGPT loses what nobody reads in the conversation', () => {
    const hidden = { metadata: { is_visually_hidden_from_conversation: true } }
    const image = { content_type: 'image_asset_pointer', asset_pointer: 'file-service://x' }
    const spoken = { content_type: 'audio_transcription', text: 'Spoken.' }
    const turns = [
      { role: 'system', text: 'You are helpful.' },
      user('My custom instructions.', { content: { content_type: 'user_editable_context', user_profile: 'x' } }),
      user('Hidden.', hidden),
      user('', { content: { content_type: 'multimodal_text', parts: [image, 'What is this?', spoken] } }),
      assistant('search("fox")', { recipient: 'browser' }),
      { role: 'tool', text: 'Results' },
      assistant('', { content: { content_type: 'thoughts', thoughts: [] } }),
      assistant('  '),
      user('\u200b'),
      assistant('A fox.', { create_time: null }),
    ]
    const found = chatgpt(chatgptConversation('c2', turns))
    expect(texts(found)).to.deep.equal(['What is this?\nSpoken.', 'A fox.'])
    expect(found.memories[1]).not.to.have.property('ts_valid_start')
    expect(texts(chatgpt(chatgptConversation('c3', [], { title: null })))).to.deep.equal([])
  })

  it('of ChatGPT has names and links where the answer has marks of them', () => {
    const cite = '\ue200cite\ue202turn0search3\ue202turn0search8\ue201'
    const text = `\ue203Trams run hourly.\ue204 ${cite}\nBy \ue200entity\ue202["people", "Ana Reed", 0]\ue201, see \ue200cite\ue202turn1view0\ue201.`
    const references = [
      { matched_text: '\ue200cite\ue202turn1view0\ue201', alt: '([rota](https://a.example))' },
      { matched_text: ' ', alt: null },
    ]
    const read = (content_references: object[]) =>
      texts(chatgpt(chatgptConversation('c1', [assistant(text, { metadata: { content_references } })])))
    expect(read(references)).to.deep.equal(['Trams run hourly.\nBy Ana Reed, see ([rota](https://a.example)).'])
    expect(read([])).to.deep.equal(['Trams run hourly.\nBy Ana Reed, see.'])
    expect(texts(chatgpt(chatgptConversation('c1', [user(text)])))).to.deep.equal([text])
  })

  it('of Claude becomes a memory for each message, on the branch of the newest where messages have parents', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.' }
    const content = [thinking, { type: 'text', text: 'In dens.' }, { type: 'tool_use', name: 'x', input: {} }]
    const turns = [user('Where do foxes live?'), assistant('ignored', { content }), user('And owls?', { content: [] })]
    const found = claude(claudeConversation('u1', turns))
    expect(texts(found)).to.deep.equal(['Where do foxes live?', 'In dens.', 'And owls?'])
    expect(found.memories[1]).to.deep.equal({
      content: 'In dens.',
      title: 'About u1',
      memory_type: 'episode',
      run_id: 'u1',
      source_uri: 'https://claude.ai/chat/u1',
      ts_valid_start: '2025-03-04T09:00:01.000Z',
      metadata: { imported_from: 'claude', role: 'assistant', conversation_id: 'u1', message_id: 'u1-m1' },
    })
    const branched = [user('a'), assistant('b'), assistant('b again'), user('c')]
    const parents = [null, 0, 0, 2]
    expect(texts(claude(claudeConversation('u2', branched, { parents })))).to.deep.equal(['a', 'b again', 'c'])
    const leaf = { parents, current_leaf_message_uuid: 'u2-m1' }
    expect(texts(claude(claudeConversation('u2', branched, leaf)))).to.deep.equal(['a', 'b'])
  })

  it('of ChatGPT that names no last message ends at the newest one', () => {
    const value = chatgptConversation('c4', [user('a'), assistant('b'), user('c')])
    expect(texts(chatgpt({ ...value, current_node: undefined }))).to.deep.equal(['a', 'b', 'c'])
    const edited = value.mapping.m2 as { readonly message: object }
    const branched = (create_time: number) => ({
      ...value,
      current_node: null,
      mapping: {
        ...value.mapping,
        x: {
          ...edited,
          id: 'x',
          message: { ...edited.message, content: { content_type: 'text', parts: ['d'] }, create_time },
        },
      },
    })
    expect(texts(chatgpt(branched(1_800_000_000)))).to.deep.equal(['a', 'b', 'd'])
    expect(texts(chatgpt(branched(1_600_000_000)))).to.deep.equal(['a', 'b', 'c'])
    expect(texts(chatgpt({ ...value, current_node: null, mapping: {} }))).to.deep.equal([])
  })

  it('of ChatGPT whose messages name none before them is read whole, in the order of their times', () => {
    const turns = [user('c'), assistant('a'), user('b'), assistant('b and on', { create_time: null }), user('d')]
    const times = [30, 10, 20, null, 40]
    const value = chatgptConversation('c6', turns)
    const nodes = Object.entries(value.mapping).map(([id, node], i) => {
      const {
        parent: _,
        children: __,
        ...flat
      } = node as { parent: unknown; children: unknown; message: object | null }
      const message = flat.message && { ...flat.message, create_time: times[i - 1] }
      return [id, { ...flat, message }]
    })
    const found = chatgpt({ ...value, mapping: Object.fromEntries(nodes) as object })
    expect(texts(found)).to.deep.equal(['a', 'b', 'b and on', 'c', 'd'])
    expect([...found.leftOut!.counts]).to.deep.equal([])
    expect(
      texts(chatgpt({ ...value, current_node: null, mapping: Object.fromEntries(nodes) as object })),
    ).to.deep.equal(texts(found))
  })

  it('of Claude has what was pasted, as texts of who pasted it', () => {
    const pasted = { file_name: 'paste.txt', extracted_content: 'The migration window is Sunday 02:00 UTC.' }
    const alone = { text: '', content: [], attachments: [pasted], files: [{ file_name: 'paste.txt' }] }
    const beside = {
      attachments: [
        { ...pasted, file_name: '' },
        { file_name: 'photo.zip', extracted_content: '' },
      ],
    }
    const found = claude(claudeConversation('u3', [user('', alone), assistant('Noted.'), user('And this?', beside)]))
    expect(
      found.memories.map(({ content, metadata }) => [content, metadata!.role, metadata!.attachment]),
    ).to.deep.equal([
      [pasted.extracted_content, 'user', 'paste.txt'],
      ['Noted.', 'assistant', undefined],
      [pasted.extracted_content, 'user', 'pasted text'],
      ['And this?', 'user', undefined],
    ])
    expect([...found.leftOut!.counts]).to.deep.equal([['files without their text', 1]])
  })

  describe('of Claude with memories and projects', () => {
    const MEMORIES = {
      conversations_memory: 'Ana keeps bees.',
      project_memories: { p1: 'The hive stands north.', p2: 7 },
      memory_files: [{}],
      account_uuid: 'a',
    }
    const PROJECT = {
      uuid: 'p1',
      name: 'Bees',
      description: 'About bees.',
      prompt_template: 'Be brief.',
      is_starter_project: false,
      docs: [
        { uuid: 'd1', filename: 'hive.md', content: '# The hive', created_at: '2025-03-04T09:00:00.5Z' },
        { uuid: 'd2', filename: 'empty.md', content: '' },
      ],
    }
    const SAMPLE = { ...PROJECT, uuid: 'p0', is_starter_project: true }
    async function foundIn(files: Readonly<Record<string, unknown>>) {
      const file = path.join(directory, 'data.zip')
      const texts = Object.fromEntries(Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)]))
      await writeFile(file, zipOf(texts))
      const read = (value: unknown, number: number) =>
        conversationFound(value, number, { format: 'claude', read: readClaude }, { tags: ['t'] })
      const found: Found[] = []
      for await (const one of readChats(file, read, claudeProjects({ tags: ['t'] }))) found.push(one)
      return found
    }

    it('has what Claude remembers and the documents of projects as memories, and counts the rest', async () => {
      const found = await foundIn({
        'conversations.json': [claudeConversation('u1', [user('Hello.')])],
        'memories.json': [MEMORIES],
        'projects.json': [SAMPLE, PROJECT],
        'users.json': [{ uuid: 'a' }],
      })
      expect(found.map(({ place }) => place)).to.deep.equal([
        'conversation 1 (About u1)',
        'memory 1 of memories.json',
        'project 1 of projects.json',
        'project 2 of projects.json',
      ])
      expect(found[1]!.memories).to.deep.equal([
        {
          content: 'Ana keeps bees.',
          title: 'What Claude remembers',
          metadata: { imported_from: 'claude', tags: ['t'] },
        },
        {
          content: 'The hive stands north.',
          title: 'What Claude remembers of a project',
          metadata: { imported_from: 'claude', project_id: 'p1', tags: ['t'] },
        },
      ])
      expect(found[3]!.memories).to.deep.equal([
        {
          content: '# The hive',
          title: 'hive.md',
          source_uri: 'https://claude.ai/project/p1',
          ts_valid_start: '2025-03-04T09:00:00.500Z',
          metadata: { imported_from: 'claude', project: 'Bees', project_id: 'p1', tags: ['t'] },
        },
      ])
      expect(found.map(({ leftOut }) => Object.fromEntries(leftOut!.counts))).to.deep.equal([
        {},
        { 'files of Claude’s memory': 1, 'memories that are no text': 1 },
        { 'sample projects': 1 },
        { 'instructions of projects': 1, 'descriptions of projects': 1, 'files without their text': 1 },
      ])
    })

    it('may have a file for each of them', async () => {
      const found = await foundIn({
        'x/memories/a.json': MEMORIES,
        'x/projects/p1.json': PROJECT,
        'x/projects/p2.json': [3],
      })
      expect(found.map(texts)).to.deep.equal([['Ana keeps bees.', 'The hive stands north.'], ['# The hive'], []])
      expect(found[2]!.fault).to.equal('is not a JSON object.')
    })
  })

  it('counts what it leaves out, by kind', () => {
    const image = { content_type: 'image_asset_pointer' }
    const turns = [
      { role: 'system', text: 'You are helpful.' },
      user('Look.', { content: { content_type: 'multimodal_text', parts: [image, image, 'Look.'] } }),
      assistant('search("fox")', { recipient: 'browser' }),
      { role: 'tool', text: 'Results' },
      assistant('', { content: { content_type: 'thoughts', thoughts: [] } }),
    ]
    const value = chatgptConversation('c5', turns)
    const other = { id: 'x', message: { author: { role: 'user' } }, parent: 'm0', children: [] }
    const found = chatgpt({ ...value, mapping: { ...value.mapping, x: other } })
    expect(Object.fromEntries(found.leftOut!.counts)).to.deep.equal({
      'messages of the system and of tools': 2,
      'images, files and recordings': 2,
      'messages to tools': 1,
      thoughts: 1,
      'messages of other branches': 1,
    })
    const blocks = ['thinking', 'tool_use', 'tool_result', 'text'].map((type) => ({ type, text: 'So.' }))
    const branches = claude(
      claudeConversation('u4', [user('a'), assistant('', { content: blocks }), user('b')], {
        parents: [null, null, 1],
      }),
    )
    expect(Object.fromEntries(branches.leftOut!.counts)).to.deep.equal({
      'messages of other branches': 1,
      thoughts: 1,
      'calls of tools': 1,
      'results of tools': 1,
    })
  })

  it('with a conversation that makes no sense says which, and why', () => {
    const one = chatgptConversation('c', [user('a'), assistant('b')])
    const mapped = (nodes: object) => ({ ...one, mapping: { ...one.mapping, ...nodes } })
    for (const [value, fault] of [
      [mapped({ m0: { id: 'm0', parent: 'm1' } }), 'has messages in a circle, at m1.'],
      [mapped({ m0: { id: 'm0', parent: 'gone' } }), 'lacks the message gone, which another one answers.'],
      [{ ...one, current_node: '__proto__' }, 'lacks the message __proto__, which another one answers.'],
      [
        { ...one, current_node: null, mapping: { a: { parent: 'b' }, b: { parent: 'a' } } },
        'has messages in a circle, and no last one.',
      ],
      [{ ...one, mapping: [] }, 'has no mapping.'],
      [{ ...one, id: 7, conversation_id: '' }, 'has no id.'],
      [{ ...one, id: 'x'.repeat(201), conversation_id: null }, 'has an id of more than 200 characters.'],
      [{ ...one, id: 'a\ud800', conversation_id: null }, 'has an id with half of a surrogate pair.'],
      ['text', 'is not a JSON object.'],
      [claudeConversation('u', []), 'looks like Claude’s: give --from claude.'],
    ] as const) {
      const found = chatgpt(value)
      expect([found.memories, found.fault], fault).to.deep.equal([[], fault])
    }
    expect(claude(one).fault).to.equal('looks like ChatGPT’s: give --from chatgpt.')
    expect(claude({}).fault).to.equal('has no id.')
    expect(claude({ uuid: 'u' }).fault).to.equal('has no chat_messages.')
    const circle = claudeConversation('u', [user('a'), user('b')], { parents: [1, 0] })
    expect(claude(circle).fault).to.equal('has messages in a circle, at u-m1.')
  })

  it('is read from a file, a folder and a .zip, whose files may be numbered', async () => {
    expect(await elementsOf('\ufeff[{"a":1},\n {"b":"ü"}]')).to.deep.equal([{ a: 1 }, { b: 'ü' }])
    expect(await elementsOf('[]')).to.deep.equal([])
    expect(await elementsOf(' {"mapping":{"a":[1]}}')).to.deep.equal([{ mapping: { a: [1] } }])
    const zip = zipOf({
      'export/conversations-001.json': '[2]',
      'export/conversations-000.json': '[1]',
      'export/user.json': '[9]',
      'conversations.json.bak': '[9]',
    })
    expect(await elementsOf(zip, 'export.zip')).to.deep.equal([1, 2])
    expect(await elementsOf(zipOf({ 'user.json': '{}' }), 'none.zip')).to.match(/^there is no conversations.json in /)
  })

  it('is refused where a pipe stands in its place, which has no end and maybe no writer', async () => {
    const folder = await mkdtemp(path.join(directory, 'pipe-'))
    const pipe = path.join(folder, 'conversations.json')
    await promisify(execFile)('mkfifo', [pipe])
    for (const given of [pipe, folder]) {
      const error = (await readChats(given, (one) => one)
        .next()
        .catch((thrown: Error) => thrown)) as Error
      expect(error.message).to.equal(`${pipe} cannot be read (it is neither a file nor a folder).`)
    }
  })

  it('that is damaged or hostile is refused with the reason', async () => {
    for (const [content, reason] of [
      ['', 'it ends in the middle'],
      ['[{"a":1},{"b"', 'it ends in the middle'],
      ['[{"a":1}', 'it ends in the middle'],
      ['"text"', 'it is not an array of conversations'],
      [Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), 'it is not UTF-8'],
      ['['.repeat(1_000_000), 'it is nested deeper than 200 levels'],
      [
        Buffer.concat([Buffer.from('["'), Buffer.alloc(100 * 1024 * 1024, 'x')]),
        'conversation 1 is larger than 32 MiB',
      ],
    ] as const)
      expect(await elementsOf(content)).to.equal(`/conversations.json cannot be read (${reason}).`)
    expect(await elementsOf('[1] [2]')).to.match(/^\/conversations.json cannot be read \(/)
    expect(await elementsOf('[{"a":nil}]')).to.match(/^\/conversations.json cannot be read \(/)
    expect(await elementsOf('[1, "a\0b"]')).to.match(/^\/conversations.json cannot be read \(/)
    const climbing = zipOf({ '../conversations.json': '[1]' })
    expect(await elementsOf(climbing, 'climbing.zip')).to.match(
      /^\/climbing.zip cannot be read \(invalid relative path/,
    )
    const bomb = `[${'{},'.repeat(1_000_000)}{}]`
    expect(await elementsOf(zipOf({ 'conversations.json': bomb }, { deflate: true }), 'bomb.zip')).to.match(
      /^conversations.json in \/bomb.zip cannot be read \(it expands to more than 200 times its size/,
    )
    const plain = JSON.stringify(
      Array.from({ length: 20_000 }, (_, i) => ({ uuid: `u${i}`, text: 'The same text. '.repeat(5) })),
    )
    expect(await elementsOf(zipOf({ 'conversations.json': plain }, { deflate: true }), 'plain.zip')).to.have.length(
      20_000,
    )
    const cut = zipOf({ 'conversations.json': '[1]' }).subarray(0, 40)
    expect(await elementsOf(cut, 'cut.zip')).to.match(/^\/cut.zip is not a .zip that can be read \(/)
  })
})
