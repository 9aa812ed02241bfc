import { SingleBar } from 'cli-progress'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '../failure.js'
import { describeItemError, type Refusal } from '../refusals.js'
import { type Chunk, type ChunkOptions, type ReportLineError, readChunks } from './import-lines.js'

export interface ImportOptions {
  readonly tenant?: string
  readonly agent?: string
  readonly fleet?: string
  /** Wait before the first retry; doubles with each further one. */
  readonly retryMs?: number
}

/**
 * Sends a file with one JSON object per line chunk by chunk, and shows the progress. Lines that are reported to
 * `reportLineError` count as errors and are printed with their numbers at the end, even if sending fails.
 */
export async function importChunks(
  file: string,
  counts: { errors: number },
  options: ChunkOptions,
  send: (chunk: Chunk, reportLineError: ReportLineError) => Promise<void>,
): Promise<void> {
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {lines} lines | {duration_formatted}',
    stream: process.stderr,
  })
  bar.start((await stat(file)).size, 0, { lines: options.skip ?? 0 })
  const lineErrors: string[] = []
  const reportLineError: ReportLineError = (line, message) => {
    counts.errors++
    lineErrors.push(`line ${line}: ${message}`)
  }
  try {
    for await (const chunk of readChunks(file, reportLineError, options)) {
      await send(chunk, reportLineError)
      bar.update(chunk.endByte, { lines: chunk.lastLine })
    }
  } finally {
    bar.stop()
    for (const lineError of lineErrors) console.error(lineError)
  }
}

interface Result {
  readonly index: number
  readonly status: string
  readonly error?: Refusal
}

/** Reports the chunk's lines that a bulk write refused. */
export function reportRefusedLines(chunk: Chunk, results: readonly Result[], reportLineError: ReportLineError): void {
  for (const { index, status, error } of results)
    if (status === 'error') reportLineError(chunk.lines[index]!, describeItemError(error ?? {}))
}

/**
 * Returns a digest of the file and of what is to be done with it. Throws CommandError for a file that cannot be read.
 */
export async function digestOf(file: string, target: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(target)).update('\0')
  try {
    await pipeline(createReadStream(file), hash)
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).`)
  }
  return hash.digest('hex').slice(0, 32)
}
