import { expect } from 'chai'
import { createMcpEndpoint } from '../../mcp/endpoint.js'
import { FakeIdentities, startFakeService, type FakeService } from './fake-service.js'

const PAGE = 'https://app.example.com'
const endpoints = [createMcpEndpoint({ version: '1', allowedHosts: null, allowedOrigins: ['app.example.com'] })]

describe('origins of pages', () => {
  const identities = new FakeIdentities()
  const key = identities.mint()
  const services: FakeService[] = []
  const start = async (corsOrigins: readonly string[]) => {
    const service = await startFakeService({ identities, key, endpoints, corsOrigins })
    services.push(service)
    return (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${service.port}${path}`, init)
  }
  after(() => Promise.all(services.map(({ server }) => server.stop())))
  const preflight = (origin: string): RequestInit => ({
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'x-api-key, content-type',
    },
  })

  it('that are allowed may send a key and read the answer, refusals too', async () => {
    const request = await start([PAGE])
    for (const path of ['/api/things', '/mcp']) {
      const asked = await request(path, preflight(PAGE))
      expect([path, asked.status]).to.deep.equal([path, 204])
      expect(Object.fromEntries(asked.headers)).to.include({
        'access-control-allow-origin': PAGE,
        'access-control-allow-headers': 'x-api-key, content-type',
      })
      expect(asked.headers.get('access-control-allow-methods')).to.contain('PATCH')
      const refused = await request(path, { method: 'POST', headers: { Origin: PAGE } })
      expect([path, refused.status]).to.deep.equal([path, 401])
      expect(refused.headers.get('access-control-allow-origin')).to.equal(PAGE)
      expect(refused.headers.get('access-control-expose-headers')).to.contain('Retry-After')
      expect(refused.headers.get('access-control-allow-credentials')).to.equal(null)
    }
  })

  it('that are not allowed are told so by no header', async () => {
    const request = await start([PAGE])
    for (const origin of ['https://elsewhere.example', 'http://app.example.com', `${PAGE}.elsewhere.example`, 'null']) {
      const asked = await request('/api/things', preflight(origin))
      expect([origin, asked.headers.get('access-control-allow-origin')]).to.deep.equal([origin, null])
      expect(asked.headers.get('vary')).to.contain('Origin')
    }
  })

  it('are none by default', async () => {
    const request = await start([])
    const asked = await request('/api/things', preflight(PAGE))
    expect(asked.status).to.equal(405)
    expect(asked.headers.get('access-control-allow-origin')).to.equal(null)
  })
})
