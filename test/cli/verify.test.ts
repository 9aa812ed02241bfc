import { expect } from 'chai'
import { type FakeAnswer, type FakeService, refused, startFakeService } from '../support/fake-service.js'
import { runCairn } from '../support/processes.js'

describe('cairn verify, of an index that lacks much', function () {
  this.timeout(60_000)
  let service: FakeService
  before(async () => void (service = await startFakeService()))
  after(() => service.stop())

  const verify = (...args: string[]) =>
    runCairn(['verify', ...args], { env: { CAIRN_URL: service.url, CAIRN_API_KEY: 'an-admin-key' } })

  it('names a thousand differences and says when there are more', async () => {
    service.answer(page(600, 'second'), page(401, null))
    const { code, stdout } = await verify('--json')
    expect(code).to.equal(1)
    const found = JSON.parse(stdout) as { memories: object; differences: object[] }
    expect(found).to.include({ consistent: false, truncated: true })
    expect(found.memories).to.include({ rows: 1001, missing: 1001 })
    expect(found.differences).to.have.length(1_000)

    service.answer(page(600, 'second'), page(401, null))
    const table = await verify()
    expect(table.stdout.match(/^missing acme memories /gm)).to.have.length(1_000)
    expect(table.stdout).to.contain('Only the first 1000 differences are named; the table counts all of them.')
  })

  it('names all of a thousand', async () => {
    service.answer(page(600, 'second'), page(400, null))
    const found = JSON.parse((await verify('--json')).stdout) as { differences: object[] }
    expect(found).to.include({ consistent: false, truncated: false })
    expect(found.differences).to.have.length(1_000)

    service.answer(page(600, 'second'), page(400, null))
    expect((await verify()).stdout).not.to.contain('Only the first')
  })

  it('asks again after a refusal, but never for a repair, whose first answer may be lost', async () => {
    const unavailable = refused(503, 'UPSTREAM_UNAVAILABLE')
    service.answer(unavailable, page(0, null))
    expect((await verify()).code).to.equal(0)
    service.answer(unavailable, page(0, null))
    expect((await verify('--repair')).code).to.equal(2)
  })
})

/** Returns an answer with so many memories, all of them missing in the index. */
function page(rows: number, next_cursor: string | null): FakeAnswer {
  const differences = Array.from({ length: rows }, (_, number) => ({
    tenant_id: 'acme',
    corpus: 'memories',
    id: `${next_cursor} ${number}`,
    difference: 'missing',
  }))
  const none = { rows: 0, entries: 0, in_flight: 0 }
  return { body: { memories: { ...none, rows }, documents: none, differences, enqueued: 0, next_cursor } }
}
