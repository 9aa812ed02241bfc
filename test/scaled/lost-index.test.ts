import { expect } from 'chai'
import { deleteAll, namesOf } from '../behaviours/lost-index-faults.js'
import { runCairn } from '../support/processes.js'
import { prepareEnvironment, startService } from '../support/service.js'
import { scaled } from '../support/services.js'
import { until } from '../support/states.js'

describe('operators of the scaled profile', function () {
  scaled(['postgres', 'redis', 'opensearch'], () => {
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
        await until('search is whole', async () => expect((await recall()).degraded).to.equal(null))
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
