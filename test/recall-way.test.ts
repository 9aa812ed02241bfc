import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { enteredFiles } from './support/entered-files.js'
import { settled } from './support/indexed.js'
import { describeOnEmbedded } from './support/profiles.js'
import { ownService } from './support/shared-service.js'
import { newTenant } from './support/tenants.js'

/** Lines of the files that a recall enters. Whoever reads a recall reads these. */
const MOST_LINES = 6_000
const FEWEST_LINES = 20
/** A file that a timer enters is not entered in each of so many recalls. */
const RECALLS = 5

/** Tests which files a recall enters, from the request's first byte to the answer's last. */
describeOnEmbedded(() => {
  const service = ownService()
  let lines: ReadonlyMap<string, number>

  before(async () => {
    const tenant = newTenant(service())
    const key = await service().mintKey({ tenantId: tenant.id, agentId: 'ana', fleetId: 'red' })
    const ana = service().client(key).of(tenant.id)
    await ana.memories.create('Maria Lopez moved the deployment of Atlas to Friday, 7 August 2026.')
    await ana.memories.create('The Atlas database is backed up every night at two.')
    await ana.memories.create('Bread needs flour, water, salt and time.')
    await settled(service(), tenant.id)
    const recall = async (query: string) => {
      const answer = await fetch(`${service().url}/api/v1/recall`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ tenant_id: tenant.id, query }),
      })
      const { memories } = (await answer.json()) as { memories: unknown[] }
      expect(memories).to.have.length.above(0)
    }
    await recall('Who moved Atlas?')
    const entered: ReadonlySet<string>[] = []
    for (let n = 1; n <= RECALLS; n++)
      entered.push(await enteredFiles(() => recall(`When is deployment ${n} of Atlas by Maria Lopez?`)))
    const files = [...entered[0]!].filter((file) => entered.every((other) => other.has(file))).sort()
    lines = new Map(files.map((file) => [file, linesOf(file)]))
  })

  it('a recall enters the stages of retrieval, their rules, the store and the engine', () => {
    expect([...lines.keys()]).to.include.members(['http/server.ts'])
  })

  it(`the files that a recall enters have ${MOST_LINES} lines at most`, () => {
    const sum = [...lines.values()].reduce((total, count) => total + count, 0)
    console.log(lines.size, sum)
    console.log(
      [...lines]
        .sort((a, b) => b[1] - a[1])
        .map(([f, n]) => `${n} ${f}`)
        .join('\n'),
    )
    expect(sum).to.be.at.most(MOST_LINES)
  })

  it(`none of them has fewer than ${FEWEST_LINES} lines`, () => {
    const short = [...lines].filter(([, count]) => count < FEWEST_LINES)
    expect(short).to.deep.equal([])
  })
})

function linesOf(file: string): number {
  return readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').split('\n').length - 1
}
