import { expect } from 'chai'
import { fileOf, folderOf } from '../../../domain/skills/skill-files.js'
import type { SkillVersion } from '../../../domain/skills/skill.js'
import { InvalidArgumentsError } from '../../../runtime/errors.js'
import { revisedFolder } from '../../../services/skills/written-folder.js'

type Draft = Parameters<typeof revisedFolder>[0]

describe('the folder of a revision', () => {
  const before = (path: string) =>
    ({ description: 'x', frontMatter: null, files: [fileOf(path, Buffer.from('x'), false)] }) as unknown as SkillVersion
  const draft = (given: Partial<Draft>) =>
    ({ texts: { description: 'x', content: 'Do it.' }, frontMatter: undefined, files: undefined, ...given }) as Draft

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
