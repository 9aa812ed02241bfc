import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('../../scripts/pin-images', import.meta.url))
const DIGEST = `sha256:${'5f'.repeat(32)}`

/** The script with a `docker` that prints the answer, or fails without one. */
describe('scripts/pin-images', () => {
  let folder: string
  beforeEach(async () => (folder = await mkdtemp(path.join(os.tmpdir(), 'cairn-pin-'))))
  afterEach(() => rm(folder, { recursive: true, force: true }))

  async function pin(answer: string | null): Promise<{ code: number; stdout: string; stderr: string }> {
    const docker = path.join(folder, 'docker')
    await writeFile(docker, answer === null ? '#!/bin/sh\nexit 1\n' : `#!/bin/sh\necho '${answer}'\n`)
    await chmod(docker, 0o755)
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
    return new Promise((resolve) =>
      execFile(SCRIPT, { env }, (error, stdout, stderr) => resolve({ code: error ? 1 : 0, stdout, stderr })),
    )
  }

  it('prints the tag and the digest of every image that the files name', async () => {
    const { code, stdout } = await pin(DIGEST)
    expect(code).to.equal(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.split('=')[0])).to.deep.equal([
      'BASE_IMAGE',
      'BUILD_IMAGE',
      'HAPROXY_IMAGE',
      'OPENSEARCH_IMAGE',
      'POSTGRES_IMAGE',
      'REDIS_IMAGE',
    ])
    for (const line of lines) expect(line).to.match(new RegExp(`^[A-Z]+_IMAGE=\\S+:\\S+@${DIGEST}$`))
  })

  it('fails where the registry gives no digest, and prints nothing of that image', async () => {
    expect(await pin('unauthorized')).to.include({ code: 1, stdout: '' })
    expect(await pin(null)).to.include({ code: 1, stdout: '' })
  })
})
