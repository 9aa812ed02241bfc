import { SingleBar } from 'cli-progress'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { components } from '../../api/contract.gen.js'
import { CommandError } from '../failure.js'
import { withRetries } from '../retries.js'
import type { ServiceClient } from '../service-client.js'
import { readChunks, type Chunk } from './import-lines.js'
import { tenantOf } from './tenant.js'

type BulkAnswer = components['schemas']['BulkAnswer']

export interface ImportOptions {
  readonly tenant?: string
  readonly agent?: string
  readonly fleet?: string
  /** First wait after a failure that may pass; each further one doubles it. */
  readonly retryMs?: number
}

export interface ImportCounts {
  created: number
  /** Were there already. */
  duplicates: number
  errors: number
}

interface Sent {
  readonly answer: BulkAnswer
  /** The answer of an earlier run: what it says was created then. */
  readonly replayed: boolean
}

/**
 * Writes a file of one memory a line through the bulk route. Doing it again changes nothing: a chunk's Idempotency-Key comes
 * from the file, the options and its place in the file, and after the window of the key each item is a duplicate. Bad lines
 * are reported with their number and passed over.
 */
export async function importFile(service: ServiceClient, file: string, options: ImportOptions): Promise<ImportCounts> {
  const tenant = await tenantOf(service, options)
  const target = { tenant_id: tenant, agent_id: options.agent, fleet_id: options.fleet }
  const digest = await digestOf(file, target)
  const counts: ImportCounts = { created: 0, duplicates: 0, errors: 0 }
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {lines} lines | {duration_formatted}',
    stream: process.stderr,
  })
  bar.start((await stat(file)).size, 0, { lines: 0 })
  const complaints: string[] = []
  const complain = (line: number, message: string) => {
    counts.errors++
    complaints.push(`line ${line}: ${message}`)
  }
  try {
    for await (const chunk of readChunks(file, complain)) {
      if (chunk.items.length > 0) {
        const key = `import-${digest}-${chunk.firstLine}`
        note(
          await send(service, { ...target, items: chunk.items }, key, options.retryMs ?? 500),
          chunk,
          counts,
          complain,
        )
      }
      bar.update(chunk.endByte, { lines: chunk.lastLine })
    }
  } finally {
    bar.stop()
    for (const complaint of complaints) console.error(complaint)
  }
  return counts
}

function note(
  { answer, replayed }: Sent,
  chunk: Chunk,
  counts: ImportCounts,
  complain: (line: number, message: string) => void,
) {
  counts.created += replayed ? 0 : answer.created
  counts.duplicates += answer.duplicates + (replayed ? answer.created : 0)
  for (const result of answer.results)
    if (result.status === 'error') complain(chunk.lines[result.index]!, result.error?.message ?? 'refused')
}

/** The key makes it one write, however often it is sent. */
async function send(service: ServiceClient, body: unknown, key: string, retryMs: number): Promise<Sent> {
  const answer = await withRetries(retryMs, () =>
    service.call<BulkAnswer>('/api/v1/memories/bulk', { method: 'POST', body, headers: { 'Idempotency-Key': key } }),
  )
  return { answer: answer.body, replayed: answer.headers.get('idempotent-replayed') === 'true' }
}

/** Of the file and what is to be done with it. */
export async function digestOf(file: string, target: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(target)).update('\0')
  try {
    await pipeline(createReadStream(file), hash)
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).`)
  }
  return hash.digest('hex').slice(0, 32)
}

/** 1 when a line was refused. */
export async function importCommand(service: ServiceClient, file: string, options: ImportOptions): Promise<number> {
  const { created, duplicates, errors } = await importFile(service, file, options)
  console.log(`${created} memories written, ${duplicates} were there already, ${errors} lines refused.`)
  return errors === 0 ? 0 : 1
}
