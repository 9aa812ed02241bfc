import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { decodeVector, encodeVector, readVectors, storeVectors } from '../../store/vectors.js'
import { remember } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('stored vectors', () => {
  let test: TestStore

  before(async () => {
    test = await createTestStore()
    await remember(test.store, 't', 'a', 'b', 'again', 'mine')
  })
  after(() => test.stop())

  const hash = (text: string) => createHash('sha256').update(text).digest()
  const put = (tenantId: string, model: string, ...vectors: [string, number[]][]) =>
    test.store.transact({ tenantId }, (writer) =>
      storeVectors(
        writer,
        model,
        vectors.map(([text, vector]) => ({ textHash: hash(text), vector: Float32Array.from(vector) })),
      ),
    )
  const get = async (tenantId: string, model: string, ...texts: string[]) => {
    const known = await test.store.read({ tenantId }, (reader) => readVectors(reader, model, texts.map(hash)))
    return texts.map((text) => known.get(hash(text).toString('hex')))
  }

  it('are read as they were written', async () => {
    await put('t', 'm', ['a', [0.1, -1, 3.5e-8]], ['b', [0, 1, 2]])
    expect(await get('t', 'm', 'b', 'a')).to.deep.equal([Float32Array.of(0, 1, 2), Float32Array.of(0.1, -1, 3.5e-8)])
  })

  it('stay unchanged when the same text is stored again', async () => {
    await put('t', 'm', ['again', [1]])
    await put('t', 'm', ['again', [2]])
    expect(await get('t', 'm', 'again')).to.deep.equal([Float32Array.of(1)])
  })

  it('are separate for each model and tenant', async () => {
    await put('t', 'm', ['mine', [1]])
    expect(await get('t', 'other', 'mine')).to.deep.equal([undefined])
    expect(await get('stranger', 'm', 'mine')).to.deep.equal([undefined])
  })

  it('are not stored for a text that no memory has any more', async () => {
    await put('t', 'm', ['a', [1]], ['erased meanwhile', [1]])
    expect(await get('t', 'm', 'erased meanwhile')).to.deep.equal([undefined])
  })

  it('are little-endian float32 in PostgreSQL', () => {
    expect(encodeVector(Float32Array.of(1)).toString('hex')).to.equal('0000803f')
    expect(decodeVector(Buffer.from('0000803f000000c0', 'hex'))).to.deep.equal(Float32Array.of(1, -2))
  })
})
