import { expect } from 'chai'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Embedder } from '../../models/embedder.js'
import { createLocalEmbedder, type LocalEmbedderSettings } from '../../models/local/local-embedder.js'
import { ModelCallError } from '../../models/model-call.js'
import { ConfigError, UnavailableError } from '../../runtime/errors.js'
import { until } from '../support/states.js'

const library = new URL('../support/fake-transformers.mjs', import.meta.url).href

describe('local embedder', () => {
  const opened: Embedder[] = []
  async function open(settings: Partial<LocalEmbedderSettings> = {}): Promise<Embedder> {
    const embedder = await createLocalEmbedder({ name: 'small', library, ...settings })
    opened.push(embedder)
    return embedder
  }
  afterEach(async () => void (await Promise.all(opened.splice(0).map((embedder) => embedder.close()))))
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    )
  const failed = async (work: Promise<unknown>) => {
    const error = await failure(work)
    expect(error).to.be.instanceOf(UnavailableError)
    expect((error as UnavailableError).cause).to.be.instanceOf(ModelCallError)
    return ((error as UnavailableError).cause as ModelCallError).failure
  }
  const orderOf = (vector: Float32Array) => vector[5]!

  it('embeds the texts in order, except blank ones', async () => {
    const embedder = await open({ folder: '/models' })
    expect(embedder).to.include({ id: 'local:small', dimensions: 8, inline: false })
    const vectors = await embedder.embed(['a', ' \n', 'ccc', 'dd', 'e', 'ff'], 'passage')
    expect(vectors.map((vector) => vector[6])).to.deep.equal([1, 0, 3, 2, 1, 2])
    expect([...vectors[1]!]).to.deep.equal(new Array(8).fill(0))
    expect([...vectors[0]!.slice(0, 5), vectors[0]![7]]).to.deep.equal([1, 1, 1, 1, 0, '/models'.length])
  })

  it('downloads from the hub only without a folder', async () => {
    const [vector] = await (await open()).embed(['a'], 'query')
    expect([vector![4], vector![7]]).to.deep.equal([1, 0])
  })

  it('serves a query before waiting passages', async () => {
    const embedder = await open()
    const passages = [0, 1, 2].map((call) =>
      embedder.embed(
        Array.from({ length: 12 }, (_, i) => `p${call}-${i}`),
        'passage',
      ),
    )
    const [query] = await embedder.embed(['q'], 'query')
    await Promise.all(passages)
    // After the text of the startup and the four passages in progress.
    expect(orderOf(query!)).to.equal(6)
  })

  it('reports how to install a missing library, and which model cannot be loaded', async () => {
    const [absent, unknown] = [
      await failure(open({ library: 'no-such-library' })),
      await failure(open({ name: 'missing' })),
    ]
    expect(absent).to.be.instanceOf(ConfigError)
    expect((absent as Error).message).to.match(/^EMBEDDINGS_MODEL: local:small needs no-such-library, .*npm install/)
    expect(unknown).to.be.instanceOf(ConfigError)
    expect((unknown as Error).message).to.match(/local:missing cannot be loaded from the hub/)
  })

  it('distinguishes a text that it cannot read from a model that can read nothing', async () => {
    const embedder = await open()
    expect(await failed(embedder.embed(['good', 'bad'], 'passage'))).to.equal('refused')
    expect(await embedder.embed(['good'], 'passage')).to.have.length(1)
    expect(await failed((await open({ name: 'dumb' })).embed(['good'], 'passage'))).to.equal('failing')
  })

  it('is unavailable while its thread is dead, and available again with a new one', async () => {
    const embedder = await open()
    expect(await failed(embedder.embed(['die'], 'passage'))).to.equal('unreachable')
    expect(embedder.health().available).to.equal(false)
    await until('the model is available', () => embedder.health().available)
    expect(await embedder.embed(['good'], 'passage')).to.have.length(1)
  })

  it('fails at once while no thread can be started, and retries until one can', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-models-'))
    const weights = join(folder, 'weights')
    try {
      await writeFile(weights, '')
      const embedder = await open({ name: `while ${weights}`, restartMs: 20 })
      await rm(weights)
      expect(await failed(embedder.embed(['die'], 'passage'))).to.equal('unreachable')
      expect(await failed(embedder.embed(['good'], 'passage'))).to.equal('unreachable')
      expect(embedder.health().available).to.equal(false)
      await writeFile(weights, '')
      await until('the model is available', () => embedder.health().available)
      expect(await embedder.embed(['good'], 'passage')).to.have.length(1)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('fails a query at its deadline, and replaces a hung thread', async () => {
    const embedder = await open({ queryDeadlineMs: 30, hungMs: 1_000 })
    const passage = failed(embedder.embed(['hang'], 'passage'))
    expect(await failed(embedder.embed(['good'], 'query'))).to.equal('timeout')
    expect(await passage).to.equal('unreachable')
    await until('the model is available', () => embedder.health().available)
    expect(await embedder.embed(['good'], 'passage')).to.have.length(1)
  })

  it('accepts nothing after it is closed, nor with an aborted signal', async () => {
    const embedder = await open()
    expect(await failure(embedder.embed(['a'], 'query', AbortSignal.abort()))).to.be.instanceOf(UnavailableError)
    await embedder.close()
    expect(await failure(embedder.embed(['a'], 'query'))).to.be.instanceOf(UnavailableError)
  })
})
