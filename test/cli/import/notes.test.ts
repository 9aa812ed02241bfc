import { expect } from 'chai'
import fc from 'fast-check'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { readNotes } from '../../../cli/import/markdown.js'
import { splitText, type Found } from '../../../cli/import/source.js'

describe('a folder of notes', () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'cairn-notes-'))
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  async function notesOf(files: Readonly<Record<string, string | Buffer>>, tags: string[] = []): Promise<Found[]> {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(directory, name)), { recursive: true })
      await writeFile(path.join(directory, name), content)
    }
    const found: Found[] = []
    for await (const note of readNotes(directory, { tags })) found.push(note)
    return found
  }
  const noteOf = async (text: string) => (await notesOf({ 'note.md': text }))[0]!

  it('becomes a memory for each, with title, tags, date and the rest of its front matter', async () => {
    const [found] = await notesOf(
      {
        'deploy/staging.md':
          '---\ntitle: Staging\ntags: [ops, "#db"]\ndate: 2026-03-01\nowner: { name: Ana }\n---\n\nThe port is 6432.\n',
      },
      ['notes', 'ops'],
    )
    expect(found).to.deep.equal({
      place: 'deploy/staging.md',
      memories: [
        {
          content: 'The port is 6432.\n',
          title: 'Staging',
          source_uri: 'deploy/staging.md',
          ts_valid_start: '2026-03-01T00:00:00.000Z',
          metadata: {
            owner: { name: 'Ana' },
            date: '2026-03-01',
            imported_from: 'markdown',
            path: 'deploy/staging.md',
            tags: ['ops', 'db', 'notes'],
          },
        },
      ],
    })
  })

  it('takes a title from the first heading, else from the file, and tags and times in several spellings', async () => {
    expect((await noteOf('# The port #\n\nIt is 6432.')).memories[0]!.title).to.equal('The port')
    expect((await noteOf('It is 6432.')).memories[0]!.title).to.equal('note')
    const [memory] = (await noteOf('---\r\ntags: a, b c\r\ncreated: 2026-03-01 09:30\r\n---\r\nText')).memories
    expect(memory!.metadata!.tags).to.deep.equal(['a', 'b', 'c'])
    expect(memory!.ts_valid_start).to.equal('2026-03-01T09:30:00.000Z')
    const [soon] = (await noteOf('---\ndate: soon\n---\nText')).memories
    expect([soon!.metadata!.date, soon!.ts_valid_start]).to.deep.equal(['soon', undefined])
    const [zoned] = (await noteOf('---\ndate: 2026-03-01T09:30:00+02:00\n---\nText')).memories
    expect(zoned!.ts_valid_start).to.equal('2026-03-01T07:30:00.000Z')
  })

  it('takes a heading of any length, in time that does not explode', async () => {
    const heading = `a${' '.repeat(100_000)}x`
    expect((await noteOf(`# ${heading} ##\nText`)).memories[0]!.title).to.match(/^a {198}…$/)
    expect((await noteOf('# C# ## \nText')).memories[0]!.title).to.equal('C#')
    expect((await noteOf('# ##\nText')).memories[0]!.title).to.equal('note')
  })

  it('leaves out hidden files and folders, links, other files, and notes without a text', async () => {
    const outside = await mkdtemp(path.join(os.tmpdir(), 'cairn-outside-'))
    await writeFile(path.join(outside, 'secret.md'), 'A secret.')
    await symlink(path.join(outside, 'secret.md'), path.join(directory, 'link.md'))
    await symlink(outside, path.join(directory, 'linked'))
    const found = await notesOf({
      'a.md': 'A',
      'b/c.markdown': 'C',
      'b/d.txt': 'D',
      '.obsidian/e.md': 'E',
      '.f.md': 'F',
      'g.md': '---\ntitle: Empty\n---\n \n',
    })
    await rm(outside, { recursive: true })
    expect(found.map(({ place, memories }) => [place, memories.length])).to.deep.equal([
      ['a.md', 1],
      ['b/c.markdown', 1],
      ['g.md', 0],
    ])
  })

  it('reads no link and no pipe, given itself or in the place of a file that was listed', async () => {
    const [first, second, third] = ['a.md', 'b.md', 'c.md'].map((name) => path.join(directory, name)) as [
      string,
      string,
      string,
    ]
    const secret = path.join(directory, '.secret')
    for (const file of [first, second, third, secret]) await writeFile(file, 'Text')
    const found: [string, string | undefined][] = []
    for await (const { place, fault } of readNotes(directory, { tags: [] })) {
      found.push([place, fault])
      if (place !== 'a.md') continue
      for (const file of [second, third]) await rm(file)
      await symlink(secret, second)
      await promisify(execFile)('mkfifo', [third])
    }
    for (const root of [second, third])
      for await (const { place, fault } of readNotes(root, { tags: [] })) found.push([place, fault])
    const [link, pipe] = ['cannot be read (ELOOP).', 'is no regular file.']
    expect(found).to.deep.equal([
      ['a.md', undefined],
      ['b.md', link],
      ['c.md', pipe],
      ['b.md', link],
      ['c.md', pipe],
    ])
  })

  it('has no front matter where a rule is only a rule', async () => {
    for (const text of ['---\nOne rule.', '---\nText\n---\nbetween rules', 'Text\n---\ntitle: no\n---\n'])
      expect((await noteOf(text)).memories[0]!.content).to.equal(text)
  })

  it('says which note cannot be read, and why', async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((name, i) => `${name}: &${name} [${`*${'abcdefgh'[i]},`.repeat(9)}]\n`).join('')}`
    const found = await notesOf({
      'bomb.md': `---\n${bomb}---\nText`,
      'circle.md': '---\na: &a [*a]\n---\nText',
      'dashes.md': `---\n${'- '.repeat(8_000)}\n---\nText`,
      'deep.md': `---\na: ${'['.repeat(16_000)}\n---\nText`,
      'fine.md': 'Text',
      'great.md': 'x'.repeat(16 * 1024 * 1024 + 1),
      'huge.md': `---\na: ${'x'.repeat(17_000)}\n---\nText`,
      'nested.md': `---\na: ${'['.repeat(2_000)}\n---\nText`,
      'latin.md': Buffer.from('Text \xe9', 'latin1'),
      'wrong.md': '---\na: "b\n---\nText',
    })
    const faults = Object.fromEntries(found.map(({ place, fault }) => [place, fault]))
    expect(faults['great.md']).to.equal('is larger than 16 MiB.')
    expect(faults['latin.md']).to.equal('is not UTF-8.')
    const others = found.filter(({ place }) => !['great.md', 'latin.md'].includes(place))
    expect(others.map(({ fault }) => fault)).to.deep.equal(others.map(() => undefined))
    expect(others.map(({ memories }) => memories.map(({ content }) => content))).to.deep.equal(
      others.map(() => ['Text']),
    )
    const warnings = Object.fromEntries(found.map(({ place, warning }) => [place, warning]))
    const kept = (reason: string) =>
      new RegExp(`^its front matter is not YAML \\(${reason}.*\\), so it is kept as it is written\\.$`)
    expect(warnings['bomb.md']).to.match(kept('Excessive alias count'))
    expect(warnings['circle.md']).to.match(kept('Converting circular structure'))
    expect(warnings['deep.md']).to.equal('its front matter has more than 15 KiB and is not kept.')
    expect(warnings['dashes.md']).to.equal('its front matter has more than 15 KiB and is not kept.')
    expect(warnings['nested.md']).to.match(kept('it is nested too deeply'))
    expect(warnings['fine.md']).to.equal(undefined)
    expect(warnings['huge.md']).to.equal('its front matter has more than 15 KiB and is not kept.')
    expect(warnings['wrong.md']).to.match(kept('Missing closing'))
    const wrong = found.find(({ place }) => place === 'wrong.md')!
    expect(wrong.memories[0]!.metadata!.front_matter).to.equal('a: "b\n')
  })

  it('is written with its front matter as it is where that is no strict YAML, as programs for notes show it', async () => {
    for (const yaml of [
      'title: Governance: Rootkeeper',
      'up: [[A]], [[B]]',
      'author: @ana',
      'status: 50% done: yes',
      'tags: a\ntags: b',
      'a:\n\tb: 1',
    ]) {
      const found = await noteOf(`---\n${yaml}\n---\n# Heading\nBody`)
      expect(found.fault, yaml).to.equal(undefined)
      expect(found.warning, yaml).to.match(/^its front matter is not YAML/)
      const [memory] = found.memories
      expect([memory!.content, memory!.title, memory!.metadata!.front_matter]).to.deep.equal([
        '# Heading\nBody',
        'Heading',
        `${yaml}\n`,
      ])
    }
  })

  it('without a text is counted', async () => {
    expect([...(await noteOf('---\ntitle: empty\n---\n')).leftOut!.counts]).to.deep.equal([['notes without a text', 1]])
  })

  it('that is too long for a memory is cut at paragraphs, else at lines, sentences and words', async () => {
    const paragraph = `${'word '.repeat(700).trim()}.`
    const found = await noteOf([paragraph, paragraph, paragraph, 'Last.'].join('\n\n'))
    expect(found.memories.map(({ content }) => content)).to.deep.equal([
      `${paragraph}\n\n${paragraph}\n\n`,
      `${paragraph}\n\nLast.`,
    ])
    expect(found.memories.map(({ metadata }) => [metadata!.part, metadata!.parts])).to.deep.equal([
      [1, 2],
      [2, 2],
    ])
    expect(splitText('aaaa\nbb cc', 8)).to.deep.equal(['aaaa\nbb ', 'cc'])
    expect(splitText('aaaaa\nbb cc', 8)).to.deep.equal(['aaaaa\n', 'bb cc'])
    expect(splitText('One two. Three', 10)).to.deep.equal(['One two. ', 'Three'])
    expect(splitText('🦊'.repeat(4), 5)).to.deep.equal(['🦊🦊', '🦊🦊'])
  })

  it('keeps its white space, in parts too, which together are the note', async () => {
    const text = '  # Not a heading\n\n    indented: 1\n\n'
    expect((await noteOf(text)).memories[0]!.content).to.equal(text)
    expect((await noteOf(`---\ntitle: T\n---\n\n${text}`)).memories[0]!.content).to.equal(text)
    const code = 'if a:\n    b()\n    c()\n\n    d()\n\n'
    const parts = splitText(code, 16)
    expect(parts).to.deep.equal(['if a:\n    b()\n', '    c()\n\n    d()\n\n'])
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '.', ' ', '\t', '\n'), maxLength: 60 }), (drawn) => {
        const cut = splitText(drawn, 8)
        if (!/\s{5}/.test(drawn) && drawn.trim() !== '') expect(cut.join('')).to.equal(drawn)
        for (const part of cut) expect(part.trim()).to.have.length.within(1, 8)
      }),
    )
  })
})
