import { expect } from 'chai'
import { parseShell } from '../../../domain/scan/shell/parse.js'
import { foldText } from '../../../domain/scan/text/fold.js'
import { Reading } from '../../../domain/scan/text/reading.js'

describe('a text as the scan reads it', () => {
  const folded: readonly (readonly [what: string, text: string, read: string])[] = [
    ['look-alikes in mixed words', 'p\u0430yp\u0430l', 'paypal'],
    ['other alphabets unchanged', '\u0442\u0435\u0441\u0442', '\u0442\u0435\u0441\u0442'],
    ['entities', '&#105;gnore &lt;b&gt;', 'ignore <b>'],
    ['escapes', String.raw`\x72\x6d \u0069\u0067`, 'rm ig'],
    ['spaced letters', 'i g n o r e  a.l.w.a.y.s', 'ignore  always'],
    ['emphasis inside words', 'ig**no**re', 'ignore'],
    ['invisible characters', 'ig\u200bno\u00adre', 'ignore'],
    ['mathematical letters', '\u{1d422}\u{1d420}', 'ig'],
  ]
  for (const [what, text, read] of folded) it(`has ${what}`, () => expect(foldText(text)).to.equal(read))

  it('consists of blocks and sentences', () => {
    const reading = new Reading('# A\n\nOne. Two,\nstill two.\n\n- x\n  - y\n\n```sh\nls \\\n  -l\nid\n```\n| a |\n')
    expect(reading.blocks.map(({ kind }) => kind)).to.deep.equal([
      'heading',
      'paragraph',
      'item',
      'item',
      'code',
      'row',
    ])
    expect(reading.sentences.map(({ start, end }) => reading.text.slice(start, end))).to.deep.equal([
      '# A',
      'One.',
      'Two,\nstill two.',
      '- x',
      '- y',
      'ls \\\n  -l',
      'id',
      '| a |',
    ])
  })

  it('finds words of concepts in many scripts, at their positions', () => {
    const concepts = (text: string) =>
      new Reading(foldText(text)).hits.filter(({ concept }) => concept === 'ignore').length
    for (const text of [
      'Ignore it',
      'Ignoriere es',
      '忽略它',
      'それを無視してください',
      'Игнорируй это',
      'وتجاهل ذلك',
      '무시하세요',
    ])
      expect(concepts(text), text).to.equal(1)
  })
})

describe('commands in a text', () => {
  const commandsOf = (text: string, isCode = true) =>
    parseShell(text, 0, text.length, { isCode, isRow: false }).map(({ commands }) =>
      commands.map(({ words }) => words.map((word) => word.text).join(' ')),
    )

  it('are words without their quotes', () => {
    expect(commandsOf(`r'm' -r"f" \\/ "a b"`)[0]).to.deep.equal(['rm -rf / a b'])
    expect(commandsOf('rm${IFS}-rf${IFS}/')).to.deep.equal([['rm -rf /']])
    expect(commandsOf('{rm,-rf,/}')).to.deep.equal([['rm -rf /']])
  })

  it('are pipelines, with those of substitutions and strings', () => {
    expect(commandsOf('curl a | sudo sh && ls')).to.deep.equal([['curl a', 'sudo sh'], ['ls']])
    expect(commandsOf('sh -c "$(curl a)"')).to.deep.include.members([['curl a']])
    expect(commandsOf("ssh h 'rm -rf /'")).to.deep.include.members([['rm -rf /']])
    expect(commandsOf('cat <<EOF\nls\nEOF\nid')).to.deep.equal([['ls'], ['cat'], ['id']])
  })

  it('are not begun by an apostrophe in prose', () => {
    expect(commandsOf("don't run it, it's late", false)).to.deep.equal([["don't run it, it's late"]])
  })
})
