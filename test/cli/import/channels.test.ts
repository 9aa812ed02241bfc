import { expect } from 'chai'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { ChannelImport } from '../../../cli/import/channel.js'
import { readDiscord } from '../../../cli/import/discord.js'
import { readSlack } from '../../../cli/import/slack.js'
import type { Found } from '../../../cli/import/source.js'
import { readTelegram } from '../../../cli/import/telegram.js'
import { zipOf } from '../../support/chat-exports.js'

type Read = (source: string, options: ChannelImport) => AsyncIterable<Found>

describe('an export of channels', () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'cairn-channels-'))
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  async function folderOf(files: Readonly<Record<string, unknown>>): Promise<string> {
    const folder = await mkdtemp(path.join(directory, 'export-'))
    for (const [name, value] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
      await writeFile(path.join(folder, name), JSON.stringify(value))
    }
    return folder
  }

  async function found(read: Read, source: string, format: string): Promise<Found[]> {
    const places: Found[] = []
    for await (const place of read(source, { format, shared: { tags: ['t'] } })) places.push(place)
    return places
  }
  const said = (places: readonly Found[]) =>
    places.map(({ place, memories }) => [place, memories.map(({ content }) => content)] as const)
  const leftOut = (places: readonly Found[]) => places.map(({ leftOut: left }) => Object.fromEntries(left!.counts))
  const refusal = async (read: Read, source: string) => {
    try {
      return await found(read, source, 'any')
    } catch (error) {
      return (error as Error).message.replaceAll(directory, '').replace(/^\/export-\w+/, '')
    }
  }

  describe('of Slack', () => {
    const message = (ts: string, text: string, fields: object = {}) => ({
      type: 'message',
      user: 'U1',
      ts,
      text,
      ...fields,
    })
    const FILES = {
      'users.json': [
        { id: 'U1', name: 'dana', profile: { real_name: 'Dana Reed', display_name: 'dana' } },
        { id: 'U2', name: 'eve', real_name: 'Eve', profile: {} },
      ],
      'channels.json': [{ id: 'C7', name: 'general' }],
      'general/2024-05-01.json': [
        message(
          '1714557600.000100',
          'Ask &lt;<@U2>&gt; in <#C9|ops>, see <https://wiki.example/x|the page> &amp; <https://a.example>.',
        ),
        message('1714557660.000200', '', { subtype: 'channel_join' }),
        message('1714557720.000300', 'With a picture.', { subtype: 'file_share', files: [{ name: 'a.png' }] }),
        message('1714557780.000400', 'Deployed.', { subtype: 'bot_message', user: undefined, username: 'Deploys' }),
      ],
      'general/2024-05-02.json': [
        message('1714644000.000500', 'Agreed, <!here>.', { user: 'U2', thread_ts: '1714557600.000100' }),
        message('1714644060.000600', '', { user: 'U9', attachments: [{ fallback: 'Build 7 failed.' }] }),
      ],
      'canvases/notes.json': { any: 1 },
    }

    it('becomes a memory for each message, with its author, by days and threads', async () => {
      const places = await found(readSlack, await folderOf(FILES), 'slack')
      expect(said(places)).to.deep.equal([
        [
          '#general on 2024-05-01',
          [
            'Ask <@Eve> in #ops, see the page (https://wiki.example/x) & https://a.example.',
            'With a picture.',
            'Deployed.',
          ],
        ],
        ['#general on 2024-05-02', ['Agreed, @here.', 'Build 7 failed.']],
      ])
      expect(leftOut(places)).to.deep.equal([{ 'notices of channels': 1, 'images, files and recordings': 1 }, {}])
      const [first, second] = [places[0]!.memories[0]!, places[1]!.memories[0]!]
      expect(first).to.deep.include({
        title: '#general',
        memory_type: 'episode',
        run_id: 'slack:C7:2024-05-01',
        source_uri: 'slack:C7/1714557600.000100',
        ts_valid_start: '2024-05-01T10:00:00.000Z',
        entity_links: [{ name: 'Dana Reed', entity_type: 'person', role: 'author' }],
      })
      expect(second.run_id).to.equal('slack:C7:1714557600.000100')
      expect(second.metadata).to.deep.equal({
        imported_from: 'slack',
        channel: '#general',
        channel_id: 'C7',
        message_id: '1714644000.000500',
        author: 'Eve',
        thread_id: '1714557600.000100',
        tags: ['t'],
      })
      expect(places[1]!.memories[1]!.metadata!.author).to.equal('U9')
    })

    it('has all words of what apps attach', async () => {
      const by = (attachment: object) =>
        message('1714557600.000100', '', { user: undefined, attachments: [attachment] })
      const folder = await folderOf({
        'builds/2024-05-01.json': [
          by({ fallback: 'short', pretext: '1 commit by Eve:', text: '<https://a.example|5ccecce>: faster', id: 1 }),
          by({ fallback: 'short', title: 'Build 7', fields: [{ title: 'state', value: 'failed' }, { value: 'main' }] }),
          by({ fallback: 'Only this.' }),
        ],
      })
      expect(said(await found(readSlack, folder, 'slack'))).to.deep.equal([
        [
          '#builds on 2024-05-01',
          ['1 commit by Eve:\n5ccecce (https://a.example): faster', 'Build 7\nstate: failed\nmain', 'Only this.'],
        ],
      ])
    })

    it('is read from a .zip, in a folder of any name', async () => {
      const zip = path.join(directory, 'export.zip')
      const files = Object.entries(FILES).map(([name, value]) => [`Acme export/${name}`, JSON.stringify(value)])
      await writeFile(zip, zipOf(Object.fromEntries(files) as Record<string, string>))
      const places = await found(readSlack, zip, 'slack')
      expect(places.map(({ memories }) => memories.map(({ run_id }) => run_id))).to.deep.equal([
        ['slack:C7:2024-05-01', 'slack:C7:2024-05-01', 'slack:C7:2024-05-01'],
        ['slack:C7:1714557600.000100', 'slack:C7:2024-05-02'],
      ])
    })

    it('is refused where it is another thing, or damaged', async () => {
      const folder = await folderOf(FILES)
      const day = path.join(folder, 'general/2024-05-01.json')
      expect(await refusal(readSlack, day)).to.match(/is one file: give the \.zip or the folder of the whole export\.$/)
      expect(await refusal(readSlack, await folderOf({ 'a.json': [] }))).to.match(
        /^there is no folder of a channel of Slack/,
      )
      await writeFile(day, '[{"type":"message"')
      expect(await refusal(readSlack, folder)).to.equal(
        '/general/2024-05-01.json cannot be read (it ends in the middle).',
      )
    })
  })

  describe('of Discord', () => {
    const message = (id: string, content: string, fields: object = {}) => ({
      id,
      type: 'Default',
      timestamp: '2024-05-01T12:00:00.25+02:00',
      content,
      author: { id: '5', name: 'dana', nickname: 'Dana', isBot: false },
      attachments: [],
      ...fields,
    })
    const channel = (...messages: object[]) => ({
      guild: { id: '11', name: 'Acme' },
      channel: { id: '22', type: 'GuildTextChat', name: 'general' },
      messages,
      messageCount: messages.length,
    })

    it('becomes a memory for each message of the files of DiscordChatExporter', async () => {
      const folder = await folderOf({
        'general.json': channel(
          message('1', 'Hello.'),
          message('2', '', { type: 'GuildMemberJoin' }),
          message('3', '', { attachments: [{ fileName: 'a.png' }] }),
          message('4', 'A day later.', {
            type: 'Reply',
            timestamp: '2024-05-02T00:00:00Z',
            author: { name: 'eve', nickname: null },
          }),
        ),
        'other.json': { settings: true },
        'empty.json': channel(),
      })
      const places = await found(readDiscord, folder, 'discord')
      expect(said(places)).to.deep.equal([
        ['#general on 2024-05-01', ['Hello.']],
        ['#general on 2024-05-02', ['A day later.']],
      ])
      expect(leftOut(places)[0]).to.deep.equal({ 'notices of channels': 1, 'images, files and recordings': 1 })
      expect(places[0]!.memories[0]).to.deep.include({
        run_id: 'discord:22:2024-05-01',
        source_uri: 'https://discord.com/channels/11/22/1',
        ts_valid_start: '2024-05-01T10:00:00.250Z',
        entity_links: [{ name: 'Dana', entity_type: 'person', role: 'author' }],
      })
      expect(places[1]!.memories[0]!.metadata!.author).to.equal('eve')
    })

    it('is read from a .zip of macOS, which adds hidden files of the same names', async () => {
      const zip = path.join(directory, 'mac.zip')
      const files = {
        'acme/general.json': JSON.stringify(channel(message('1', 'Hello.'))),
        '__MACOSX/acme/._general.json': '\u0000\u0005\u0016\u0007',
        'acme/.cache/old.json': JSON.stringify(channel(message('2', 'Hidden.'))),
      }
      await writeFile(zip, zipOf(files))
      expect(said(await found(readDiscord, zip, 'discord'))).to.deep.equal([['#general on 2024-05-01', ['Hello.']]])
    })

    it('has what bots answer in boxes, and what was forwarded, but no previews of links', async () => {
      const bot = { author: { name: 'ci', isBot: true } }
      const box = { title: 'Build failed', description: 'main is red', fields: [{ name: 'commit', value: 'abc' }] }
      const folder = await folderOf({
        'general.json': channel(
          message('1', '', { ...bot, type: '20', embeds: [box] }),
          message('2', 'See below.', { ...bot, embeds: [{ title: '', description: 'Details.', fields: [] }] }),
          message('3', 'https://a.example', { embeds: [box] }),
          message('4', '', { forwardedMessage: { content: 'Said before.', attachments: [{ fileName: 'a.png' }] } }),
          message('5', '', { type: '7' }),
        ),
      })
      const places = await found(readDiscord, folder, 'discord')
      expect(said(places)[0]![1]).to.deep.equal([
        'Build failed\nmain is red\ncommit: abc',
        'See below.\nDetails.',
        'https://a.example',
        'Said before.',
      ])
      expect(leftOut(places)).to.deep.equal([{ 'images, files and recordings': 1, 'notices of channels': 1 }])
    })

    it('is said not to be read in the older form of the data that Discord sends', async () => {
      const folder = await folderOf({
        'messages/c22/channel.json': { id: '22', type: 0, name: 'general' },
        'messages/c22/messages.json': [{ ID: '1', Timestamp: '2024-05-01 10:00:00', Contents: 'New.' }],
        'messages/c23/channel.json': { id: '23', type: 1 },
        'messages/c23/messages.csv': 'ID,Timestamp,Contents,Attachments',
      })
      const places = await found(readDiscord, folder, 'discord')
      expect(places.map(({ place, fault }) => [place, fault])).to.deep.equal([
        ['messages/c23/messages.csv', 'the import does not read this older form: ask Discord for your data again'],
        ['#general on 2024-05-01', undefined],
      ])
    })

    it('becomes a memory for each message of the data that Discord sends, whose ids no number holds', async () => {
      const folder = await folderOf({
        'account/user.json': { username: 'dana' },
        'messages/index.json': { '22': 'general' },
        'messages/c22/channel.json': { id: '22', type: 0, name: 'general', guild: { id: '11', name: 'Acme' } },
      })
      const text =
        '[{"ID":1234567890123456789,"Timestamp":"2024-05-01 10:00:00","Contents":"Mine.","Attachments":"https://cdn.example/a.png"}]'
      await writeFile(path.join(folder, 'messages/c22/messages.json'), text)
      const places = await found(readDiscord, folder, 'discord')
      expect(said(places)).to.deep.equal([['#general of Acme on 2024-05-01', ['Mine.']]])
      expect(places[0]!.memories[0]!.metadata).to.deep.include({ message_id: '1234567890123456789', author: 'dana' })
      expect(leftOut(places)).to.deep.equal([{ 'images, files and recordings': 1 }])
    })

    it('is refused where it is another thing, or damaged', async () => {
      expect(await refusal(readDiscord, await folderOf({ 'a.json': {} }))).to.match(/^there is no channel of Discord/)
      const folder = await folderOf({})
      await writeFile(path.join(folder, 'a.json'), JSON.stringify(channel(message('1', 'Hello.'))).slice(0, -30))
      expect(await refusal(readDiscord, folder)).to.equal('/a.json cannot be read (it ends in the middle).')
      await writeFile(path.join(folder, 'a.json'), '{"guild": {}, <html>')
      expect(await refusal(readDiscord, folder)).to.equal('/a.json cannot be read (it is not JSON, at byte 15).')
      await writeFile(path.join(folder, 'a.json'), '{"guild": {}, "channel" "x"}')
      expect(await refusal(readDiscord, folder)).to.equal('/a.json cannot be read (it is not JSON).')
    })
  })

  describe('of Telegram', () => {
    const message = (id: number, text: unknown, fields: object = {}) => ({
      id,
      type: 'message',
      date: '2024-05-01T13:00:00',
      date_unixtime: '1714557600',
      from: 'Dana',
      from_id: 'user5',
      text,
      ...fields,
    })
    const CHAT = {
      name: 'Ops',
      type: 'private_supergroup',
      id: 33,
      messages: [
        message(1, ['See ', { type: 'link', text: 'https://a.example' }, ' and ', { type: 'bold', text: 'act' }, '.']),
        message(2, '', { type: 'service', action: 'pin_message' }),
        message(3, 'A caption.', { photo: 'photos/a.jpg' }),
      ],
    }

    it('becomes a memory for each message, of one chat or of all', async () => {
      const one = await found(readTelegram, await folderOf({ 'result.json': CHAT }), 'telegram')
      expect(said(one)).to.deep.equal([['Ops on 2024-05-01', ['See https://a.example and act.', 'A caption.']]])
      expect(leftOut(one)).to.deep.equal([{ 'notices of channels': 1, 'images, files and recordings': 1 }])
      expect(one[0]!.memories[0]).to.deep.include({
        run_id: 'telegram:33:2024-05-01',
        source_uri: 'telegram:33/1',
        ts_valid_start: '2024-05-01T10:00:00.000Z',
        entity_links: [{ name: 'Dana', entity_type: 'person', role: 'author' }],
      })
      const nameless = [
        message(1, 'Old.', { from: null, date_unixtime: undefined }),
        message(2, 'Older.', { from: null, from_id: null }),
      ]
      const deleted = { name: null, id: 44, messages: nameless }
      const empty = { name: 'Empty', id: 55, messages: [] }
      const all = {
        about: 'x',
        contacts: { list: [{ first_name: 'Z' }] },
        chats: { list: [CHAT, empty, deleted] },
        left_chats: { list: [CHAT] },
      }
      const places = await found(readTelegram, await folderOf({ 'export/result.json': all }), 'telegram')
      expect(said(places)).to.deep.equal([
        ['Ops on 2024-05-01', ['See https://a.example and act.', 'A caption.']],
        ['chat 3 on 2024-05-01', ['Old.', 'Older.']],
        ['Ops on 2024-05-01', ['See https://a.example and act.', 'A caption.']],
      ])
      expect(places[1]!.memories[0]).to.deep.include({ ts_valid_start: '2024-05-01T13:00:00.000Z' })
      expect(places[1]!.memories.map(({ entity_links: links, metadata }) => [links, metadata!.author])).to.deep.equal([
        [[{ name: 'user5', entity_type: 'person', role: 'author' }], 'user5'],
        [undefined, undefined],
      ])
    })

    it('has the addresses of links, and what polls ask', async () => {
      const link = { type: 'text_link', text: 'this', href: 'https://a.example' }
      const same = { type: 'text_link', text: 'https://b.example', href: 'https://b.example' }
      const poll = { question: 'Where to?', closed: false, answers: [{ text: 'North', voters: 1 }, { text: 'South' }] }
      const chat = {
        ...CHAT,
        messages: [
          message(1, ['See ', link, ' and ', same]),
          message(2, '', { poll }),
          message(3, '', { location_information: { latitude: 1 } }),
        ],
      }
      const places = await found(readTelegram, await folderOf({ 'result.json': chat }), 'telegram')
      expect(said(places)[0]![1]).to.deep.equal([
        'See this (https://a.example) and https://b.example',
        'Where to?\n- North\n- South',
      ])
      expect(leftOut(places)).to.deep.equal([{ 'places and contacts': 1 }])
    })

    it('is refused where it is another thing, or damaged', async () => {
      const discord = { ...CHAT, messages: [{ id: '1', type: 'Default', content: 'Of Discord.' }] }
      expect(await refusal(readTelegram, await folderOf({ 'result.json': discord }))).to.match(
        /has no messages of Telegram\.$/,
      )
      expect(await refusal(readTelegram, await folderOf({ 'result.json': {} }))).to.match(
        /has no messages of Telegram\.$/,
      )
      expect(await refusal(readTelegram, await folderOf({ 'a.json': CHAT }))).to.match(
        /^there is no result\.json of Telegram/,
      )
      const folder = await folderOf({})
      await writeFile(path.join(folder, 'result.json'), JSON.stringify(CHAT).slice(0, -5))
      expect(await refusal(readTelegram, folder)).to.equal('/result.json cannot be read (it ends in the middle).')
    })
  })

  it('has runs of ids that the service takes, whatever the names in it', async () => {
    const places = await found(
      readSlack,
      await folderOf({ 'a b?ü/2024-05-01.json': [{ type: 'message', ts: '1', text: 'x' }] }),
      'slack',
    )
    expect(places[0]!.memories[0]!.run_id).to.equal('slack:a_b_ü:1970-01-01')
  })
})
