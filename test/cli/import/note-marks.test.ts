import { expect } from 'chai'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { readNotes } from '../../../cli/import/markdown.js'
import type { Found } from '../../../cli/import/source.js'

describe('tags, links and dates of notes', () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'cairn-note-marks-'))
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  async function noteOf(text: string, name = 'note.md', tags: string[] = []): Promise<Found> {
    const file = path.join(directory, name)
    await writeFile(file, text)
    const { value } = await readNotes(file, { tags }).next()
    return value!
  }
  const tagsOf = async (text: string) => (await noteOf(text)).memories[0]!.metadata!.tags ?? []
  const linksOf = async (text: string) => ((await noteOf(text)).memories[0]!.entity_links ?? []).map(({ name }) => name)

  it('adds the tags within a text to those of its front matter and of the command, each once', async () => {
    const text = '#ops and #db/main, again #db/main.\n'
    const found = await noteOf(`---\ntags: [ops]\n---\n${text}`, 'note.md', ['vault'])
    expect(found.memories[0]).to.deep.include({ content: text })
    expect(found.memories[0]!.metadata!.tags).to.deep.equal(['ops', 'vault', 'db/main'])
  })

  it('reads a tag in any script, with digits, signs and emoji, after white space or at the start of a line', async () => {
    for (const [text, tags] of [
      ['#넥스트 #个人品牌/分享 #हिन्दी #año', ['넥스트', '个人品牌/分享', 'हिन्दी', 'año']],
      ['#a_b-c/d #2026-plan #1a', ['a_b-c/d', '2026-plan', '1a']],
      ['#🦊 #fox🦊 #👩🏻‍💻 #🇩🇪', ['🦊', 'fox🦊', '👩🏻‍💻', '🇩🇪']],
      [
        '- #todo\n> #quoted\n>#near\n\n# A heading #inside\nText\n\t#tabbed',
        ['todo', 'quoted', 'near', 'inside', 'tabbed'],
      ],
      ['| a | b |\n|---|---|\n| #cell | `#code` |', ['cell']],
      ['#end. #comma, (see #bracket) #C++ #one#two', ['end', 'comma', 'bracket', 'C', 'one']],
      ['One\r\n#windows\rTwo', ['windows']],
      ['[^1]: [[Source]] #footnote', ['footnote']],
    ] as const)
      expect(await tagsOf(text), text).to.deep.equal(tags)
  })

  it('reads no tag in numbers, colours, headings, addresses, code and attributes', async () => {
    for (const text of [
      '#1 #282 #٣',
      '#FFB8EB #ffb8eba6',
      '# Heading\n\n## Another\n\n#\n##none',
      '#️⃣ Channels\n#️⃣-Channels',
      'https://example.com/#anchor [a](#anchor) a#b (#c) "#d" \\#e',
      '```sh\n#include\n```',
      '- ~~~\n  #include\n  ~~~',
      '> ```\n> #include\n> ```',
      '````\n```\n#include\n````',
      'Text\n\n    #indented',
      'a ` #code ` and `` ` #code `` and\n` over\n#lines `',
      '[[Note #heading]] ![[ #heading]]',
      '<mark style="background: #decade1;">text</mark>',
    ])
      expect(await tagsOf(text), text).to.deep.equal([])
    expect(await tagsOf('a ` #tag `` #other')).to.deep.equal(['tag', 'other'])
  })

  it('names the notes that a text links to as entities, each once, without folder, heading and alias', async () => {
    for (const [text, names] of [
      ['[[Ana]], [[Ana|her]], [[Ana#Work]], [[team/Ana]], [[Ana.md]], [[ana]]', ['Ana']],
      ['[[Node.js]] [[v1.2]] [[work.README|work]] [[a/b/C++#x|y]]', ['Node.js', 'v1.2', 'work.README', 'C++']],
      [
        '![[2024-02-03]] ![[Text#^block|quoted]] [[파인만 공부법]] [[🦊]]',
        ['2024-02-03', 'Text', '파인만 공부법', '🦊'],
      ],
      ['| a | b |\n|---|---|\n| [[Cell\\|alias]] | x |', ['Cell']],
      ['> [[Quoted]]\n\n[^1]: [[Foot]]', ['Quoted', 'Foot']],
      ['[[#Heading]] [[#^block|here]] [[ ]] [[|a]] [[folder/]] [[\u200b]]', []],
      ['![[image.png]] ![[a/Pasted image 2.JPEG|300]] ![[Paper.pdf#page=2]] [[Board.canvas]] ![[Plan.excalidraw]]', []],
      ['[[{{yesterday}}|yesterday]] [[<% tp.date.now() %>]]', []],
      ['`[[Code]]`\n\n```\n[[Code]]\n```\n\n[Text](Note.md) [[a\nb]]', []],
    ] as const) {
      expect(await linksOf(text), text).to.deep.equal(names)
      const [memory] = (await noteOf(text)).memories
      expect([memory!.content, 'entity_links' in memory!], text).to.deep.equal([text, names.length > 0])
    }
  })

  it('counts the links and tags that a memory cannot hold', async () => {
    const names = Array.from({ length: 103 }, (_, i) => `N${i}`)
    const many = await noteOf(names.map((name) => `[[${name}]]`).join(' '))
    expect(many.memories[0]!.entity_links).to.deep.equal(names.slice(0, 100).map((name) => ({ name })))
    expect([...many.leftOut!.counts]).to.deep.equal([['links to notes', 3]])
    const long = await noteOf(`[[${'x'.repeat(201)}]] [[${'🦊'.repeat(200)}]]`)
    expect(long.memories[0]!.entity_links).to.have.length(1)
    expect([...long.leftOut!.counts]).to.deep.equal([['links to notes', 1]])
    const tags = Array.from({ length: 900 }, (_, i) => `#tag-${i}`)
    const full = await noteOf(`---\nowner: ${'ü'.repeat(7_000)}\n---\n${tags.join(' ')}`)
    const { metadata } = full.memories[0]!
    expect(Buffer.byteLength(JSON.stringify(metadata))).to.be.within(16_350, 16_384)
    const kept = (metadata!.tags as string[]).length
    expect([...full.leftOut!.counts]).to.deep.equal([['tags', 900 - kept]])
    expect(
      (
        await noteOf(
          names
            .slice(3)
            .map((name) => `[[${name}]] #${name}`)
            .join(' '),
        )
      ).leftOut,
    ).to.equal(undefined)
  })

  it('gives each memory of a long note the tags and links of its own part', async () => {
    const filler = `${'word '.repeat(1_500)}\n\n`
    const code = `\`\`\`\n${'#code [[Code]]\n'.repeat(1_000)}\`\`\`\n\n`
    const { memories } = await noteOf(`#first [[A]] ${filler}[[B]] #second ${filler}${code}#last [[A]]`)
    expect(memories).to.have.length.above(3)
    const marks = memories.map(({ metadata, entity_links }) => [
      ...((metadata!.tags ?? []) as string[]),
      ...(entity_links ?? []).map(({ name }) => name),
    ])
    expect(marks.filter((own) => own.length > 0)).to.deep.equal([
      ['first', 'A'],
      ['second', 'B'],
      ['last', 'A'],
    ])
  })

  it('reads a text that was made to be slow', async () => {
    const million = 1_000_000
    for (const text of [
      `#${'`'.repeat(1_400)}`.repeat(700),
      Array.from({ length: 5_000 }, (_, i) => `${'`'.repeat(i + 1)} `).join('#'),
      '[['.repeat(million / 2),
      '#<a '.repeat(million / 4),
      `#a${'> '.repeat(million / 2)}`,
      `${' '.repeat(million)}#a`,
      '>'.repeat(million) + '#a',
      '- '.repeat(million / 2) + '#a',
      '|#a'.repeat(million / 4) + '\n' + '|-'.repeat(million / 4),
    ])
      expect((await noteOf(text)).fault).to.equal(undefined)
  })

  it('takes the time from a date that the file name begins with, unless the front matter has one', async () => {
    for (const [name, text, time] of [
      ['2026-03-01.md', 'Text', '2026-03-01T00:00:00.000Z'],
      ['2026-03-01 Title.md', 'Text', '2026-03-01T00:00:00.000Z'],
      ['2026-03-01-title.markdown', 'Text', '2026-03-01T00:00:00.000Z'],
      ['2024-02-29.md', 'Text', '2024-02-29T00:00:00.000Z'],
      ['2026-03-01.md', '---\ndate: 2026-02-02\n---\nText', '2026-02-02T00:00:00.000Z'],
      ['2026-03-01.md', '---\ncreated: 2026-02-03 10:00\n---\nText', '2026-02-03T10:00:00.000Z'],
      ['2026-03-01.md', '---\ndate:\n---\nText', '2026-03-01T00:00:00.000Z'],
      ['2026-03-01.md', '---\ndate: soon\ncreated: 2026-02-03\n---\nText', '2026-02-03T00:00:00.000Z'],
      ['2026-03-01.md', '---\ndate: soon\n---\nText', '2026-03-01T00:00:00.000Z'],
      ['2026-02-30.md', 'Text', undefined],
      ['2025-02-29 Title.md', 'Text', undefined],
      ['2026-13-01.md', 'Text', undefined],
      ['2026-03-015.md', 'Text', undefined],
      ['2026-03-01st.md', 'Text', undefined],
      ['Title 2026-03-01.md', 'Text', undefined],
      ['note.md', '---\ndate: 2026-02-30\n---\nText', undefined],
      ['note.md', '---\ndate: 2026-04-31T10:00:00+02:00\n---\nText', undefined],
    ] as const)
      expect((await noteOf(text, name)).memories[0]!.ts_valid_start, `${name} ${text}`).to.equal(time)
  })
})
