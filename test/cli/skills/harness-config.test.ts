import { expect } from 'chai'
import { addExtraDir, extraDirs, removeExtraDir } from '../../../cli/skills/harness-config.js'

const COMMENTED = `// the agents' machine
{
  'skills': {
    load: {
      // shared
      extraDirs: [
        '~/ours', // first
        "/srv/b", // second
      ], /* reloaded at once */
      watch: +1,
    },
  },
  port: 0x1F90, ratio: .5, name: 'it\\'s',
}
// the end
`

describe('skills.load.extraDirs of a configuration', () => {
  it('gets a directory on a line of its own, and everything else stays as it is written', () => {
    expect(addExtraDir(COMMENTED, '/srv/new')).to.equal(
      COMMENTED.replace('// second\n', '// second\n        "/srv/new",\n'),
    )
    expect(extraDirs(addExtraDir(COMMENTED, '/srv/new'))).to.deep.equal(['~/ours', '/srv/b', '/srv/new'])
  })

  const texts: Record<string, string> = {
    'a list with comments': COMMENTED,
    'no trailing comma': COMMENTED.replace('"/srv/b", //', '"/srv/b" //'),
    'one line': '{ "skills": { "load": { "extraDirs": ["a"] } } }',
    'blanks in brackets': '{ "skills": { "load": { "extraDirs": [ "a" ] } } }\n',
    'lines that end with CR LF': COMMENTED.replaceAll('\n', '\r\n'),
    tabs: '{\n\t"skills": {\n\t\t"load": {\n\t\t\t"extraDirs": [\n\t\t\t\t"a"\n\t\t\t]\n\t\t}\n\t}\n}\n',
    'a byte order mark': '\ufeff{ "skills": { "load": { "extraDirs": ["a"] } } }',
    'a comment before the bracket': '{skills: {load: {extraDirs: ["a" /* b */, // c\n ]}}}\n',
    'a member twice': '{ skills: {}, skills: {load: {extraDirs: ["a"]}} }',
  }
  for (const [what, text] of Object.entries(texts))
    it(`is as before when the directory is taken out again: ${what}`, () => {
      const added = addExtraDir(addExtraDir(text, '/srv/x'), '/srv/y')
      expect(extraDirs(added).slice(-2)).to.deep.equal(['/srv/x', '/srv/y'])
      expect(removeExtraDir(removeExtraDir(added, '/srv/x'), '/srv/y')).to.equal(text)
      expect(addExtraDir(added, '/srv/x'), 'added twice').to.equal(added)
      expect(removeExtraDir(text, '/srv/x'), 'removed twice').to.equal(text)
    })

  const created: Record<string, string> = {
    '': '{\n  "skills": {\n    "load": {\n      "extraDirs": [\n        "/d"\n      ]\n    }\n  }\n}\n',
    '{}': '{"skills": {"load":{"extraDirs":["/d"]}}}',
    '{\n  // none yet\n}\n':
      '{\n  // none yet\n  "skills": {\n    "load": {\n      "extraDirs": [\n        "/d"\n      ]\n    }\n  }\n}\n',
    '{\n  skills: { load: { watch: true, }, },\n}\n':
      '{\n  skills: { load: { watch: true, "extraDirs": ["/d"], }, },\n}\n',
    '{\n  "skills": {"load": {"extraDirs": []}}\n}': '{\n  "skills": {"load": {"extraDirs": [\n    "/d"\n  ]}}\n}',
  }
  for (const [text, expected] of Object.entries(created))
    it(`is made where it is missing: ${JSON.stringify(text)}`, () => {
      expect(addExtraDir(text, '/d')).to.equal(expected)
      expect(extraDirs(removeExtraDir(expected, '/d'))).to.deep.equal([])
    })

  it('is left alone, with the reason, where the configuration is not what it should be', () => {
    expect(() => addExtraDir('{ skills: ', '/d')).to.throw(/it is not JSON5/)
    expect(() => addExtraDir('[]', '/d')).to.throw(/its value is not an object/)
    expect(() => addExtraDir('{ skills: null }', '/d')).to.throw(/skills is not an object/)
    expect(() => addExtraDir('{ skills: { load: { extraDirs: "/a" } } }', '/d')).to.throw(
      /skills\.load\.extraDirs is not a list/,
    )
  })
})
