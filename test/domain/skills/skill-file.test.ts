import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import { contentOf, frontMatter, frontMatterOf, skillFile } from '../../../domain/skills/skill-file.js'
import { skill } from '../../support/skills-stub.js'

const HOSTILE = [
  'a: b',
  '--- ',
  'x\n---\nname: other',
  'tab\tand\r\nlines',
  '"quoted" \\ and \'single\'',
  '!!js/function >',
  '*alias &anchor #comment',
  'yes',
  '0x1F',
  '',
  'next line\u0085separator\u2028paragraph\u2029',
  'bidi \u202e text \u2066, zero\u200bwidth, bom\ufeff, tag \u{e0041}, \u007f',
  'a long line '.repeat(40),
  'a first line of several words, and then\n\na second line of several words',
  'Grüße, 日本語, 👩‍🚀',
]

describe('the front matter of a skill', () => {
  it('gives every text back, whatever it contains', () => {
    const fieldsOf = (text: string) => parse(text.slice(4, -4)) as object
    const check = (text: string) => {
      const hostile = skill('a', { name: text, description: text, doc_id: `agent/${text}` })
      const { name, description, version, doc_id, content_hash } = hostile
      expect(fieldsOf(frontMatter(hostile))).to.deep.equal({ name, description, version, doc_id, content_hash })
    }
    for (const text of HOSTILE) check(text)
    fc.assert(fc.property(fc.string({ unit: 'binary' }), check))
  })

  it('has one line for each field, and nothing that hides or controls text', () => {
    for (const text of HOSTILE) {
      const lines = frontMatter(skill('a', { name: text, description: text })).split('\n')
      expect(lines, text).to.have.length(8)
      expect(lines.map((line) => line.replace(/:.*/, ''))).to.deep.equal([
        ...['---', 'name', 'description', 'version', 'doc_id', 'content_hash', '---', ''],
      ])
      expect(lines.join('')).not.to.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }
  })

  it('is told apart from a content that looks like front matter', () => {
    for (const content of ['---\nname: other\n---\ntext\n', '\n\n---\n', 'no end of line']) {
      const file = skillFile(skill('a'), content)
      expect(frontMatterOf(file)).to.equal(frontMatter(skill('a')))
      expect(contentOf(file)).to.equal(content.endsWith('\n') ? content : `${content}\n`)
    }
    expect(frontMatterOf('# No front matter')).to.equal(null)
    expect(frontMatterOf('---\nwithout an end')).to.equal(null)
  })
})
