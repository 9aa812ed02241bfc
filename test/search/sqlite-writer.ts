import { createSqliteIndex } from '../../search/sqlite/sqlite-index.js'
import { DIMENSIONS, document, unit } from './seeds.js'

/** Writes one memory after another to the directory of its argument and prints each id once it is acknowledged. */
async function writeForEver(directory: string): Promise<void> {
  const index = createSqliteIndex({
    directory,
    embedderId: 'test/model',
    dimensions: DIMENSIONS,
    generation: '00000001',
  })
  await index.make('first')
  for (let i = 0; ; i++) {
    await index
      .for('t')
      .write([{ id: `m${i}`, seq: i + 1, document: document({ terms: ['word'], vector: unit(1, i) }) }])
    process.stdout.write(`m${i}\n`)
  }
}

void writeForEver(process.argv[2]!)
