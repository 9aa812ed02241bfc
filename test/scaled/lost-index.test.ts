import { expect } from 'chai'
import { describeLostIndex } from '../behaviours/lost-index.js'
import { tellEngine } from '../support/index-faults.js'
import { runCairn } from '../support/processes.js'
import { prepare, startService, type TestPlace } from '../support/service.js'
import { scaled } from '../support/services.js'
import { until } from '../support/states.js'

const namesOf = async (place: TestPlace) =>
  ((await tellEngine(place, 'GET', '_cat/indices/PREFIX-*?format=json')) as { index: string }[]).map(
    ({ index }) => index,
  )
const EVERYTHING = { query: { match_all: {} } }
/** Returns false when the index was given up for an earlier fault and is gone by now. */
const deleteOne = async (place: TestPlace, name: string) =>
  tellEngine(place, 'DELETE', name).then(
    () => true,
    async (error: unknown) => {
      if ((await namesOf(place)).includes(name)) throw error
      return false
    },
  )
const deleteAll = async (place: TestPlace) => {
  for (const name of await namesOf(place)) await deleteOne(place, name)
}

describe('operators of the scaled profile', function () {
  scaled(['postgres', 'redis', 'opensearch'], () => {
    describeLostIndex('scaled', [
      { what: 'deleted while it served', strike: deleteAll },
      {
        what: 'deleted before another process started',
        async strike(place) {
          await deleteAll(place)
          const api = await startService({ profile: 'scaled', place, role: 'api', queues: [] })
          await api.stop()
        },
      },
      {
        what: 'emptied',
        async strike(place) {
          for (const name of await namesOf(place))
            await tellEngine(
              place,
              'POST',
              `${name}/_delete_by_query?refresh=true&conflicts=proceed&ignore_unavailable=true`,
              EVERYTHING,
            )
        },
      },
      {
        what: 'replaced by a foreign one of the same name',
        async strike(place) {
          for (const name of await namesOf(place)) {
            const alias = name.replace(/-index$/, '')
            if (!(await deleteOne(place, name))) continue
            await tellEngine(place, 'PUT', name, { aliases: { [alias]: {} } })
            await tellEngine(place, 'POST', `${name}/_doc?refresh=true`, { id: 'foreign', terms: 'crate' })
          }
        },
      },
    ])

    it('creates no index in an API, which reports that it lacks one until a worker has created it', async () => {
      const place = await prepare('scaled')
      const api = await startService({ place, profile: 'scaled', role: 'api', queues: [] })
      try {
        const client = api.client(await api.mintKey({ tenantId: 't', agentId: 'a' }))
        const recall = async () => (await client.call('recall', { body: { tenant_id: 't', query: 'crate' } })).body
        expect(await recall()).to.include({ degraded: 'search' })
        const { dependencies, problems } = (await api.client().call('getHealth')).body
        expect(dependencies.search).to.equal('unavailable')
        const problem = problems.find(({ dependency }) => dependency === 'search')
        expect(problem).to.have.property('reason', 'incomplete')
        expect(problem!.message).to.match(/not made yet.*start one/)
        expect(await namesOf(place)).to.deep.equal([])
        const doctor = async () =>
          (await runCairn(['doctor'], { env: { ...place.env, CAIRN_URL: 'http://127.0.0.1:1' } })).stdout
        expect(await doctor()).to.match(/✘ index .*not created yet/)
        const worker = await startService({ place, profile: 'scaled', queues: ['indexing'] })
        await until(async () => (await recall()).degraded === null)
        await worker.stop()
        expect(await doctor()).to.match(/✔ index .*complete/)
        await deleteAll(place)
        expect(await doctor()).to.match(/✘ index .*the index is missing/)
        expect(await recall()).to.include({ degraded: 'search' })
      } finally {
        await api.stop()
        await place.remove()
      }
    })
  })
})
