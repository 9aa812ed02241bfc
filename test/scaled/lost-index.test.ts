import { expect } from 'chai'
import { deleteAll, namesOf } from '../behaviours/lost-index-faults.js'
import { settled } from '../support/indexed.js'
import { runCairn } from '../support/processes.js'
import { runSql } from '../support/run-sql.js'
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

    it('are told by doctor when changes wait and nobody indexes them', async () => {
      const environment = await prepareEnvironment('scaled')
      const doctor = async () => {
        const { code, stdout } = await runCairn(['doctor'], {
          env: { ...environment.env, CAIRN_URL: 'http://127.0.0.1:1' },
        })
        return { code, indexing: stdout.split('\n').find((line) => line.includes(' indexing ')) }
      }
      try {
        const service = await startService({ environment, profile: 'scaled' })
        const { memories } = service.client(await service.mintKey({ tenantId: 't', agentId: 'a' }))
        await memories.create({ tenant_id: 't', content: 'The crate is in the shed.' }).finally(async () => {
          await settled(service, 't')
          await service.stop()
        })
        const atRest = await doctor()
        expect(atRest.indexing).to.match(/✔ .*everything is in the index/)
        expect(atRest.code).to.equal(0)
        const waits = `update index_pending set settled_at = null, changed_at = now() - interval '31 seconds'`
        await runSql(service.databaseUrl, waits)
        const waiting = await doctor()
        expect(waiting.indexing).to.match(/✘ .*1 not in the index yet.*start a worker/)
        expect(waiting.code).to.equal(1)
      } finally {
        await environment.remove()
      }
    })
  })
})
