import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const { contextFiles } = (await import('../../scripts/image-context.mjs' as string)) as {
  contextFiles: (root: string) => string[]
}
const DOCKERIGNORE = fileURLToPath(new URL('../../deploy/Dockerfile.dockerignore', import.meta.url))

describe('the files that the image is built from', () => {
  let root: string
  const place = async (...paths: string[]) => {
    for (const each of paths) {
      await mkdir(path.dirname(path.join(root, each)), { recursive: true })
      await writeFile(path.join(root, each), '')
    }
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root })
  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'cairn-context-'))
    git('init', '--quiet')
    await mkdir(path.join(root, 'deploy'))
    await cp(DOCKERIGNORE, path.join(root, 'deploy/Dockerfile.dockerignore'))
    await writeFile(path.join(root, '.gitignore'), 'notes.txt\n')
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  it('are the tracked and the new ones that Dockerfile.dockerignore lets through', async () => {
    const taken = ['.npmrc', 'package.json', 'models/.gitattributes', 'bench/test/a.ts', 'docs/dist/a.md']
    await place(...taken, '.env', '.github/a.yaml', 'bench/a.env', 'deploy/Dockerfile', 'test/a/b.ts', 'dist/a.js')
    git('add', '--all')
    const fresh = ['new.ts', 'Test/a.ts']
    await place(...fresh, 'notes.txt', '.new', 'test/new.ts', 'new.env', 'docs/node_modules/a.js')
    expect(contextFiles(root)).to.have.members([...taken, ...fresh])
  })

  it('are those of the patterns that the file has at the time', async () => {
    await place('package.json', 'bench/main.ts', 'bench/kept.ts')
    git('add', '--all')
    await rm(path.join(root, 'package.json'))
    await writeFile(path.join(root, 'deploy/Dockerfile.dockerignore'), '/.*\n/deploy\n/bench/*\n!/bench/kept.ts\n')
    expect(contextFiles(root)).to.deep.equal(['bench/kept.ts'])
  })

  it('follow from patterns that mean the same to Docker and to git', async () => {
    const lines = (await readFile(DOCKERIGNORE, 'utf8')).split('\n')
    const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'))
    for (const pattern of patterns) expect(pattern).to.match(/^!?(?:\/|\*\*\/)/)
  })
})
