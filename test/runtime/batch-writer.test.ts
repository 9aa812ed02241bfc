import { expect } from 'chai'
import { type BatchWriter, createBatchWriter } from '../../runtime/batch-writer.js'
import { until } from '../support/states.js'

interface Entry {
  readonly key: string
  readonly value: number
}

describe('a batch writer', () => {
  let isAway: boolean | string
  let written: Entry[][]
  let outages: number[]
  let whileWriting: () => void
  let slow: Promise<void>
  let writer: BatchWriter<Entry>
  beforeEach(() => {
    isAway = false
    written = []
    outages = []
    whileWriting = () => undefined
    slow = Promise.resolve()
    writer = createBatchWriter<Entry>({
      flushMs: 2 ** 30,
      batchSize: 2,
      maxBuffered: 3,
      keyOf: ({ key }) => key,
      async write(entries) {
        whileWriting()
        if (isAway) throw Object.assign(new Error('away'), { code: isAway })
        written.push([...entries])
        await slow
      },
      onOutage: (_, buffered) => void outages.push(buffered),
    })
  })
  afterEach(() => writer.stop())

  const add = (key: string, value = 0) => writer.add({ key, value })
  const keys = () => written.map((batch) => batch.map(({ key }) => key))

  it('writes in batches, in the order of the entries', async () => {
    for (const key of ['a', 'b', 'c']) add(key)
    await writer.stop()
    expect(keys()).to.deep.equal([['a', 'b'], ['c']])
  })

  it('writes the latest of one key, also when an earlier one could not be written', async () => {
    add('a', 1)
    add('a', 2)
    isAway = true
    whileWriting = () => add('a', 3)
    await writer.stop()
    whileWriting = () => undefined
    isAway = false
    await writer.stop()
    expect(written).to.deep.equal([[{ key: 'a', value: 3 }]])
  })

  it('keeps the newest during an outage, writes them after it, and reports each outage once', async () => {
    for (const outage of [1, 2]) {
      isAway = true
      for (const key of ['a', 'b', 'c', 'd']) add(key)
      for (let tries = 0; tries < 3; tries++) await writer.stop()
      expect(outages).to.deep.equal(Array(outage).fill(3))
      isAway = false
      await writer.stop()
      expect(keys().slice(-2)).to.deep.equal([['b', 'c'], ['d']])
    }
  })

  it('reports another error during an outage, since it may outlast it', async () => {
    for (const error of ['ECONNREFUSED', 'ECONNREFUSED', '42501']) {
      isAway = error
      add('a')
      await writer.stop()
    }
    expect(outages).to.deep.equal([1, 1])
    isAway = false
    await writer.stop()
  })

  it('keeps no more than its bound when entries arrive while a write fails', async () => {
    isAway = true
    for (const key of ['a', 'b', 'c']) add(key)
    whileWriting = () => ['d', 'e'].forEach((key) => add(key))
    await writer.stop()
    isAway = false
    whileWriting = () => undefined
    await writer.stop()
    expect(keys()).to.deep.equal([['c', 'd'], ['e']])
  })

  it('writes one batch at a time, and keeps the newest of what arrives meanwhile', async () => {
    let finish!: () => void
    slow = new Promise((resolve) => (finish = resolve))
    add('a')
    const stops = [writer.stop(), writer.stop()]
    await until('a batch is written', () => expect(keys()).to.have.length(1))
    for (const key of ['b', 'c', 'd', 'e']) add(key)
    stops.push(writer.stop())
    await new Promise(setImmediate)
    expect(keys()).to.deep.equal([['a']])
    finish()
    await Promise.all(stops)
    expect(keys()).to.deep.equal([['a'], ['c', 'd'], ['e']])
  })
})
