import { expect } from 'chai'
import { describeLostIndex } from '../behaviours/lost-index.test.js'
import { requestEngine } from '../support/index-faults.js'
import { runCairn } from '../support/processes.js'
import { prepareEnvironment, startService, type TestEnvironment } from '../support/service.js'
import { scaled } from '../support/services.js'
import { until } from '../support/states.js'

const namesOf = async (environment: TestEnvironment) =>
  ((await requestEngine(environment, 'GET', '_cat/indices/PREFIX-*?format=json')) as { index: string }[]).map(
    ({ index }) => index,
  )
const EVERYTHING = { query: { match_all: {} } }
/** Returns false when the index was given up for an earlier fault and is gone by now. */
const deleteOne = async (environment: TestEnvironment, name: string) =>
  requestEngine(environment, 'DELETE', name).then(
    () => true,
    async (error: unknown) => {
      if ((await namesOf(environment)).includes(name)) throw error
      return false
    },
  )
const deleteAll = async (environment: TestEnvironment) => {
  for (const name of await namesOf(environment)) await deleteOne(environment, name)
}

describe('operators of the scaled profile', function () {
  scaled(['postgres', 'redis', 'opensearch'], () => {
    describeLostIndex('scaled', [
      { what: 'deleted while it served', strike: deleteAll },
      {
        what: 'deleted before another process started',
        async strike(environment) {
          await deleteAll(environment)
          const api = await startService({ profile: 'scaled', environment, role: 'api', queues: [] })
          await api.stop()
        },
      },
      {
        what: 'emptied',
        async strike(environment) {
          for (const name of await namesOf(environment))
            await requestEngine(
              environment,
              'POST',
              `${name}/_delete_by_query?refresh=true&conflicts=proceed&ignore_unavailable=true`,
              EVERYTHING,
            )
        },
      },
      {
        what: 'replaced by a foreign one of the same name',
        async strike(environment) {
          for (const name of await namesOf(environment)) {
            const alias = name.replace(/-index$/, '')
            if (!(await deleteOne(environment, name))) continue
            await requestEngine(environment, 'PUT', name, { aliases: { [alias]: {} } })
            await requestEngine(environment, 'POST', `${name}/_doc?refresh=true`, { id: 'foreign', terms: 'crate' })
          }
        },
      },
    ])

    it('creates no index in an API, which reports that it lacks one until a worker has created it', async () => {
      const environment = await prepareEnvironment('scaled')
      const api = await startService({ environment, profile: 'scaled', role: 'api', queues: [] })
      try {
        const client = api.client(await api.mintKey({ tenantId: 't', agentId: 'a' }))
        const recall = async () => (await client.memories.recall('crate', { tenant_id: 't' })).body
        expect(await recall()).to.include({ degraded: 'search' })
        const { dependencies, problems } = (await api.client().probes.health()).body
        expect(dependencies.search).to.equal('unavailable')
        const problem = problems.find(({ dependency }) => dependency === 'search')
        expect(problem).to.have.property('reason', 'incomplete')
        expect(problem!.message).to.match(/not created yet.*start one/)
        expect(await namesOf(environment)).to.deep.equal([])
        const doctor = async () =>
          (await runCairn(['doctor'], { env: { ...environment.env, CAIRN_URL: 'http://127.0.0.1:1' } })).stdout
        expect(await doctor()).to.match(/✘ index .*not created yet/)
        const worker = await startService({ environment, profile: 'scaled', queues: ['indexing'] })
        await until(async () => (await recall()).degraded === null)
        await worker.stop()
        expect(await doctor()).to.match(/✔ index .*complete/)
        await deleteAll(environment)
        expect(await doctor()).to.match(/✘ index .*the index is missing/)
        expect(await recall()).to.include({ degraded: 'search' })
      } finally {
        await api.stop()
        await environment.remove()
      }
    })
  })
})
