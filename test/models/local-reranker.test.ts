import { expect } from 'chai'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalReranker, type LocalRerankerSettings } from '../../models/local-reranker/local-reranker.js'
import type { Reranker } from '../../models/reranker.js'
import { ConfigError } from '../../runtime/errors.js'
import { outageOf, thrownBy } from '../support/failures.js'
import { until } from '../support/states.js'

const FAKE = new URL('../support/fake-cross-encoder.mjs', import.meta.url).href
const QUERY = 'where does the fox live'
const TEXTS = [
  'Bread needs flour.',
  'Where does the fox live? In the den.',
  'The fox.',
  'Trains to the coast leave from platform nine every morning.',
  'Does it?',
  'live',
]
const logistic = (logit: number) => 1 / (1 + Math.exp(-logit))

describe('the local reranker', function () {
  this.timeout(60_000)
  let place: string
  const rerankers: Reranker[] = []
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'cairn-models-'))
    for (const name of ['one-label', 'two-labels', 'three-labels', 'broken']) await mkdir(join(place, name))
  })
  after(() => rm(place, { recursive: true }))
  afterEach(async () => {
    for (const reranker of rerankers.splice(0)) await reranker.close()
  })

  async function reranker(settings: Partial<LocalRerankerSettings> = {}): Promise<Reranker> {
    const started = await createLocalReranker({
      model: join(place, 'one-label'),
      library: FAKE,
      deadlineMs: 20_000,
      breakerFailures: 100,
      breakerOpenMs: 20,
      ...settings,
    })
    rerankers.push(started)
    return started
  }

  const failureOf = (work: Promise<unknown>) => outageOf('reranker', work)

  async function refusal(settings: Partial<LocalRerankerSettings>): Promise<ConfigError> {
    const error = await thrownBy(reranker(settings))
    expect(error).to.be.instanceOf(ConfigError)
    expect((error as ConfigError).variable).to.equal('RERANK_MODEL')
    return error as ConfigError
  }

  it('returns the scores in the order of the texts, 0 to 1', async () => {
    const model = await reranker()
    expect(model.id).to.equal(`rerank:local:${join(place, 'one-label')}`)
    expect(await model.rerank(QUERY, TEXTS)).to.deep.equal([-2, 3, 0, -1, -1, -1].map(logistic))
    expect(await model.rerank(QUERY, [])).to.deep.equal([])
  })

  it('accepts a name on the hub', async () => {
    expect(await (await reranker({ model: 'somebody/a-model' })).rerank(QUERY, ['fox'])).to.deep.equal([logistic(-1)])
  })

  it('uses the difference of the second and first of two labels', async () => {
    const model = await reranker({ model: join(place, 'two-labels') })
    expect(await model.rerank(QUERY, TEXTS)).to.deep.equal([-2, 3, 0, -1, -1, -1].map(logistic))
  })

  it('fails with a model that is not a reranker', async () => {
    const model = await reranker({ model: join(place, 'three-labels') })
    expect((await failureOf(model.rerank(QUERY, TEXTS))).failure).to.equal('failing')
    expect((await failureOf((await reranker()).rerank(QUERY, ['NaN']))).failure).to.equal('malformed')
  })

  it('does not start without the library, and reports how to install it', async () => {
    const { message } = await refusal({ library: 'a-library-that-nobody-has' })
    expect(message).to.match(
      /needs a-library-that-nobody-has, which is not installed: .*npm install --no-save --save-dev a-library-that-nobody-has/,
    )
  })

  it('does not start with a model that cannot be loaded, and reports why', async () => {
    expect((await refusal({ model: join(place, 'broken') })).message).to.match(/from its folder \(no weights there\)/)
    expect((await refusal({ model: 'somebody/broken' })).message).to.match(/from the hub \(no weights there\)/)
  })

  it('does not block the event loop, and fails at its deadline', async () => {
    const flag = join(place, 'go')
    const model = await reranker({ deadlineMs: 100 })
    const late = model.rerank(QUERY, [`WAIT ${flag}`, 'fox'])
    expect((await failureOf(late)).failure).to.equal('timeout')
    await writeFile(flag, '')
    await until('the reranker is available', () =>
      model.rerank(QUERY, ['fox']).then(
        () => true,
        () => false,
      ),
    )
  })

  it('computes no further slice after an abort', async () => {
    const [flag, touched] = [join(place, 'on'), join(place, 'a-file-of-a-longer-name')]
    const model = await reranker()
    const stop = new AbortController()
    // The shortest four are the first slice.
    const texts = [`WAIT ${flag}`, 'x', 'y', 'z', `TOUCH ${touched}`]
    const given = model.rerank(QUERY, texts, stop.signal)
    stop.abort()
    expect((await failureOf(given)).failure).to.equal('aborted')
    await writeFile(flag, '')
    expect(await model.rerank(QUERY, ['fox'])).to.deep.equal([logistic(-1)])
    expect(existsSync(touched)).to.equal(false)
    await model.rerank(QUERY, texts)
    expect(existsSync(touched)).to.equal(true)
  })

  it('starts another thread after one has died', async () => {
    const model = await reranker()
    expect((await failureOf(model.rerank(QUERY, ['DIE']))).failure).to.equal('unreachable')
    expect(await model.rerank(QUERY, ['fox'])).to.deep.equal([logistic(-1)])
    expect((await failureOf(model.rerank(QUERY, ['FAULT']))).failure).to.equal('unreachable')
    expect(await model.rerank(QUERY, ['fox'])).to.deep.equal([logistic(-1)])
    expect(await model.rerank(QUERY, ['fox'])).to.deep.equal([logistic(-1)])
  })

  it('is soon not called any more when it fails, until it works again', async () => {
    const model = await reranker({ breakerFailures: 1 })
    await failureOf(model.rerank(QUERY, ['DIE']))
    await until('the model is available', () => model.health().available)
    expect(await model.rerank(QUERY, ['fox'])).to.deep.equal([logistic(-1)])
  })

  it('reveals nothing of the texts', async () => {
    const failure = await failureOf((await reranker()).rerank(QUERY, ['THROW the vault opens with 4711']))
    expect(failure.failure).to.equal('failing')
    expect(String(failure.stack)).to.not.match(/vault|4711|fox/)
  })

  it('does not answer after close', async () => {
    const model = await reranker()
    await model.close()
    expect((await failureOf(model.rerank(QUERY, ['fox']))).failure).to.equal('aborted')
  })
})
