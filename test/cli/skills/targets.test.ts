import { expect } from 'chai'
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseTargets, resolveTargets } from '../../../cli/skills/targets.js'

describe('SVC_SKILL_TARGETS', () => {
  it('lists directories, with their modes', () => {
    expect(parseTargets('[]')).to.deep.equal([])
    expect(
      parseTargets('[{"dir": "/srv/a/../b/", "mode": "owned"}, {"dir": "/c", "mode": "additive", "register": true}]'),
    ).to.deep.equal([
      { dir: '/srv/b', mode: 'owned', register: false },
      { dir: '/c', mode: 'additive', register: true },
    ])
  })

  const refused: [string | null, RegExp][] = [
    [null, /is not set; set it to a JSON array such as/],
    ['/srv/skills', /is not JSON/],
    ['{"dir": "/a", "mode": "owned"}', /must be a JSON array/],
    ['["/a"]', /entry 1: must be an object/],
    ['[{"dir": "/a", "mode": "owned"}, {"mode": "owned"}]', /entry 2: dir must be a path/],
    ['[{"dir": "skills", "mode": "owned"}]', /entry 1: dir "skills" is relative; give an absolute path/],
    ['[{"dir": "~/skills", "mode": "owned"}]', /entry 1: dir "~\/skills" is relative/],
    ['[{"dir": "/", "mode": "owned"}]', /entry 1: dir "\/" is no directory for skills/],
    ['[{"dir": "/a\\u0000b", "mode": "owned"}]', /is no directory for skills/],
    ['[{"dir": "/a"}]', /entry 1: mode must be "owned" or "additive"/],
    ['[{"dir": "/a", "mode": "own"}]', /mode must be/],
    ['[{"dir": "/a", "mode": "owned", "register": "yes"}]', /register must be true or false/],
    ['[{"dir": "/a", "mode": "owned", "regster": true}]', /unknown key "regster"/],
  ]
  for (const [text, message] of refused)
    it(`is refused as ${text ?? 'absent'}`, () => {
      expect(() => parseTargets(text))
        .to.throw(message)
        .that.has.property('variable', 'SVC_SKILL_TARGETS')
    })

  it('is refused when two directories are one, or one lies in the other, also through a link', async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'cairn-targets-')))
    try {
      await mkdir(join(root, 'a'))
      await symlink(join(root, 'a'), join(root, 'link'))
      const resolve = (...dirs: string[]) =>
        resolveTargets(dirs.map((dir) => ({ dir: join(root, dir), mode: 'owned', register: false })))
      const fault = (...dirs: string[]) =>
        resolve(...dirs).then(
          () => null,
          (error: Error) => error.message,
        )
      expect(await fault('a', 'a')).to.match(/entry 2: .* is the same directory as/)
      expect(await fault('a', 'link')).to.match(/entry 2: .* is the same directory as/)
      expect(await fault('a', 'b', 'b/c')).to.match(/entry 3: .* lie in one another/)
      expect(await fault('link/x', 'a')).to.match(/entry 2: .* lie in one another/)
      expect(await fault('new', 'NEW')).to.match(/entry 2: .* is the same directory as/)
      expect((await resolve('link', 'ab', 'new/deep')).map(({ path }) => path)).to.deep.equal(
        ['a', 'ab', 'new/deep'].map((name) => join(root, name)),
      )
    } finally {
      await rm(root, { recursive: true })
    }
  })
})
