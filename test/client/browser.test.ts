import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { withBrowser } from '../support/browser.js'
// Builds the present sources, and with them the client.
import '../support/processes.js'
import { startService, type TestService } from '../support/service.js'

const CLIENT = fileURLToPath(new URL('../../dist/client', import.meta.url))
const TENANT = 'glasshouse'

describe('the typed client in a browser', function () {
  this.timeout(120_000)
  let files: Server
  let service: TestService
  let key: string

  before(async () => {
    files = createServer((request, response) => {
      const name = path.basename(request.url!)
      if (!name.endsWith('.js'))
        return response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>page</title>')
      readFile(path.join(CLIENT, name)).then(
        (script) => response.setHeader('Content-Type', 'text/javascript').end(script),
        () => response.writeHead(404).end(),
      )
    })
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
    service = await startService({ env: { CORS_ORIGINS: pageAt('127.0.0.1') } })
    key = await service.mintKey({ tenantId: TENANT, agentId: 'ana', trust: 1 })
  })
  after(async () => {
    files.close()
    await service.stop()
  })

  const pageAt = (host: string) => `http://${host}:${(files.address() as AddressInfo).port}`

  withBrowser((open) => {
    /** Runs a script in a page of `host`, with the client's module and a client of the service. */
    async function runAt(host: string, apiKey: string): Promise<unknown> {
      const { page } = await open(pageAt(host))
      return page.evaluate(
        // A text, so that no compiler's helper is missing in the page.
        `(async () => {
          const { createClient, ServiceError, CairnError } = await import('/index.js')
          const cairn = createClient(${JSON.stringify({ url: service.url, apiKey, maxRetries: 0 })})
          try {
            const written = await cairn.createMemory({ content: 'The vents open at 24 degrees.' })
            const { memories } = await cairn.recall({ query: 'when do the vents open?' })
            const listed = []
            for await (const memory of cairn.listMemories({ limit: 1 })) listed.push(memory.content)
            return { tenant: written.tenant_id, recalled: memories[0].id === written.id, listed }
          } catch (error) {
            return { isService: error instanceof ServiceError, isCairn: error instanceof CairnError, code: error.code, id: error.requestId }
          }
        })()`,
      )
    }

    it('writes, recalls and lists from a page of an allowed origin', async () => {
      expect(await runAt('127.0.0.1', key)).to.deep.equal({
        tenant: TENANT,
        recalled: true,
        listed: ['The vents open at 24 degrees.'],
      })
    })

    it('throws what the service refuses as its class, with the id of the request', async () => {
      const { id, ...refused } = (await runAt('127.0.0.1', 'cairn_wrong')) as Record<string, unknown>
      expect(refused).to.deep.equal({ isService: true, isCairn: true, code: 'UNAUTHORIZED' })
      expect(id).to.be.a('string')
    })

    it('cannot call from a page of another origin', async () => {
      const refused = await runAt('localhost', key)
      expect(refused).to.deep.include({ isService: false, isCairn: true })
    })
  })
})
