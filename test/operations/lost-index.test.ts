import { copyFile, rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../search/sqlite/connection.js'
import { describeLostIndex } from '../behaviours/lost-index.js'
import { searchFiles } from '../support/index-faults.js'
import type { TestPlace } from '../support/service.js'

/** Waits until what was lost before is removed, so that the file is the one that serves. */
async function memoriesFile(place: TestPlace): Promise<string> {
  for (;;) {
    const [file, ...others] = (await searchFiles(place)).filter((path) => path.includes('/memories-'))
    if (file !== undefined && others.length === 0) return file
    await sleep(50)
  }
}
const copyOf = (place: TestPlace) => `${place.env.DATA_DIR!}/old-copy.sqlite`

async function copy(place: TestPlace): Promise<void> {
  const path = await memoriesFile(place)
  const connection = connect(path, 'write')
  connection.exec('pragma wal_checkpoint(truncate)')
  connection.close()
  await copyFile(path, copyOf(place))
}
const putBack = async (place: TestPlace) => rename(copyOf(place), await memoriesFile(place))

describe('operators', () => {
  describeLostIndex('embedded', [
    {
      what: 'removed while it served',
      strike: async (place) => {
        for (const path of await searchFiles(place)) await rm(path)
      },
    },
    {
      what: 'removed between two runs',
      between: true,
      strike: async (place) => {
        for (const path of await searchFiles(place)) await rm(path)
      },
    },
    {
      what: 'emptied while it served',
      strike: async (place) => {
        const connection = connect(await memoriesFile(place), 'write')
        connection.exec('delete from documents')
        connection.exec('delete from postings')
        connection.close()
      },
    },
    { what: 'restored from an old copy between two runs', between: true, before: copy, strike: putBack },
  ])
})
