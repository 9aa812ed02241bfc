import { expect } from 'chai'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../support/states.js'

const { develop } = (await import('../../scripts/dev.mjs' as string)) as {
  develop(root: string): () => Promise<void>
}

/** A program that says what it is, and ends when it is asked to. */
const program = (words: string) => `
  import { appendFileSync } from 'node:fs'
  const words: string = ${words}
  appendFileSync('said', words + ' begins\\n')
  process.on('SIGTERM', () => { appendFileSync('said', words + ' ends\\n'); process.exit() })
  setInterval(() => undefined, 1_000)`

describe('developing', function () {
  this.timeout(60_000)
  let root: string
  let stop: () => Promise<void>
  const { error: print } = console
  const printed: string[] = []
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'cairn-dev-'))
    for (const folder of ['cli', 'dist/cli']) await mkdir(join(root, folder), { recursive: true })
    await writeFile(join(root, 'package.json'), '{"type": "module"}')
    await writeFile(join(root, 'tsconfig.build.json'), '{"include": ["cli"]}')
    await writeFile(join(root, 'dist/.cairn-stamp'), 'a build')
    await writeFile(join(root, 'dist/cli/main.js'), program("'one'").replace(': string', ''))
    console.error = (words: string) => void printed.push(words)
    stop = develop(root)
  })
  afterEach(async () => {
    await stop()
    console.error = print
    await rm(root, { recursive: true, force: true })
  })

  const save = (words: string) => writeFile(join(root, 'cli/main.ts'), program(words))
  const said = async () => (await readFile(join(root, 'said'), 'utf8').catch(() => '')).trim().split('\n')
  const says = (...words: string[]) =>
    until(`it says ${words.at(-1)}`, async () => expect(await said()).to.deep.equal(words))

  it('serves what is saved once what was served has ended, and goes on serving when it has errors', async () => {
    await says('one begins')
    expect(existsSync(join(root, 'dist/.cairn-stamp'))).to.equal(false)
    await save("'two'")
    await says('one begins', 'one ends', 'two begins')
    await save("'two")
    await until('the error is printed', () => printed.join().includes('ERROR: Unterminated string literal'))
    await save("'three'")
    await says('one begins', 'one ends', 'two begins', 'two ends', 'three begins')
    await stop()
    await says('one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends')
  })
})
