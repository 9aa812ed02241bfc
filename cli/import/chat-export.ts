import { CommandError } from '../failure.js'
import { type ExportFile, exportFiles } from './export-files.js'
import { valuesIn } from './json-stream.js'
import type { Found } from './source.js'

/** A file of an export. The large ones of ChatGPT are `conversations-000.json`, `conversations-001.json` and so on. */
const CONVERSATIONS = /(^|\/)conversations(-\d+)?\.json$/

/** Files of an export beside its conversations, and what reads them. */
export interface OtherFiles {
  readonly names: RegExp
  readonly read: (file: ExportFile) => AsyncIterable<Found>
}

/**
 * Yields what is in an export of ChatGPT or Claude: its conversations one by one, as `read` returns them of parsed JSON and their number, and
 * what its other files have. The export is a `conversations.json`, a file with one conversation, or the files of those names in a .zip or a
 * folder. Throws CommandError for what cannot be read.
 */
export async function* readChats<Read>(
  source: string,
  read: (value: unknown, number: number) => Read,
  others: OtherFiles | null = null,
): AsyncGenerator<Read | Found, void, undefined> {
  let [files, number] = [0, 0]
  const wanted = { ofArray: ['$.*'], ofObject: ['$'], expected: 'an array of conversations', called: 'conversation' }
  const names = others === null ? CONVERSATIONS : new RegExp(`${CONVERSATIONS.source}|${others.names.source}`)
  for await (const file of exportFiles(source, names)) {
    files++
    if (others?.names.test(file.path)) yield* others.read(file)
    else for await (const { value } of valuesIn(file, wanted)) yield read(value, ++number)
  }
  if (files === 0) throw new CommandError(`there is no conversations.json in ${source}.`)
}
