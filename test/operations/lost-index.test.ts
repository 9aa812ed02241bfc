import { copyFile, rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../search/sqlite/connection.js'
import { describeLostIndex } from '../behaviours/lost-index.test.js'
import { searchFiles } from '../support/index-faults.js'
import type { TestEnvironment } from '../support/service.js'

/** Waits until what was lost before is removed, so that the file is the one that serves. */
async function memoriesFile(environment: TestEnvironment): Promise<string> {
  for (;;) {
    const [file, ...others] = (await searchFiles(environment)).filter((path) => path.includes('/memories-'))
    if (file !== undefined && others.length === 0) return file
    await sleep(50)
  }
}
const copyOf = (environment: TestEnvironment) => `${environment.env.DATA_DIR!}/old-copy.sqlite`

async function copy(environment: TestEnvironment): Promise<void> {
  const path = await memoriesFile(environment)
  const connection = connect(path, 'write')
  connection.exec('pragma wal_checkpoint(truncate)')
  connection.close()
  await copyFile(path, copyOf(environment))
}
const putBack = async (environment: TestEnvironment) => rename(copyOf(environment), await memoriesFile(environment))

describe('operators', () => {
  describeLostIndex('embedded', [
    {
      what: 'removed while it served',
      strike: async (environment) => {
        for (const path of await searchFiles(environment)) await rm(path)
      },
    },
    {
      what: 'removed between two runs',
      between: true,
      strike: async (environment) => {
        for (const path of await searchFiles(environment)) await rm(path)
      },
    },
    {
      what: 'emptied while it served',
      strike: async (environment) => {
        const connection = connect(await memoriesFile(environment), 'write')
        connection.exec('delete from documents')
        connection.exec('delete from postings')
        connection.close()
      },
    },
    { what: 'restored from an old copy between two runs', between: true, before: copy, strike: putBack },
  ])
})
