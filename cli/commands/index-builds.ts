import Table from 'cli-table3'
import { setTimeout as sleep } from 'node:timers/promises'
import type { components } from '../../contract/types.js'
import { CommandError } from '../failure.js'
import { printable } from '../printable.js'
import type { ServiceClient } from '../service-client.js'

type Build = components['schemas']['IndexBuild']

export interface BuildOptions {
  /** Id of the embedder; by default the serving one. */
  readonly model?: string
  /** Leaves the finished index ready instead of switching to it. */
  readonly hold?: boolean
  /** False returns at once. */
  readonly wait?: boolean
}

const WATCH_MS = 1_000

/** Builds another index beside the serving one and prints the progress until it serves (or is ready, with `hold`). */
export async function buildIndex(admin: ServiceClient, { model, hold, wait }: BuildOptions): Promise<number | void> {
  const build = await admin.createIndexBuild({ model, auto_switch: hold !== true })
  console.error(
    `Build ${build.build_id} builds an index with vectors of ${build.model}; recall uses the old one meanwhile.`,
  )
  if (wait !== false) return watch(admin, build)
  console.error('`cairn index status` shows the progress.')
}

async function watch(admin: ServiceClient, { build_id: id }: Build): Promise<number> {
  for (let printed = ''; ;) {
    const body = await admin.getIndexBuild({ build_id: id })
    const line = `${body.state}: ${progressOf(body)}${body.error === null ? '' : ` (${body.error})`}`
    if (line !== printed) console.error((printed = line))
    if (body.state === 'serving')
      console.log(
        'The new index serves. `cairn index back` switches back to the old one, `cairn index drop` deletes the old one.',
      )
    else if (body.state === 'ready' && !body.auto_switch)
      console.log('The new index is ready: `cairn index switch` makes it serve.')
    else if (['waiting', 'backfilling', 'ready'].includes(body.state)) {
      await sleep(WATCH_MS)
      continue
    }
    return ['serving', 'ready'].includes(body.state) ? 0 : 1
  }
}

export async function showBuilds(admin: ServiceClient): Promise<void> {
  const { items } = await admin.listIndexBuilds({ limit: 20 })
  const table = new Table({
    head: ['build', 'state', 'model', 'backfilled', 'begun', 'note'],
    style: { head: [], border: [] },
  })
  for (const build of items)
    table.push([
      build.build_id,
      build.state,
      build.model,
      progressOf(build),
      build.created_at.slice(0, 16).replace('T', ' '),
      printable([build.lost_at && 'incomplete, another is being built', build.error].filter(Boolean).join(': ')),
    ])
  console.log(table.toString())
}

/** Makes the ready or the kept index serve: `ready` switches to a new index, `kept` switches back. */
export async function switchIndex(admin: ServiceClient, from: 'ready' | 'kept'): Promise<void> {
  const build = await findIn(admin, [from], `no index is ${from}`)
  const { build_id, model } = await admin.switchIndexBuild({ build_id: build.build_id })
  console.log(`Build ${build_id} serves, with vectors of ${model}; the other is kept.`)
}

/** Drops the one index that does not serve. */
export async function dropIndex(admin: ServiceClient): Promise<void> {
  const states = ['waiting', 'backfilling', 'ready', 'kept', 'failed'] as const
  const build = await findIn(admin, states, 'there is no index beside the serving one')
  await admin.deleteIndexBuild({ build_id: build.build_id })
  console.log(`Build ${build.build_id} is dropped.`)
}

async function findIn(admin: ServiceClient, states: readonly Build['state'][], otherwise: string): Promise<Build> {
  for await (const build of admin.listIndexBuilds({ limit: 200 })) if (states.includes(build.state)) return build
  throw new CommandError(`${otherwise}; see \`cairn index status\`.`)
}

function progressOf({ progress }: Build): string {
  if (progress === null) return ''
  const { memories_done: done, memories, documents_done: documentsDone, documents } = progress
  const tenants = `${progress.tenants_done} of ${progress.tenants} tenants`
  return `${done} of ${memories} memories, ${documentsDone} of ${documents} documents, ${tenants}`
}
