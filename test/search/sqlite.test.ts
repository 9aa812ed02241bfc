import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteIndex } from '../../search/sqlite/sqlite-index.js'
import { describeSearchIndex } from './behaviours.js'
import { DIMENSIONS } from './seeds.js'

describeSearchIndex('sqlite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cairn-search-'))
  return {
    open: (settings) =>
      createSqliteIndex({
        directory,
        embedderId: 'test/model',
        dimensions: DIMENSIONS,
        generation: '00000001',
        ...settings,
      }),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
})
