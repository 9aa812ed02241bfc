import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { Embedder } from '../../models/embedder.js'
import { createStaticEmbedder } from '../../models/static-embedder.js'
import { createWordPieceTokenizer, loadVocabulary } from '../../models/word-pieces.js'
import { UnavailableError } from '../../runtime/errors.js'
import { thrownBy } from '../support/failures.js'
import { cosine, lengthOf } from '../support/vectors.js'

const TABLE = fileURLToPath(new URL('../../models/static/en-256/', import.meta.url))

interface Check {
  readonly text: string
  readonly ids: readonly number[]
  readonly vector: readonly number[]
}

describe('the built-in embedder', () => {
  let embedder: Embedder
  let checks: Check[]
  before(async () => {
    embedder = await createStaticEmbedder()
    checks = JSON.parse(await readFile(path.join(TABLE, 'check.json'), 'utf8')) as Check[]
  })

  it('has id and dimensions', () => {
    expect(embedder).to.include({ id: 'static-en-256', dimensions: 256, inline: true })
    expect(embedder.health()).to.deep.equal({ available: true })
  })

  it('has the ids of check.json', async () => {
    const tokenizer = createWordPieceTokenizer(await loadVocabulary(path.join(TABLE, 'vocab.txt')))
    for (const check of checks) expect(tokenizer.encode(check.text), check.text).to.deep.equal(check.ids)
  })

  it('has the vectors of check.json within 0.0001', async () => {
    const vectors = await embedder.embed(
      checks.map((check) => check.text),
      'passage',
    )
    checks.forEach((check, index) => {
      const distance = Math.max(...check.vector.map((value, i) => Math.abs(value - vectors[index]![i]!)))
      expect(distance, check.text).to.be.below(1e-4)
    })
  })

  it('returns unit vectors', async () => {
    const [one, many] = await embedder.embed(['harbour', 'a harbour and many other words '.repeat(200)], 'passage')
    expect(lengthOf(one!)).to.be.closeTo(1, 1e-6)
    expect(lengthOf(many!)).to.be.closeTo(1, 1e-6)
  })

  it('returns zeros for empty and unknown texts', async () => {
    const texts = ['', ' \n', '\u200b', '😀😀', 'x'.repeat(101)]
    const vectors = await embedder.embed(texts, 'passage')
    vectors.forEach((vector, index) => expect(lengthOf(vector), JSON.stringify(texts[index])).to.equal(0))
  })

  it('gives texts of similar meaning more similar vectors', async () => {
    const [question, answer, other] = await embedder.embed(
      ['Which pet does she have?', 'My dog is a spaniel.', 'The invoice is due in March.'],
      'query',
    )
    expect(cosine(question!, answer!)).to.be.above(cosine(question!, other!) + 0.1)
  })

  it('embeds texts equally together or one by one', async () => {
    const texts = ['one two three', 'four', 'five six seven eight nine ten']
    const together = await embedder.embed(texts, 'passage')
    for (const [index, text] of texts.entries()) {
      expect((await embedder.embed([text], 'query'))[0]).to.deep.equal(together[index])
    }
  })

  it('returns no vectors for no texts', async () => {
    expect(await embedder.embed([], 'passage')).to.deep.equal([])
  })

  it('yields to the event loop between the texts of a long list, and stops on abort', async () => {
    const stop = new AbortController()
    const texts = new Array<string>(200).fill('word '.repeat(1_000))
    setImmediate(() => stop.abort())
    const failure = await embedder.embed(texts, 'passage', stop.signal).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(UnavailableError)
  })
})

describe('loading a table', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cairn-table-'))
    await cp(TABLE, folder, { recursive: true })
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function refusal(): Promise<Error> {
    return (await thrownBy(createStaticEmbedder(folder))) as Error
  }

  it('loads another directory', async () => {
    expect((await createStaticEmbedder(folder)).dimensions).to.equal(256)
  })

  it('refuses a truncated matrix', async () => {
    await truncate(path.join(folder, 'matrix.i8'), 1_000)
    expect((await refusal()).message).to.contain('matrix.i8')
  })

  it('refuses an unknown format', async () => {
    await writeFile(path.join(folder, 'model.json'), JSON.stringify({ format: 'static-int8/2', dim: 256 }))
    expect((await refusal()).message).to.contain('static-int8/2')
  })

  it('refuses a directory without the files', async () => {
    await rm(path.join(folder, 'scales.f32'))
    expect((await refusal()).message).to.contain('scales.f32')
  })
})
