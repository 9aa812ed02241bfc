import { expect } from 'chai'
import { dereference, openapiDocument } from '../../contract/openapi-document.js'
import type { OperationObject } from '../../contract/openapi-types.js'
import type { Schema } from '../../contract/openapi-types.js'
import { everythingIn } from '../support/everything.js'
import { startService, type TestService } from '../support/service.js'

const TENANT = 'walked'

/** Headers and paths that are kept, as the service says of them: see test/contract/screened-fields.test.ts. */
const KEPT = ['putAgent agent_id']

/** Tests that what stands in queries and paths is kept nowhere, so that no policy on personal data need look for it there. */
describe('words in queries and paths', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => (service = await startService()))
  after(() => service.stop())

  it('are kept by no operation', async () => {
    const key = await service.mintKey({ tenantId: TENANT, trust: 3 })
    const admin = service.client()
    await admin.settings.patch({ tenant_id: TENANT, memory: { pii_policy: 'refuse' } })
    const sent = new Map<string, string>()
    for (const [path, item] of Object.entries(dereference(openapiDocument()).paths))
      for (const [method, operation] of Object.entries(item as Record<string, OperationObject>)) {
        const { operationId, parameters = [] } = operation
        const texts = parameters.filter(({ in: place, schema }) => place !== 'header' && isText(schema))
        for (const { in: place, name } of texts) {
          const what = `${operationId} ${name}`
          if (name === 'tenant_id' || KEPT.includes(what)) continue
          const mail = `walker${sent.size}@example.com`
          sent.set(what, mail)
          const value = (other: string) => encodeURIComponent(other === name ? mail : 'x')
          const filled = path.replace(/\{(\w+)\}/g, (_, other: string) => (place === 'path' ? value(other) : 'x'))
          const query = new URLSearchParams({ tenant_id: TENANT, ...(place === 'query' && { [name]: mail }) })
          for (const credential of [key, service.adminKey])
            await fetch(`${service.url}${filled}?${query}`, {
              method: method.toUpperCase(),
              headers: { 'X-API-Key': credential, 'Content-Type': 'application/json' },
              ...(operation.requestBody !== undefined && { body: JSON.stringify({ tenant_id: TENANT }) }),
            }).then((response) => response.text())
        }
      }
    expect(sent.size).to.be.greaterThan(40)
    const everything = await everythingIn(service)
    expect([...sent].filter(([, mail]) => everything.includes(mail)).map(([what]) => what)).to.deep.equal([])
  })
})

function isText({ type, enum: chosen, format }: Schema): boolean {
  return [type].flat().includes('string') && chosen === undefined && format === undefined
}
