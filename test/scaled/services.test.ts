import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../runtime/free-port.js'
import { scaled } from '../support/services.js'

const SCRIPT = new URL('../../scripts/services', import.meta.url)

/**
 * Runs on a copy that searches JDKs in a folder of the test's, with a cache of its own; running services are not
 * touched.
 */
scaled('opensearch', () => {
  describe('scripts/services', function () {
    this.timeout(60_000)
    let home: string
    let script: string
    let port: string
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'cairn-services-'))
      // The services may have a user of their own.
      await chmod(home, 0o755)
      script = join(home, 'services')
      const text = (await readFile(SCRIPT, 'utf8')).replaceAll('/usr/lib/jvm/*', `${home}/jvm/*`)
      await writeFile(script, text, { mode: 0o755 })
      const version = (name: string) => new RegExp(`${name}=([0-9.]+)`).exec(text)![1]!
      const folder = `opensearch-${version('OPENSEARCH_VERSION')}-${version('KNN_VERSION')}`
      const engine = join(home, 'cairn-services', folder)
      await mkdir(join(engine, 'config'), { recursive: true })
      await chmod(join(engine, 'config'), 0o777)
      await program(join(engine, 'bin', 'opensearch'), 'echo "started with $OPENSEARCH_JAVA_HOME"; exit 3')
      await program(jdk('old'), `echo 'openjdk version "17.0.1" 2021-10-19' >&2`)
      port = String(await freePort())
    })
    after(() => rm(home, { recursive: true, force: true }))

    const jdk = (name: string) => join(home, 'jvm', name, 'bin', 'java')
    async function program(path: string, does: string): Promise<void> {
      await mkdir(join(path, '..'), { recursive: true })
      await writeFile(path, `#!/bin/sh\n${does}\n`, { mode: 0o755 })
    }

    function startOpenSearch(): Promise<{ code: unknown; stderr: string }> {
      const env = {
        ...process.env,
        XDG_CACHE_HOME: home,
        PATH: `${join(home, 'jvm', 'old', 'bin')}:${process.env.PATH}`,
        JAVA_HOME: '',
        OPENSEARCH_JAVA_HOME: '',
        CAIRN_SERVICES_OPENSEARCH_PORT: port,
      }
      return new Promise((resolve) => {
        execFile(script, ['start', 'opensearch'], { env }, (error, _, stderr) =>
          resolve({ code: error?.code ?? 0, stderr }),
        )
      })
    }

    it('prints which JDKs it found, and what to do, where none is of 21 or newer', async () => {
      const { code, stderr } = await startOpenSearch()
      expect(code).to.equal(1)
      expect(stderr).to.contain('needs a JDK of at least 21')
      expect(stderr).to.contain(`Found: ${home}/jvm/old (17)`)
      expect(stderr).to.contain('or set OPENSEARCH_JAVA_HOME')
    })

    it('uses the one that is new enough, and shows the log of an engine that ends', async () => {
      await program(jdk('new'), `echo 'openjdk version "25" 2025-09-16' >&2`)
      const { code, stderr } = await startOpenSearch()
      expect(code).to.equal(1)
      expect(stderr).to.contain(`started with ${home}/jvm/new`)
      expect(stderr).to.contain('opensearch ended while starting')
    })

    it('names the variable to set when the port is taken', async () => {
      const other = createServer()
      await new Promise<void>((resolve) => other.listen(Number(port), '127.0.0.1', resolve))
      try {
        const { code, stderr } = await startOpenSearch()
        expect(code).to.equal(1)
        expect(stderr).to.contain(`port ${port}, meant for opensearch, is in use by another process`)
        expect(stderr).to.contain('CAIRN_SERVICES_OPENSEARCH_PORT')
      } finally {
        other.close()
      }
    })
  })
})
