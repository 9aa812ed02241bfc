import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** The items of one bulk request, and their position in the file. Lines count from 1. */
export interface Chunk {
  readonly firstLine: number
  readonly lastLine: number
  /** Bytes of the file up to the chunk's end; exact where line ends are one byte. */
  readonly endByte: number
  readonly items: readonly Record<string, unknown>[]
  /** The line number of each item. */
  readonly lines: readonly number[]
}

export const MAX_ITEMS = 500
/** Stays below the 16 MiB of a bulk body, with a margin for the fields around the items. */
export const MAX_BYTES = 15 * 1024 * 1024
/** Exceeds what any memory or document can hold. */
const MAX_LINE_BYTES = 1024 * 1024
/** Fields that a memory's line cannot have, and the options that set them for the whole file. */
const FILE_LEVEL_FIELDS: OptionNames = { tenant_id: '--tenant', agent_id: '--agent', fleet_id: '--fleet' }

type OptionNames = Readonly<Record<string, string>>

/** Reports what is wrong with a line. */
export type ReportLineError = (line: number, message: string) => void

export interface ChunkOptions {
  /** Fields that no line may have, and the argument that sets each for the whole file. */
  readonly fileLevelFields?: OptionNames
  /** Number of lines to skip from the beginning. */
  readonly skip?: number
}

/**
 * Cuts a file with one JSON object per line into chunks; empty lines are ignored. A line that is not an object, or has
 * a field of `fileLevelFields`, is reported to `reportLineError` and left out. The same file always gives the same chunks. The first
 * `skip` lines, which must end where a chunk ends, are skipped.
 */
export async function* readChunks(
  file: string,
  reportLineError: ReportLineError,
  { fileLevelFields = FILE_LEVEL_FIELDS, skip = 0 }: ChunkOptions = {},
): AsyncGenerator<Chunk, void, undefined> {
  const reader = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
  let items: Record<string, unknown>[] = []
  let lines: number[] = []
  let [line, firstLine, size, endByte] = [0, 1, 0, 0]

  const take = (): Chunk => {
    const chunk = { firstLine, lastLine: line, endByte, items, lines }
    ;[items, lines, size, firstLine] = [[], [], 0, line + 1]
    return chunk
  }
  for await (const text of reader) {
    const bytes = Buffer.byteLength(text)
    // A line that does not fit any more begins the next chunk.
    if (size + bytes > MAX_BYTES && items.length > 0) yield take()
    line++
    endByte += bytes + 1
    if (line <= skip) {
      firstLine = line + 1
      continue
    }
    const item = readLine(text.trim(), line, reportLineError, fileLevelFields)
    if (item === null) continue
    items.push(item)
    lines.push(line)
    size += bytes + 1
    if (items.length === MAX_ITEMS) yield take()
  }
  if (items.length > 0) yield take()
}

function readLine(
  text: string,
  line: number,
  reportLineError: ReportLineError,
  fileLevelFields: OptionNames,
): Record<string, unknown> | null {
  if (text === '') return null
  if (Buffer.byteLength(text) > MAX_LINE_BYTES) {
    reportLineError(line, 'is longer than 1 MiB.')
    return null
  }
  let item: unknown
  try {
    item = JSON.parse(text)
  } catch {
    reportLineError(line, 'is not JSON.')
    return null
  }
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    reportLineError(line, 'is not a JSON object.')
    return null
  }
  for (const [field, option] of Object.entries(fileLevelFields))
    if (field in item) {
      reportLineError(line, `${field} belongs to the whole file: give ${option}.`)
      return null
    }
  return item as Record<string, unknown>
}
