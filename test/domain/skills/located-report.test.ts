import { expect } from 'chai'
import fc from 'fast-check'
import { aboutWhole, type Found, reportOf } from '../../../domain/scan/report.js'
import { locatedReport } from '../../../domain/skills/located-report.js'
import { skillFile } from '../../../domain/skills/skill-file.js'

const VERSION = {
  name: 'Rotate "keys"',
  slug: 'rotate-keys',
  description: 'When it is due.',
  content: '# Steps\n\n1. Create one.\n2. Retire the old one.\n',
  docId: 'agent/rotate-keys',
  version: 3,
  frontMatter: null,
  contentHash: `sha256:${'0'.repeat(64)}`,
}
type Version = typeof VERSION

function finding(field: string, line: number | null, column: number | null): Found {
  return { code: 'secret', severity: 'warn', message: 'It is one.', ...aboutWhole(field), line, column }
}
const fileOf = ({ docId, contentHash, frontMatter, content, ...facts }: Version) =>
  skillFile({ ...facts, doc_id: docId, content_hash: contentHash, front_matter: frontMatter }, content)

/** Returns where a finding in a field stands in the file. */
function located(version: Version, field: string, line: number | null, column: number | null) {
  const [found] = locatedReport(reportOf([finding(field, line, column)]), version).findings
  return { line: found!.line, column: found!.column }
}

/** Returns the file from a place on. */
function fileFrom(version: Version, { line, column }: ReturnType<typeof located>): string {
  const lines = fileOf(version)
    .split('\n')
    .slice(line! - 1)
  return lines.join('\n').slice(column! - 1)
}

describe('the places of findings in a SKILL.md', () => {
  it('count from its first line, front matter included', () => {
    const place = located(VERSION, 'content', 3, 4)
    expect(fileOf(VERSION).split('\n')[place.line! - 1]).to.equal('1. Create one.')
    expect(fileFrom(VERSION, place)).to.match(/^Create one/)
    expect(fileFrom(VERSION, located(VERSION, 'content', 1, 1))).to.match(/^# Steps/)
  })

  it('point into the front matter for name and description, as they are escaped there', () => {
    expect(fileFrom(VERSION, located(VERSION, 'name', 1, 9))).to.match(/^keys\\"/)
    const description = 'First "line"\u200b\nsecond line: here'
    const place = located({ ...VERSION, description }, 'description', 2, 8)
    expect(fileFrom({ ...VERSION, description }, place)).to.match(/^line: here"\n/)
    expect(place.line).to.equal(3)
  })

  it('stay as they are for what the file does not have, and for a field as a whole', () => {
    expect(located(VERSION, 'summary', 2, 3)).to.deep.equal({ line: 2, column: 3 })
    expect(located(VERSION, 'tags[0]', 1, 3)).to.deep.equal({ line: 1, column: 3 })
    expect(located(VERSION, 'content', null, null)).to.deep.equal({ line: null, column: null })
    expect(located(VERSION, 'content', 3, null)).to.deep.equal({
      line: located(VERSION, 'content', 3, 1).line,
      column: null,
    })
  })

  it('point to the content where a part of it is merged into the front matter', () => {
    const content = '---\nname: x\nlicense: MIT\n---\nDo it.\nThen stop.\n'
    expect(fileFrom({ ...VERSION, content }, located({ ...VERSION, content }, 'content', 6, 6))).to.equal('stop.\n')
    expect(fileFrom({ ...VERSION, content }, located({ ...VERSION, content }, 'content', 3, 1))).to.match(/^Do it/)
    const empty = '---\nname: x\n---\n'
    expect(fileFrom({ ...VERSION, content: empty }, located({ ...VERSION, content: empty }, 'content', 1, 1))).to.equal(
      '\n',
    )
  })

  it('are found by writing the file once, however many they are', () => {
    const writesFor = (count: number) => {
      let writes = 0
      const version = Object.defineProperty({ ...VERSION }, 'contentHash', {
        enumerable: true,
        get: () => `sha256:${String(writes++).padStart(64, '0')}`,
      })
      const fields = ['name', 'description', 'content']
      const found = Array.from({ length: count }, (_, i) => finding(fields[i % 3]!, 1, 1 + (i % 5)))
      locatedReport({ ...reportOf([]), findings: reportOf(found).findings }, version)
      return writes
    }
    expect(writesFor(90)).to.equal(writesFor(1)).and.equal(1)
  })

  it('point to the same characters in any text, also of what looks like the mark of the search', () => {
    const text = fc.stringMatching(/^[a-z0-9 \n"\\:-]{0,40}$/)
    fc.assert(
      fc.property(text, text, fc.nat(), (before, after, at) => {
        const content = `${before}place0.X${after}`
        const version = { ...VERSION, content, description: 'place0 place1. \u202e' }
        const offset = at % content.length
        const lines = content.slice(0, offset).split('\n')
        const [line, column] = [lines.length, lines.at(-1)!.length + 1]
        expect(fileFrom(version, located(version, 'content', line, column)).startsWith(content.slice(offset))).to.equal(
          true,
        )
      }),
    )
  })
})
