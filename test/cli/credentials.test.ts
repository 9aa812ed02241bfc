import { expect } from 'chai'
import { Command } from 'commander'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { clientCommand } from '../../cli/client-command.js'
import { runCairn } from '../support/processes.js'
import { startService, type TestService } from '../support/service.js'

describe('the keys of the command line', function () {
  this.timeout(120_000)
  let service: TestService
  let member: string
  let operator: string
  let directory: string
  before(async () => {
    service = await startService()
    member = await service.mintKey({ tenantId: 'only', agentId: 'ana' })
    operator = await service.mintKey({ tenantId: 'only', trust: 3 })
    directory = await mkdtemp(path.join(os.tmpdir(), 'cairn-keys-'))
  })
  after(async () => {
    await service.stop()
    await rm(directory, { recursive: true, force: true })
  })

  const cairn = (env: Record<string, string>, ...args: string[]) =>
    runCairn(args, { cwd: directory, env: { CAIRN_URL: service.url, ...env } })
  const policy = ['settings', 'get', 'memory.pii_policy']

  it('acts for the only existing tenant with the admin key alone', async () => {
    const admin = { ADMIN_API_KEY: service.adminKey }
    expect((await cairn(admin, ...policy)).stdout).to.equal('"flag"\n')
    expect((await cairn(admin, 'settings', 'set', 'memory.pii_policy', 'mask')).stdout).to.equal('"mask"\n')
    expect((await cairn(admin, 'recall', 'anything')).stdout).to.match(/^0 memories in/)
    expect((await cairn(admin, 'keystones', 'list')).code).to.equal(0)
  })

  it('prefers the given key where it suffices', async () => {
    const env = { CAIRN_API_KEY: operator, ADMIN_API_KEY: 'no-such-admin' }
    expect((await cairn(env, ...policy)).stdout).to.equal('"mask"\n')
  })

  it('uses the admin key for the tenant of a key that does not suffice, unless that was given by --key', async () => {
    await service.mintKey({ tenantId: 'other', agentId: 'ben' })
    const env = { CAIRN_API_KEY: member, ADMIN_API_KEY: service.adminKey }
    expect((await cairn(env, ...policy)).stdout).to.equal('"mask"\n')
    expect((await cairn(env, ...policy, '--tenant', 'other')).stdout).to.equal('"flag"\n')
    expect((await cairn(env, 'recall', 'anything')).stdout).to.match(/^0 memories in/)
    expect((await cairn(env, 'recall', 'anything', '--tenant', 'other')).stdout).to.match(/^0 memories in/)
    expect((await cairn(env, 'recall', 'anything', '--tenant', 'other', '--key', member)).stderr).to.match(
      /^cairn: FORBIDDEN: .*tenant_id/,
    )
    expect((await cairn(env, ...policy, '--key', member)).stderr).to.match(/^cairn: FORBIDDEN: .*trust level 3/)
    expect((await cairn({ CAIRN_API_KEY: member }, ...policy)).stderr).to.match(/^cairn: FORBIDDEN: /)
  })

  it('does not use the admin key in place of an invalid one', async () => {
    const revoked = `cairn_${'0'.repeat(16)}_${'0'.repeat(43)}`
    const { code, stderr } = await cairn({ CAIRN_API_KEY: revoked, ADMIN_API_KEY: service.adminKey }, ...policy)
    expect([code, stderr.startsWith('cairn: UNAUTHORIZED: ')], stderr).to.deep.equal([1, true])
  })

  it('asks for --tenant where the admin key could mean several tenants', async () => {
    const admin = { ADMIN_API_KEY: service.adminKey }
    for (const command of [policy, ['recall', 'x'], ['settings', 'set', 'memory.pii_policy', 'mask']])
      expect(await cairn(admin, ...command)).to.deep.equal({
        code: 2,
        stdout: '',
        stderr: 'cairn: give --tenant: the admin key belongs to no tenant (only, other).\n',
      })
    expect((await cairn(admin, ...policy, '--tenant', 'other')).stdout).to.equal('"flag"\n')
  })

  it('names its own options in errors', async () => {
    const env = { CAIRN_API_KEY: operator, ADMIN_API_KEY: service.adminKey }
    for (const [args, says] of [
      [['recall', 'x', '--top-k', '1000'], /^cairn: --top-k: /],
      [['recall', ' '], /^cairn: the query: /],
      [['recall', 'x', '--agent', 'no\nagent'], /^cairn: --agent: /],
      [['keys', 'create', '--tenant', 'only', '--agent', 'b', '--trust', '9'], /^cairn: --trust: /],
      [['keys', 'create', '--tenant', 'only', '--agent', 'b', '--expires', 'soon'], /^cairn: --expires: /],
      [['keystones', 'set', 'd', '--title', ' ', '--content', 'c'], /^cairn: --title: /],
      [['settings', 'set', 'memory.pii', '1'], /^cairn: memory\.pii: /],
      [['settings', 'get', '--tenant', 'a b'], /^cairn: --tenant: /],
    ] as const) {
      const { code, stderr } = await cairn(env, ...args)
      expect([code, says.test(stderr)], stderr).to.deep.equal([1, true])
      expect(stderr).not.to.match(/body\.|query\.\w/)
    }
  })

  it('refuses an invalid --url, and a key that cannot be sent, in one line', async () => {
    for (const url of ['foo', 'ftp://localhost', 'http://me:secret@localhost', 'localhost:8080', 'http://localhost?a'])
      expect((await cairn({}, 'recall', 'x', '--url', url)).stderr).to.match(/^cairn: option '--url <url>' .*\n$/)
    expect((await cairn({}, 'recall', 'x', '--key', 'naïve')).stderr).to.match(/^cairn: .*\n$/)
  })

  it('takes --url as the client does', () => {
    for (const url of [
      'http://localhost:8080',
      'HTTP://LocalHost:8080//',
      'http://localhost:8080/?',
      ' http://localhost:8080#',
    ])
      expect(clientCommand(new Command()).parse(['--url', url], { from: 'user' }).opts()).to.deep.equal({
        url: 'http://localhost:8080',
      })
  })

  describe('on a redirect', () => {
    const servers: Server[] = []
    const asked: string[] = []
    after(() => {
      for (const server of servers) server.close()
    })
    async function listening(server: Server): Promise<string> {
      servers.push(server)
      await once(server.listen(0, '127.0.0.1'), 'listening')
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }

    it('stops, prints its target, and sends the key nowhere else', async () => {
      const elsewhere = await listening(
        createServer((request, response) => {
          asked.push(String(request.headers['x-api-key']))
          response.end('{}')
        }),
      )
      for (const status of [301, 302, 303, 307, 308]) {
        const url = await listening(
          createServer((_request, response) =>
            response.writeHead(status, { Location: `${elsewhere}/api/v1/whoami` }).end(),
          ),
        )
        const { code, stderr } = await cairn({ CAIRN_URL: url, CAIRN_API_KEY: member }, 'recall', 'x')
        expect([code, stderr.includes(elsewhere) && stderr.includes(String(status))], stderr).to.deep.equal([1, true])
      }
      expect(asked).to.deep.equal([])
    })
  })
})
