import { expect } from 'chai'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { withBrowser } from './support/browser.js'

describe('the browser of tests', () => {
  withBrowser((open) => {
    let server: Server
    before(async () => {
      server = createServer((request, response) => {
        // Chromium asks for the icon once for each host.
        response.writeHead(request.url === '/missing.png' ? 404 : 200, {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': "default-src 'none'; style-src 'self'; img-src http:",
        })
        response.end(
          request.url === '/bad'
            ? '<title>bad</title><script>1</script><img src="http://127.0.0.2:9/a.png"><img src="/missing.png">'
            : '<title>good</title><p>Text',
        )
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
    })
    after(() => server.close())
    const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`

    it('has no faults to report of a page that has none', async () => {
      const { page, faults } = await open(at('/good'), { colorScheme: 'dark', viewport: { width: 360, height: 640 } })
      expect(await page.title()).to.equal('good')
      expect(await page.evaluate('matchMedia("(prefers-color-scheme: dark) and (width: 360px)").matches')).to.equal(
        true,
      )
      expect(faults).to.deep.equal([])
    })

    it('reports what a policy refused, what is missing and what was asked of another host', async () => {
      const { faults } = await open(at('/bad'))
      const seen = faults.join('\n')
      expect(seen).to.match(/Executing inline script violates|Refused to execute inline script/)
      expect(seen).to.include('another host: http://127.0.0.2:9/a.png')
      expect(seen).to.include(`404: ${at('/missing.png')}`)
    })
  })
})
