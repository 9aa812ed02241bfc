import { expect } from 'chai'
import { fileOf, folderOf } from '../../../domain/skills/skill-files.js'
import type { SkillVersion } from '../../../domain/skills/skill.js'
import { InvalidArgumentsError } from '../../../runtime/errors.js'
import { keptFrontMatter, revisedFolder } from '../../../services/skills/written-folder.js'

type Draft = Parameters<typeof revisedFolder>[0]

describe('the folder of a revision', () => {
  const before = (path: string) =>
    ({ description: 'x', frontMatter: null, files: [fileOf(path, Buffer.from('x'), false)] }) as unknown as SkillVersion
  const draft = (given: Partial<Draft>) =>
    ({ texts: { description: 'x', content: 'Do it.' }, frontMatter: undefined, files: undefined, ...given }) as Draft

  const headed = (frontMatter: string) => ({ description: 'x', frontMatter, files: [] }) as unknown as SkillVersion
  const wording = { description: 'x', content: 'Do it.' }

  it('is refused where the front matter before has no line break at its end, with why', () => {
    expect(revisedFolder(draft({}), headed('---\nname: x\n---\n')).frontMatter).to.equal('---\nname: x\n---\n')
    for (const [frontMatter, content, why] of [
      ['---\nname: x\n---', 'Do it.', /^data\.front_matter: Must end with a line break/],
      ['', '---\nname: y\n---\nDo it.', /^data\.front_matter: Is empty/],
    ] as const)
      expect(() =>
        revisedFolder(draft({ texts: { ...wording, content } as Draft['texts'] }), headed(frontMatter)),
      ).to.throw(InvalidArgumentsError, why)
  })

  it('has a front matter with its line break where nobody can give one', () => {
    for (const [before, after] of [
      ['---\nname: x\n---', '---\nname: x\n---\n'],
      ['---\r\nname: x\r\n---  ', '---\r\nname: x\r\n---  \r\n'],
      ['---\rname: x\r---', '---\rname: x\r---\r'],
      ['---\nname: x\n---\n', '---\nname: x\n---\n'],
      ['\uFEFF', '\uFEFF'],
      ['', ''],
    ] as const)
      expect(keptFrontMatter(headed(before), wording, ['content']), before).to.equal(after)
    expect(keptFrontMatter(headed('---\nname: x\n---'), { ...wording, description: 'y' }, [])).to.match(
      /^---\nname: x\ndescription: "y"\n+---\n$/,
    )
    expect(keptFrontMatter(null, wording, [])).to.equal(null)
    expect(() => keptFrontMatter(headed(''), { ...wording, content: '---\nname: y\n---\n' }, ['content'])).to.throw(
      InvalidArgumentsError,
      /^content: Begins with a front matter/,
    )
  })

  it('keeps the files of the version before, but none whose path could not be written today', () => {
    const kept = before('docs/what.md')
    expect(revisedFolder(draft({}), kept)).to.deep.equal(folderOf(null, kept.files))
    for (const path of ['docs/what?.md', 'ops/10:30.md', 'draft~1.md', 'aux']) {
      expect(() => revisedFolder(draft({}), before(path)), path).to.throw(
        InvalidArgumentsError,
        /^files: .*send files too/,
      )
      expect(revisedFolder(draft({ files: [] }), before(path)), path).to.include({ folderHash: null })
    }
  })
})
