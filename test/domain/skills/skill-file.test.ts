import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import { frontMatter, skillFile } from '../../../domain/skills/skill-file.js'
import { skill } from '../../support/skills-stub.js'

const HOSTILE = [
  'a: b',
  '--- ',
  '------- and --- again',
  'x\n---\nname: other',
  'tab\tand\r\nlines',
  '"quoted" \\ and \'single\'',
  '!!js/function >',
  '*alias &anchor #comment',
  'yes',
  '0x1F',
  'next line\u0085separator\u2028paragraph\u2029',
  'bidi \u202e text \u2066, zero\u200bwidth, bom\ufeff, tag \u{e0041}, \u007f',
  'a long line '.repeat(40),
  'a first line of several words, and then\n\na second line of several words',
  'Grüße, 日本語, 👩‍🚀',
]

interface Fields {
  readonly name: string
  readonly description: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Returns the fields of a file, and how its body goes on after them. */
function read(file: string): { fields: Fields; body: string } {
  const [, yaml, body] = /^---\n([^]*?)---\n([^]*)$/.exec(file)!
  return { fields: parse(yaml!) as Fields, body: body! }
}

describe('the front matter of a skill', () => {
  it('gives every text back, whatever it contains', () => {
    const check = (text: string) => {
      const hostile = skill('a', { name: text, description: text, doc_id: `agent/${text}` })
      const { version, doc_id, content_hash } = hostile
      expect(parse(frontMatter(hostile).slice(4, -4))).to.deep.equal({
        name: 'a',
        description: text.replaceAll('<', '‹').replaceAll('>', '›'),
        metadata: { title: text, doc_id, version: String(version), content_hash },
      })
    }
    for (const text of HOSTILE) check(text)
    fc.assert(fc.property(fc.string({ unit: 'binary' }), check))
  })

  it('has one line for each field, one end, and nothing that hides or controls text', () => {
    for (const text of HOSTILE) {
      const whole = frontMatter(skill('a', { name: text, description: text }))
      const lines = whole.split('\n')
      expect(lines.map((line) => line.trim().replace(/:.*/, ''))).to.deep.equal([
        ...['---', 'name', 'description', 'metadata', 'title', 'doc_id', 'version', 'content_hash', '---', ''],
      ])
      expect(lines.join('')).not.to.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect(whole.split('---'), text).to.have.length(3)
    }
  })

  it('has a description of 1,024 characters at most, cut at a word', () => {
    const { description } = read(skillFile(skill('a', { description: '日本 '.repeat(600) }), 'x')).fields
    expect([...description].length).to.be.within(1_000, 1_024)
    expect(description).to.match(/日本…$/)
  })

  it('takes in the front matter that a content begins with, so that the file has one', () => {
    const own =
      '---\r\nname: "Other"\r\ndescription: other\r\nlicense: MIT\r\nallowed-tools: Read Bash(git:*)\r\nunknown: 1\r\nmetadata:\r\n  author: ada\r\n  doc_id: forged\r\n---\r\n# Steps\r\n'
    const { fields, body } = read(skillFile(skill('a'), own))
    const { doc_id, content_hash, name: title, description } = skill('a')
    expect(fields).to.deep.equal({
      ...{ name: 'a', description, license: 'MIT', 'allowed-tools': 'Read Bash(git:*)' },
      metadata: { author: 'ada', title, doc_id, version: '1', content_hash },
    })
    expect(body).to.equal('\n# Steps\r\n')
  })

  it('leaves a content as it is that begins with a rule, or with what is no front matter', () => {
    for (const content of [
      '---\ntext\n',
      '---\njust a text\n---\nmore\n',
      '---\n: [\n---\n',
      '\n\n---\n',
      'no end of line',
    ])
      expect(read(skillFile(skill('a'), content)).body).to.equal(
        `\n${content.endsWith('\n') ? content : `${content}\n`}`,
      )
  })
})
