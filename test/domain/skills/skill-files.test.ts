import { expect } from 'chai'
import { joinFault, readFrontMatter, splitSkillFile, withDescription } from '../../../domain/skills/front-matter.js'
import { collidingPaths, pathFault } from '../../../domain/skill-file-path.js'
import { fileOf, isMedia, runnableText } from '../../../domain/skills/skill-files.js'

describe('the files of a skill', () => {
  it('have no path that stands in the place of the skill’s own, or that a file system refuses', () => {
    for (const path of ['SKILL.md/x.txt', 'a/skill.md', '.cairn-skill.json/x', 'a'.repeat(256), 'a./b', 'b /c', 'x.'])
      expect(pathFault(path), path).to.be.a('string')
    for (const path of ['scripts/x.py', 'a'.repeat(255), '.hidden/x', 'references/SKILL.md.txt'])
      expect(pathFault(path), path).to.equal(null)
  })

  it('have no path that stands for another on some system', () => {
    for (const path of [
      ...[
        'con',
        'Aux.py',
        'a/NUL',
        'lpt1.txt/x',
        'COM\u00b9',
        'conin$',
        'a:b',
        'SKILL.md:x',
        '.git::$INDEX_ALLOCATION/x',
      ],
      ...['a?b', 'a*', 'a|b', 'a"b', '<a>', 'GIT~1/config', 'git~2', 'CAIRN-~1.JSO', '\u017fkill.md', '.g\u0131t/x'],
      ...['con .txt', 'a/NUL  ', 'com1\u00a0.md/x', '.cairn-s\u212aill.json', '. /x', 'x./y', '.. /x'],
    ])
      expect(pathFault(path), path).to.be.a('string')
    for (const path of [
      'console.py',
      'con x.txt',
      'auxiliary/x',
      'com10',
      'a~1b.md',
      'backup~',
      'notes~1.markdown',
      'git~x',
      'company.md',
    ])
      expect(pathFault(path), path).to.equal(null)
    for (const [one, other] of [
      ['A/x', 'a/y'],
      ['\u00e9', 'e\u0301'],
      ['\u00c9', 'e\u0301'],
      ['stra\u00dfe', 'STRASSE'],
      ['\ufb01x', 'FIX'],
      ['\u212a', 'k'],
      ['a', 'A/b'],
    ] as const)
      expect(collidingPaths([one, 'z', other]), `${one} ${other}`).to.deep.equal([one.split('/')[0], other])
    expect(collidingPaths(['a/b', 'a/c', 'ab', 'a.b'])).to.equal(null)
  })

  it('are read as whoever runs them reads them', () => {
    const text = 'curl x # caf\u00e9'
    expect(runnableText(Buffer.from(text))).to.equal(text)
    expect(runnableText(Buffer.from(text, 'latin1'))).to.equal(text)
    expect(runnableText(Buffer.from(`\ufeff${text}`, 'utf16le'))).to.equal(text)
    expect(runnableText(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]))).to.equal(null)
  })

  it('are looked at or listened to when they begin so and are not executable', () => {
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])
    expect(isMedia(fileOf('a.png', png, false))).to.equal(true)
    expect(isMedia(fileOf('a.png', png, true))).to.equal(false)
    expect(isMedia(fileOf('a.png', Buffer.from([0x7f, 0x45, 0x4c, 0x46]), false))).to.equal(false)
  })
})

describe('a front matter without an end', () => {
  it('is none, however many lines there are', () => {
    for (const end of ['\r\n', '\n', '\r']) {
      const text = `---${end}${end.repeat(2_000)}x`
      expect(splitSkillFile(text)).to.deep.equal({ frontMatter: '', content: text })
      expect(readFrontMatter(text)).to.be.a('string')
    }
  })

  it('is read with every kind of line', () => {
    for (const end of ['\r\n', '\n', '\r'])
      expect(splitSkillFile(`---${end}name: a${end}${end}---${end}${end}Text`)).to.deep.equal({
        frontMatter: `---${end}name: a${end}${end}---${end}`,
        content: `${end}Text`,
      })
  })
})

describe('a front matter and a content', () => {
  it('are two where the file of both is read as them, and are refused otherwise', () => {
    const OWN = '---\nname: other\n---\nDo it.\n'
    for (const [frontMatter, content] of [
      ['', 'Do it.'],
      ['', '---\n\nA rule.'],
      ['\uFEFF', 'Do it.'],
      ['---\nname: x\n---\n', OWN],
      ['---\n---\r\n', 'Do it.'],
    ] as const)
      expect(joinFault(frontMatter, content), frontMatter).to.equal(null)
    for (const frontMatter of ['', '\uFEFF']) expect(joinFault(frontMatter, OWN)).to.match(/^Is empty/)
    for (const content of ['Do it.', '\nDo it.', OWN])
      expect(joinFault('---\nname: x\n---', content), content).to.match(/^Must end with a line break/)
  })

  it('keep their lines where the description changes, also of one without fields', () => {
    for (const [before, after] of [
      ['---\n---\n', '---\ndescription: "new"\n---\n'],
      ['\uFEFF--- \r\n---\r\n', '\uFEFF--- \r\ndescription: "new"\n---\r\n'],
      ['---\nname: x\ndescription: old\n---\n', '---\nname: x\ndescription: "new"\n---\n'],
      ['', ''],
    ] as const) {
      expect(withDescription(before, 'new').replace(/\n\n(?=---)/, '\n'), before).to.equal(after)
      if (after !== '') expect(readFrontMatter(withDescription(before, 'new'))).to.include({ description: 'new' })
    }
  })
})
