import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { enteredFiles } from '../support/entered-files.js'
import { settled } from '../support/indexed.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { prepareEnvironment, startService, type TestEnvironment, type TestService } from '../support/service.js'
import { newTenant } from '../support/tenants.js'

/** Lines of the files that a recall enters at most: whoever wants to know what a recall does reads them. */
const MOST_LINES = 13_600
/** A shorter file is a part of the one that needs it. */
const FEWEST_LINES = 20
/** Files that each of so many recalls enters are on its way. Beside some of them, though not beside all, a timer enters others. */
const RECALLS = 40

/**
 * Tests how much code is on the way of a recall, from its request to its answer, once a first one has filled the caches. No
 * other file of this folder may start a service: its jobs would run in this process, and be counted.
 */
describeOnEmbedded(() => {
  let environment: TestEnvironment
  let service: TestService
  let lines: ReadonlyMap<string, number>

  before(async () => {
    environment = await prepareEnvironment('embedded')
    service = await startService({ environment })
    const tenant = newTenant(service)
    const key = await service.mintKey({ tenantId: tenant.id, agentId: 'ana', fleetId: 'red' })
    const ana = service.client(key).of(tenant.id)
    for (const content of [
      'Maria Lopez moved the deployment of Atlas to Friday, 7 August 2026.',
      'The Atlas database is backed up every night at two.',
      'Bread needs flour, water, salt and time.',
    ])
      await ana.memories.create(content).ok()
    await settled(service, tenant.id)
    // One without workers, which are always at work, and whose clock stands still, so that what the first recall caches lasts.
    await service.stop()
    const at = Date.now()
    service = await startService({ environment, queues: [], clock: { now: () => at } })
    // Not by the tests' client, which checks answers with the product's own files.
    const recall = async (query: string) => {
      const answer = await fetch(`${service.url}/api/v1/recall`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ tenant_id: tenant.id, query }),
      })
      const { memories, degraded } = (await answer.json()) as { memories: unknown[]; degraded: unknown }
      expect({ found: memories.length > 0, degraded }).to.deep.equal({ found: true, degraded: null })
    }
    await recall('Who moved Atlas?')
    const entered: ReadonlySet<string>[] = []
    for (let n = 1; n <= RECALLS; n++)
      entered.push(await enteredFiles(() => recall(`When is deployment ${n} of Atlas by Maria Lopez?`)))
    const files = [...entered[0]!].filter((file) => entered.every((others) => others.has(file)))
    lines = new Map(files.map((file) => [file, linesOf(file)]))
  })

  after(async () => {
    await service.stop()
    await environment.remove()
  })

  it('is found in this thread and in that of the index, from the transport to the ranking', () => {
    expect([...lines.keys()]).to.include.members([
      'http/middlewares/call-steps.ts',
      'api/recall/recall.ts',
      'services/retrieval/memories/recall-memories.ts',
      'store/memories/recall-rows.ts',
      'search/sqlite/search.ts',
      'models/static-embedder.ts',
      'domain/ranking/rank.ts',
    ])
    // Only the top level of these runs, or nothing: types alone, and what starts the service.
    expect([...lines.keys()]).not.to.include.members(['domain/query.ts'])
    expect([...lines.keys()]).not.to.include.members(['app/compose-listeners.ts'])
  })

  it(`takes ${MOST_LINES} lines at most`, () => {
    const longest = [...lines].sort(([, one], [, other]) => other - one)
    const sum = [...lines.values()].reduce((total, count) => total + count, 0)
    expect(sum, `${lines.size} files, the longest first: ${JSON.stringify(longest)}`).to.be.at.most(MOST_LINES)
  })

  it(`has no file of fewer than ${FEWEST_LINES} lines`, () => {
    expect([...lines].filter(([, count]) => count < FEWEST_LINES)).to.deep.equal([])
  })
})

function linesOf(file: string): number {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').split('\n').length - 1
}
