import { expect } from 'chai'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { freePort } from '../../runtime/free-port.js'
import { startLanguageModelStub } from '../support/language-model-stub.js'
import { CANNOT_SAVE, startRedisStub } from '../support/redis-stub.js'
import { startRerankStub } from '../support/rerank-stub.js'
import { freshDatabase, migratedDatabase, type FreshDatabase } from '../support/postgres.js'
import { setReadOnly } from '../support/unwritable.js'
import { runCairn } from '../support/processes.js'

describe('a start with a wrong setting', function () {
  this.timeout(120_000)
  let home: string
  let database: FreshDatabase
  before(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'cairn-settings-'))
    database = await freshDatabase()
  })
  after(async () => {
    await database.drop()
    await rm(home, { recursive: true, force: true })
  })
  const run = (args: string[], env: Record<string, string> = {}) => runCairn(args, { cwd: home, env })

  const refused: [string, string[], Record<string, string>, RegExp][] = [
    ['a port out of range', ['serve'], { PORT: '99999' }, /^cairn: PORT: must be a whole number/],
    ['plain HTTP for others', ['serve'], { HOST: '0.0.0.0' }, /^cairn: HOST: .*TLS_CERT.*TRUST_PROXY.*ALLOW_HTTP/],
    ['an api without database', ['api'], {}, /^cairn: DATABASE_URL: .*cairn serve/],
    [
      'a worker without shared engine',
      ['worker'],
      { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      /^cairn: OPENSEARCH_URL: .*one search engine/,
    ],
    [
      'a database that is not there',
      ['serve'],
      { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      /^cairn: DATABASE_URL: PostgreSQL cannot be reached \(.*ECONNREFUSED.*\)/m,
    ],
    ['nothing to migrate', ['migrate'], {}, /^cairn: DATABASE_URL: set it to the database to migrate/],
    [
      'a certificate that is not there',
      ['serve'],
      { TLS_CERT: 'c.pem', TLS_KEY: 'k.pem' },
      /^cairn: TLS_(CERT|KEY): .*ENOENT/m,
    ],
    ['an unknown queue', ['worker', '--queues', 'indexing,mail'], {}, /^cairn: --queues: unknown queue "mail"/],
  ]
  for (const [what, args, env, says] of refused)
    it(`prints what to do about ${what}, with exit code 2`, async () => {
      const { code, stderr, stdout } = await run(args, env)
      expect(stderr).to.match(says)
      expect([code, stdout]).to.deep.equal([2, ''])
    })

  it('reads a .env file, which the environment overrides', async () => {
    await writeFile(path.join(home, '.env'), 'LOG_LEVEL=loud\n')
    expect((await run(['migrate'])).stderr).to.match(/^cairn: LOG_LEVEL: must be one of/)
    expect((await run(['migrate'], { LOG_LEVEL: 'info' })).stderr).to.match(/^cairn: DATABASE_URL: /)
    await rm(path.join(home, '.env'))
  })

  it('refuses to run an api on a database that lacks migrations, until they are applied', async () => {
    const env = { DATABASE_URL: database.url, OPENSEARCH_URL: 'http://127.0.0.1:1' }
    const early = await run(['api'], env)
    expect(early.code).to.equal(2)
    expect(early.stderr).to.match(/^cairn: DATABASE_URL: the database lacks .*cairn migrate/m)
    expect((await run(['migrate'], env)).stdout).to.match(/^Applied /)
    expect((await run(['migrate'], env)).stdout).to.equal('The database is up to date.\n')
  })

  describe('reports a taken port before anything is created', () => {
    let taken: Server
    let port: string
    before(async () => {
      taken = createServer()
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
      port = String((taken.address() as AddressInfo).port)
    })
    after(() => taken.close())

    for (const setting of ['PORT', 'METRICS_PORT'])
      it(`for ${setting}`, async () => {
        const { code, stderr, stdout } = await run(['serve'], { [setting]: port })
        expect([code, stdout]).to.deep.equal([2, ''])
        expect(stderr).to.match(new RegExp(`^cairn: ${setting}: port ${port} of 127.0.0.1 is taken`, 'm'))
        expect(await readdir(path.join(home, '.cairn'))).to.deep.equal([])
      })

    it('by another of its own ports', async () => {
      const free = String(await freePort())
      const { code, stderr } = await run(['serve'], { PORT: free, METRICS_PORT: free })
      expect(code).to.equal(2)
      expect(stderr).to.match(new RegExp(`^cairn: METRICS_PORT: port ${free} of 127.0.0.1 is taken`, 'm'))
      expect(await readdir(path.join(home, '.cairn'))).to.deep.equal([])
    })

    it('for a worker, which has no other port', async () => {
      const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', OPENSEARCH_URL: 'http://127.0.0.1:1' }
      expect((await run(['worker'], { ...env, METRICS_PORT: port })).stderr).to.match(/^cairn: METRICS_PORT: /m)
      expect((await run(['worker'], { ...env, PORT: port })).stderr).to.match(/^cairn: DATABASE_URL: /m)
    })
  })

  describe('doctor', () => {
    it('finds nothing wrong without any setting', async () => {
      const { code, stdout } = await run(['doctor'], { CAIRN_URL: 'http://127.0.0.1:1' })
      expect(stdout).to.match(/✔ embedder +static-multi-480, 480 dimensions/)
      expect(stdout).to.match(/· language model +none: LLM_URL is not set/)
      expect(stdout).to.match(/· reranker +none/)
      expect(stdout).to.match(/· service +none answers at http:\/\/127.0.0.1:1$/m)
      expect(stdout).to.match(/✔ DATA_DIR .* can be written and is free/)
      expect(stdout).to.contain('Nothing is wrong.')
      expect(code).to.equal(0)
    })

    it('names every wrong setting at once, and hides secrets', async () => {
      const env = { PORT: 'x', LOG_LEVEL: 'loud', ADMIN_API_KEY: 'a-very-secret-admin-key', DATABASE_URL: 'nonsense' }
      const { code, stdout } = await run(['doctor'], env)
      expect(code).to.equal(1)
      expect(stdout)
        .to.match(/✘ PORT /)
        .and.to.match(/✘ LOG_LEVEL /)
        .and.to.match(/✘ DATABASE_URL /)
      expect(stdout).to.match(/✔ ADMIN_API_KEY +set/)
      expect(stdout).not.to.contain('a-very-secret-admin-key').and.not.to.contain('nonsense')
    })

    it('reports unavailable dependencies and what to do, and hides passwords', async () => {
      const env = {
        DATABASE_URL: 'postgres://cairn:s3cret@127.0.0.1:1/cairn',
        REDIS_URL: 'redis://:s3cret@127.0.0.1:1',
        OPENSEARCH_URL: `http://admin:s3cret@127.0.0.1:${await freePort()}`,
      }
      const { code, stdout } = await run(['doctor'], env)
      expect(code).to.equal(1)
      expect(stdout).to.match(/✘ PostgreSQL .*cannot be reached/)
      expect(stdout).to.match(/✘ queue .*Redis cannot be reached/)
      expect(stdout).to.match(/✘ search .*OpenSearch cannot be reached \(ECONNREFUSED\)/)
      expect(stdout).to.match(/3 of \d+ checks found something wrong\./)
      expect(stdout).not.to.contain('s3cret')
    })

    it('asks the language model, and names the variable to check when it does not answer', async () => {
      const stub = await startLanguageModelStub({ key: 'k-1', reply: () => ({ answer: 'blue' }) })
      const env = { LLM_URL: stub.url, LLM_MODEL: 'stub', CAIRN_URL: 'http://127.0.0.1:1' }
      try {
        const right = await run(['doctor'], { ...env, LLM_KEY: 'k-1' })
        expect(right.stdout).to.match(/✔ language model +openai:stub, \d+ ms for a short answer/)
        expect(right.code).to.equal(0)
        const wrong = await run(['doctor'], { ...env, LLM_KEY: 'k-s3cret' })
        expect(wrong.stdout).to.match(/✘ language model +LLM_KEY: The language model answered 401/)
        expect(wrong.stdout).not.to.contain('k-s3cret')
        expect(wrong.code).to.equal(1)
        stub.fail('not json')
        expect((await run(['doctor'], { ...env, LLM_KEY: 'k-1' })).stdout).to.match(/✘ language model +LLM_URL: /)
      } finally {
        await stub.stop()
      }
    })

    it('reports a port that another program has taken', async () => {
      const taken = createServer()
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
      const port = String((taken.address() as AddressInfo).port)
      try {
        const { code, stdout } = await run(['doctor'], { PORT: port, CAIRN_URL: 'http://127.0.0.1:1' })
        expect(stdout).to.match(
          new RegExp(`✘ PORT +port ${port} of 127.0.0.1 is taken by something else: choose another`),
        )
        expect(code).to.equal(1)
      } finally {
        taken.close()
      }
    })

    it('reports a Redis that may evict jobs, and accepts one that keeps them', async () => {
      const full = { used_memory: 2_000, maxmemory: 1_000 }
      for (const [facts, says, expected] of [
        [{ maxmemory_policy: 'allkeys-lru' }, /✘ queue .*maxmemory-policy allkeys-lru: set it to noeviction/, 1],
        [{ ...full }, /✘ queue .*is full \(2000 of 1000 bytes\).*raise maxmemory/, 1],
        [{ ping: CANNOT_SAVE }, /✘ queue .*cannot save .*unable to persist to disk\)/, 1],
        [{ role: 'slave' }, /✘ queue .*is a replica.*REDIS_URL/, 1],
        [{ used_memory: 950, maxmemory: 1_000 }, /! queue .*nearly full/, 0],
        [{ ...full, mem_not_counted_for_evict: 1_500 }, /queue .*maxmemory-policy noeviction/, 0],
        [{}, /✔ queue .*maxmemory-policy noeviction/, 0],
      ] as const) {
        const redis = await startRedisStub(facts)
        try {
          const { code, stdout } = await run(['doctor'], { REDIS_URL: redis.url, CAIRN_URL: 'http://127.0.0.1:1' })
          expect(stdout).to.match(says)
          expect(code).to.equal(expected)
        } finally {
          redis.stop()
        }
      }
    })

    it('asks the reranker, and reports when it ranks badly or is unavailable', async () => {
      const stub = await startRerankStub()
      const env = { RERANK_URL: stub.url, RERANK_MODEL: 'stub', CAIRN_URL: 'http://127.0.0.1:1' }
      try {
        const right = await run(['doctor'], { ...env, RERANK_DEADLINE_MS: '10000' })
        expect(right.stdout).to.match(/✔ reranker +rerank:stub, \d+ ms for two texts/)
        stub.fail(404)
        const wrong = await run(['doctor'], env)
        expect(wrong.stdout).to.match(/✘ reranker +RERANK_URL: The reranker answered 404. Check it and RERANK_MODEL/)
        expect([right.code, wrong.code]).to.deep.equal([0, 1])
      } finally {
        await stub.stop()
      }
    })

    it('reports what a local reranker lacks', async () => {
      const { code, stdout } = await run(['doctor'], { RERANK_MODEL: 'local:nobody/has-this' })
      expect(stdout).to.match(/✘ reranker +RERANK_MODEL: local:nobody\/has-this (needs @huggingface|cannot be loaded)/)
      expect(code).to.equal(1)
    })

    it('reports that a database takes no writes, and what to do', async () => {
      const database = await migratedDatabase()
      try {
        await setReadOnly(database.url, true)
        const { code, stdout } = await run(['doctor'], { DATABASE_URL: database.url, CAIRN_URL: 'http://127.0.0.1:1' })
        expect(stdout).to.match(/✘ PostgreSQL .*takes no writes: set default_transaction_read_only to off/)
        expect(code).to.equal(1)
        await setReadOnly(database.url, false)
        const right = await run(['doctor'], { DATABASE_URL: database.url, CAIRN_URL: 'http://127.0.0.1:1' })
        expect(right.stdout).to.match(/✔ PostgreSQL .*takes writes/)
      } finally {
        await database.drop()
      }
    })

    it('reports which migrations a database lacks', async () => {
      const empty = await freshDatabase()
      try {
        const { code, stdout } = await run(['doctor'], { DATABASE_URL: empty.url })
        expect(code).to.equal(1)
        expect(stdout).to.match(/✘ PostgreSQL .*lacks \d+ migrations from [\w-]+ on: run `cairn migrate`/)
        for (const name of ['index', 'indexing'])
          expect(stdout).to.match(new RegExp(`· ${name} +asked once the database is migrated`))
        expect(stdout).not.to.match(/role "/)
      } finally {
        await empty.drop()
      }
    })
  })
})
