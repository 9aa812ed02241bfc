import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NotedFiles } from '../../../cli/skills/noted-files.js'

const HASH = `sha256:${'a'.repeat(64)}`
const LATER = Date.now() + 3_600_000

describe('the noted files of a target', () => {
  let dir: string
  const path = () => join(dir, 's', 'x')
  const statsOf = () => lstat(path(), { bigint: true })
  const known = async () => (await NotedFiles.read(dir)).hashOf('s/x', await statsOf())
  const note = async (now: number) => {
    const notes = await NotedFiles.read(dir)
    notes.add('s/x', { stats: await statsOf(), hash: HASH, now })
    await notes.save(dir)
  }
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'cairn-notes-'))
    await mkdir(join(dir, 's'))
    await writeFile(path(), 'x')
  })
  afterEach(() => rm(dir, { recursive: true }))

  it('are not read again, until somebody touches them', async () => {
    expect(await known()).to.equal(null)
    await note(LATER)
    expect(await known()).to.equal(HASH)
    expect((await readdir(dir)).sort()).to.deep.equal(['.cairn-sync-files.json', 's'])
    const { atime, mtime } = await lstat(path())
    await writeFile(path(), 'y')
    await utimes(path(), atime, mtime)
    expect(await known()).to.equal(null)
  })

  it('are those alone that were left alone for a while', async () => {
    await note(Date.now())
    expect(await known()).to.equal(null)
  })

  it('are forgotten when they are gone', async () => {
    await note(LATER)
    await (await NotedFiles.read(dir)).save(dir)
    expect(await readFile(join(dir, '.cairn-sync-files.json'), 'utf8')).to.equal('{}')
  })

  it('are none where the notes are no notes, or a link', async () => {
    const notes = join(dir, '.cairn-sync-files.json')
    for (const text of ['', '[', 'null', '[1]', '{"s/x":1}', '{"s/x":["a","b"]}']) {
      await writeFile(notes, text)
      expect(await known(), text).to.equal(null)
    }
    await note(LATER)
    await writeFile(join(dir, 'elsewhere'), await readFile(notes))
    await rm(notes)
    await symlink(join(dir, 'elsewhere'), notes)
    expect(await known()).to.equal(null)
    await rm(notes)
    execFileSync('mkfifo', [notes])
    expect(await known(), 'a pipe that nobody writes to').to.equal(null)
    await note(LATER)
    expect((await lstat(notes)).isFile()).to.equal(true)
  })
})
