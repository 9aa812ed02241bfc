import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { newTenant } from '../support/tenants.js'
import { startEmbeddingsStub, type EmbeddingsStub } from '../support/embeddings-stub.js'
import { startLanguageModelStub, type LanguageModelStub } from '../support/language-model-stub.js'
import { startRerankStub, type RerankStub } from '../support/rerank-stub.js'
import { startService, type TestService } from '../support/service.js'
import { scaled } from '../support/services.js'
import { startSeverableProxy, type SeverableUrl } from '../support/severable.js'
import { gate, until } from '../support/states.js'

/** Number of recalls: more than one tenant may have in calls of another service at a time. */
const RECALLS = 12

/** Runs one request of a tenant at a time, and recalls that wait for a service that does not answer. */
describe('another service that hangs', function () {
  this.timeout(240_000)
  scaled(['postgres', 'redis', 'opensearch'], () => {
    let held: { readonly name: string | null; readonly gate: ReturnType<typeof gate<void>> }
    let embeddings: EmbeddingsStub
    let reranker: RerankStub
    let languageModel: LanguageModelStub
    let engine: SeverableUrl
    let service: TestService
    const answerUnless = (name: string) => async () => {
      if (held.name === name) await held.gate.opened
    }

    before(async () => {
      held = { name: null, gate: gate() }
      ;[embeddings, reranker, languageModel] = await Promise.all([
        startEmbeddingsStub({ before: answerUnless('embedder') }),
        startRerankStub({ before: answerUnless('reranker') }),
        startLanguageModelStub({ before: answerUnless('language model') }),
      ])
      service = await startService({
        profile: 'scaled',
        queues: [],
        env: {
          TENANT_CONCURRENCY: '1',
          EMBEDDINGS_URL: embeddings.url,
          EMBEDDINGS_MODEL: 'stub',
          EMBEDDINGS_DIMENSIONS: '64',
          EMBEDDINGS_DEADLINE_MS: '20000',
          RERANK_URL: reranker.url,
          RERANK_MODEL: 'stub',
          RERANK_DEADLINE_MS: '10000',
          LLM_URL: languageModel.url,
          LLM_MODEL: 'stub',
          SUMMARY_DEADLINE_MS: '20000',
        },
        reroute: async (env) => {
          engine = await startSeverableProxy(env.OPENSEARCH_URL!)
          return { OPENSEARCH_URL: engine.url }
        },
      })
    })
    after(async () => {
      await service?.stop()
      await Promise.all([embeddings?.stop(), reranker?.stop(), languageModel?.stop(), engine?.cut()])
    })

    let ana: Caller
    let neighbour: Caller
    beforeEach(async () => {
      ana = await newTenant(service).caller({ agentId: 'ana', trust: 2 })
      neighbour = await newTenant(service).caller({ agentId: 'ben', trust: 2 })
      for (const caller of [ana, neighbour]) {
        await caller.memories.create('The harbour was dredged in spring.').ok()
        await caller.memories.create('The crane was oiled.').ok()
      }
    })

    async function countExternalCalls(): Promise<number> {
      const text = await service.context.metrics.text()
      return Number(/^cairn_requests\{state="outside"\} (\d+)$/m.exec(text)?.[1])
    }

    const searchDocuments = (query: string) => ana.documents.search(query)
    const searches = [
      { name: 'embedder', ask: (query: string) => ana.memories.recall(query) },
      { name: 'embedder', ask: (query: string) => searchDocuments(query), what: 'searches of documents' },
      { name: 'reranker', ask: (query: string) => ana.memories.recall(query) },
      { name: 'language model', ask: (query: string) => ana.memories.recall(query, { include_summary: true }) },
      { name: 'search engine', ask: (query: string) => ana.memories.recall(query) },
    ]
    for (const { name, ask, what = 'recalls' } of searches)
      it(`is the ${name}: writes continue while ${what} of the tenant wait for it, as do other tenants`, async () => {
        held = { name, gate: gate() }
        if (name === 'search engine') engine.hang()
        let answered = 0
        const recalls = Array.from({ length: RECALLS }, async (_, i) => {
          const answer = await ask(`crane ${name} ${what} ${i}`)
          answered++
          return answer.status
        })
        try {
          await until('every recall waits for the service', async () =>
            expect(await countExternalCalls()).to.equal(RECALLS),
          )
          for (let i = 0; i < 5; i++) {
            expect((await ana.memories.create(`Written meanwhile ${i}.`)).status).to.equal(201)
            expect((await neighbour.memories.create(`Written beside ${i}.`)).status).to.equal(201)
          }
          expect((await neighbour.memories.list()).body.items).to.have.length(7)
          // A recall gives up the engine after a time limit of its own; the others wait until the gate opens.
          if (name !== 'search engine') expect([answered, await countExternalCalls()]).to.deep.equal([0, RECALLS])
        } finally {
          held.gate.open()
          if (name === 'search engine') await engine.restore()
        }
        expect(await Promise.all(recalls)).to.deep.equal(Array(RECALLS).fill(200))
        expect(await countExternalCalls()).to.equal(0)
      })
  })
})
