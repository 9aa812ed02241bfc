import { expect } from 'chai'
import { diffOf } from '../../../domain/skills/diff.js'

const skill = (version: number, content: string, given: object = {}) => ({
  version,
  name: 'Rotate keys',
  slug: 'rotate-keys',
  description: 'When a key is due.',
  summary: null,
  content,
  domain: 'security',
  goal: null,
  frontMatter: null,
  files: [],
  tags: ['keys'],
  ...given,
})

describe('diffOf', () => {
  it('shows the lines that differ, with three around them', () => {
    const lines = ['1. A', '2. B', '3. C', '4. D', '5. E', '6. F']
    const [before, after] = [lines.join('\n'), lines.map((line) => (line === '5. E' ? '5. X' : line)).join('\n')]
    expect(diffOf(skill(1, before), skill(3, after))).to.equal(
      [
        '--- version 1',
        '+++ version 3',
        '@@ -9,5 +9,5 @@',
        ' 2. B',
        ' 3. C',
        ' 4. D',
        '-5. E',
        '+5. X',
        ' 6. F',
        '',
      ].join('\n'),
    )
  })

  it('shows every text, not the content alone', () => {
    const changed = diffOf(skill(1, 'x'), skill(2, 'x', { description: 'Always.', summary: 'Always.', tags: [] }))
    expect(changed.split('\n').filter((line) => /^[+-]\w/.test(line))).to.deep.equal([
      '-description: When a key is due.',
      '-summary:',
      '+description: Always.',
      '+summary: Always.',
      '-tags: keys',
      '+tags:',
    ])
  })

  it('is empty for equal texts', () => {
    expect(diffOf(skill(1, 'x\n'), skill(2, 'x'))).to.equal('')
  })

  it('replaces everything when too much differs, instead of comparing every line with every other', () => {
    const hostile = (step: number) =>
      Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(97 + ((i * step) % 26)))
    const lines = diffOf(skill(1, hostile(1).join('\n')), skill(2, hostile(7).join('\n'))).split('\n')
    expect(lines[2]).to.equal('@@ -1,20007 +1,20007 @@')
    expect(lines.filter((line) => line.startsWith('-')).length).to.equal(20_008)
    expect(lines.filter((line) => line.startsWith('+')).length).to.equal(20_008)
  })
})
