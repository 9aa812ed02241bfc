import { copyFile, rename, rm } from 'node:fs/promises'
import { expect } from 'chai'
import { connect } from '../../search/sqlite/connection.js'
import { requestEngine, searchFiles } from '../support/index-faults.js'
import { until } from '../support/states.js'
import { startService, type Profile, type TestEnvironment } from '../support/service.js'

export interface IndexFault {
  readonly what: string
  /** True to damage the index between two runs of the service, false while it serves. */
  readonly between?: boolean
  /** Runs before anything is written that the index is to miss. */
  before?(environment: TestEnvironment): Promise<void>
  strike(environment: TestEnvironment): Promise<void>
}

/** Waits until what was lost before is removed, so that the file is the one that serves. */
async function memoriesFile(environment: TestEnvironment): Promise<string> {
  let files: string[] = []
  await until('the lost index is removed', async () => {
    files = (await searchFiles(environment)).filter((path) => path.includes('/memories-'))
    return expect(files).to.have.length(1)
  })
  return files[0]!
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

export const namesOf = async (environment: TestEnvironment) =>
  ((await requestEngine(environment, 'GET', '_cat/indices/PREFIX-*?format=json')) as { index: string }[]).map(
    ({ index }) => index,
  )
const EVERYTHING = { query: { match_all: {} } }
/** Returns false when the service, which had given the index up, has removed it meanwhile. */
const unlessRemoved = async (environment: TestEnvironment, name: string, request: () => Promise<unknown>) =>
  request().then(
    () => true,
    async (error: unknown) => {
      if ((await namesOf(environment)).includes(name)) throw error
      return false
    },
  )
const deleteOne = (environment: TestEnvironment, name: string) =>
  unlessRemoved(environment, name, () => requestEngine(environment, 'DELETE', name))
export const deleteAll = async (environment: TestEnvironment) => {
  for (const name of await namesOf(environment)) await deleteOne(environment, name)
}

/** Lists what can happen to the index of a profile, done to its files or through its engine. */
export const INDEX_FAULTS: Readonly<Record<Profile, readonly IndexFault[]>> = {
  embedded: [
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
  ],
  scaled: [
    { what: 'deleted while it served', strike: deleteAll },
    {
      what: 'deleted before another process started',
      async strike(environment) {
        await deleteAll(environment)
        const api = await startService({ profile: 'scaled', environment, role: 'api', queues: [] })
        await api.stop()
      },
    },
    {
      what: 'emptied',
      async strike(environment) {
        for (const name of await namesOf(environment)) {
          // Otherwise a refresh in between may show some rows gone and the mark still there, which no recall can report.
          const refresh = (interval: string) =>
            unlessRemoved(environment, name, () =>
              requestEngine(environment, 'PUT', `${name}/_settings`, { refresh_interval: interval }),
            )
          await refresh('-1')
          await requestEngine(
            environment,
            'POST',
            `${name}/_delete_by_query?refresh=true&conflicts=proceed&ignore_unavailable=true`,
            EVERYTHING,
          )
          await refresh('200ms')
        }
      },
    },
    {
      what: 'replaced by a foreign one of the same name',
      async strike(environment) {
        for (const name of await namesOf(environment)) {
          const alias = name.replace(/-index$/, '')
          if (!(await deleteOne(environment, name))) continue
          await requestEngine(environment, 'PUT', name, { aliases: { [alias]: {} } })
          await unlessRemoved(environment, name, () =>
            requestEngine(environment, 'POST', `${name}/_doc?refresh=true`, { id: 'foreign', terms: 'crate' }),
          )
        }
      },
    },
  ],
}
