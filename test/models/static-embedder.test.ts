import { cp, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { Embedder, EmbeddingPurpose } from '../../models/embedder.js'
import { loadByteTable, loadNibbleTable, multilingualTable } from '../../models/piece-table.js'
import { createStaticEmbedder } from '../../models/static-embedder.js'
import { readTries } from '../../models/piece-trie.js'
import { createWordPieceTokenizer } from '../../models/word-pieces.js'
import { UnavailableError } from '../../runtime/errors.js'
import { thrownBy } from '../support/failures.js'
import { cosine, lengthOf } from '../support/vectors.js'

const folderOf = (name: string) => fileURLToPath(new URL(`../../models/static/${name}/`, import.meta.url))
const ENGLISH = folderOf('en-256')
const MULTILINGUAL = folderOf('multi-256')

interface Check {
  readonly text: string
  readonly ids: readonly number[]
  /** The first values of the vector, or all. */
  readonly vector: readonly number[]
}

async function checksOf(folder: string): Promise<Check[]> {
  return JSON.parse(await readFile(path.join(folder, 'check.json'), 'utf8')) as Check[]
}

function distance(vector: Float32Array, { vector: expected }: Check): number {
  return Math.max(...expected.map((value, i) => Math.abs(value - vector[i]!)))
}

describe('the built-in embedder of English', () => {
  let embedder: Embedder
  before(async () => {
    embedder = await createStaticEmbedder('static-en-256')
  })

  it('has id and dimensions', () => {
    expect(embedder).to.include({ id: 'static-en-256', dimensions: 256, languages: 1, inline: true })
    expect(embedder.health()).to.deep.equal({ available: true })
  })

  it('has the ids of check.json', async () => {
    const tokenizer = createWordPieceTokenizer(readTries(await readFile(path.join(ENGLISH, 'pieces.trie')))!)
    for (const check of await checksOf(ENGLISH))
      expect(tokenizer.encode(check.text), check.text).to.deep.equal(check.ids)
  })

  it('has the vectors of check.json within 0.0001', async () => {
    for (const check of await checksOf(ENGLISH)) {
      const [vector] = await embedder.embed([check.text], 'passage')
      expect(distance(vector!, check), check.text).to.be.below(1e-4)
    }
  })

  it('returns zeros for empty and unknown texts', async () => {
    const texts = ['', ' \n', '\u200b', '😀😀', 'x'.repeat(101)]
    const vectors = await embedder.embed(texts, 'passage')
    vectors.forEach((vector, index) => expect(lengthOf(vector), JSON.stringify(texts[index])).to.equal(0))
  })
})

describe('the built-in embedder', () => {
  let embedder: Embedder
  let english: Embedder
  before(async () => {
    embedder = await createStaticEmbedder()
    english = await createStaticEmbedder('static-en-256')
  })

  async function vectorOf(text: string, by = embedder): Promise<Float32Array> {
    return (await by.embed([text], 'passage'))[0]!
  }

  it('has id and dimensions', () => {
    expect(embedder).to.include({ id: 'static-multi-480', dimensions: 480, languages: 93, inline: true })
    expect(embedder.health()).to.deep.equal({ available: true })
  })

  it('joins the vector of English and the first 224 dimensions of the other, with half of the squared length for each', async () => {
    for (const check of await checksOf(MULTILINGUAL)) {
      const vector = await vectorOf(check.text)
      const ofEnglish = await vectorOf(check.text, english)
      const other = await multilingualVectorOf(check.text)
      expect(distance(other, check), check.text).to.be.below(1e-4)
      const first = other.subarray(0, 224)
      const scales = [ofEnglish, first].map((part) => 1 / (lengthOf(part) || 1))
      const share = lengthOf(ofEnglish) * lengthOf(other) === 0 ? 1 : Math.SQRT1_2
      const expected = [...ofEnglish.map((x) => x * scales[0]!), ...first.map((x) => x * scales[1]!)]
      const differences = expected.map((value, i) => Math.abs(value * share - vector[i]!))
      expect(Math.max(...differences), check.text).to.be.below(1e-6)
    }
  })

  async function multilingualVectorOf(text: string): Promise<Float32Array> {
    const table = await multilingualTable()
    const sum = new Float64Array(table.dimensions)
    table.addRows(table.rowsOf(text), sum)
    const length = Math.hypot(...sum) || 1
    return Float32Array.from(sum, (value) => value / length)
  }

  it('counts the English half of a query the less, the more of its letters are not Latin', async () => {
    const half = async (text: string, purpose: EmbeddingPurpose) => {
      const [vector] = await embedder.embed([text], purpose)
      expect(lengthOf(vector!)).to.be.closeTo(1, 1e-6)
      return lengthOf(vector!.subarray(0, 256))
    }
    const question = 'Когда встреча с клиентом?'
    expect(await half(question, 'passage')).to.be.closeTo(Math.SQRT1_2, 1e-6)
    expect(await half(question, 'query')).to.be.closeTo(0.2 / Math.hypot(0.2, 1), 1e-6)
    expect(await half('Где порт of Grafana', 'query')).to.be.within(0.4, 0.6)
    for (const text of ['When is the meeting?', 'Wann ist das Gespräch?', '6432 / 8080'])
      expect(await half(text, 'query'), text).to.be.closeTo(Math.SQRT1_2, 1e-6)
  })

  it('returns a unit vector for a text of which one table knows nothing', async () => {
    const vector = await vectorOf('ประชุมกับลูกค้าวันพุธหน้าที่กรุงเทพฯ')
    expect(lengthOf(vector.subarray(0, 256))).to.equal(0)
    expect(lengthOf(vector.subarray(256))).to.be.closeTo(1, 1e-6)
  })

  it('counts the English half of a query the less, the more of its letters are not Latin', async () => {
    const half = async (text: string, purpose: EmbeddingPurpose) => {
      const [vector] = await embedder.embed([text], purpose)
      expect(lengthOf(vector!)).to.be.closeTo(1, 1e-6)
      return lengthOf(vector!.subarray(0, 256))
    }
    const question = 'Когда встреча с клиентом?'
    expect(await half(question, 'passage')).to.be.closeTo(Math.SQRT1_2, 1e-6)
    expect(await half(question, 'query')).to.be.closeTo(0.2 / Math.hypot(0.2, 1), 1e-6)
    expect(await half('Где порт of Grafana', 'query')).to.be.within(0.4, 0.6)
    for (const text of ['When is the meeting?', 'Wann ist das Gespräch?', '6432 / 8080'])
      expect(await half(text, 'query'), text).to.be.closeTo(Math.SQRT1_2, 1e-6)
  })

  it('returns zeros for empty and unknown texts', async () => {
    const texts = ['', ' \n', '\u200b', '😀😀']
    const vectors = await embedder.embed(texts, 'passage')
    vectors.forEach((vector, index) => expect(lengthOf(vector), JSON.stringify(texts[index])).to.equal(0))
  })

  it('finds the same meaning in another language', async () => {
    const [question, answer, other] = await embedder.embed(
      ['When is the meeting with the client?', '客户会议改到了星期三下午三点。', 'Der Hund schläft im Garten.'],
      'query',
    )
    expect(cosine(question!, answer!)).to.be.above(cosine(question!, other!) + 0.2)
  })

  it('returns unit vectors', async () => {
    const [one, many] = await embedder.embed(['harbour', 'a harbour and many other words '.repeat(200)], 'passage')
    expect(lengthOf(one!)).to.be.closeTo(1, 1e-6)
    expect(lengthOf(many!)).to.be.closeTo(1, 1e-6)
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

const TABLES = [
  { name: 'of bytes', folder: ENGLISH, matrix: 'matrix.i8', load: loadByteTable },
  { name: 'of four bits', folder: MULTILINGUAL, matrix: 'matrix.i4', load: loadNibbleTable },
]
for (const { name, folder: source, matrix, load } of TABLES)
  describe(`loading a table ${name}`, () => {
    let folder: string
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'cairn-table-'))
      await cp(source, folder, { recursive: true })
    })
    afterEach(() => rm(folder, { recursive: true }))

    async function refusal(): Promise<string> {
      return ((await thrownBy(load(folder))) as Error).message
    }

    it('loads another directory', async () => {
      expect((await load(folder)).dimensions).to.equal(256)
    })

    it('refuses a truncated matrix', async () => {
      await truncate(path.join(folder, matrix), 1_000)
      expect(await refusal()).to.contain(matrix)
    })

    it('refuses truncated tries', async () => {
      const file = path.join(folder, 'pieces.trie')
      const { size } = await stat(file)
      for (const end of [size - 1, 10_000, 2]) {
        await truncate(file, end)
        expect(await refusal(), `${end}`).to.contain('pieces.trie')
      }
    })

    it('refuses an unknown format', async () => {
      await writeFile(path.join(folder, 'model.json'), JSON.stringify({ format: 'static-int8/2', dim: 256 }))
      expect(await refusal()).to.contain('static-int8/2')
    })

    it('refuses a directory without the files', async () => {
      await rm(path.join(folder, 'scales.f32'))
      expect(await refusal()).to.contain('scales.f32')
    })
  })
