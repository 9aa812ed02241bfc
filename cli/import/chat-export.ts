import { CommandError } from '../failure.js'
import { exportFiles } from './export-files.js'
import { valuesIn } from './json-stream.js'

/** A file of an export. The large ones of ChatGPT are `conversations-000.json`, `conversations-001.json` and so on. */
const CONVERSATIONS = /(^|\/)conversations(-\d+)?\.json$/

/**
 * Yields the conversations of an export of ChatGPT or Claude one by one, as parsed JSON: of a `conversations.json`, of a file with one
 * conversation, or of the files of that name in a .zip or a folder. Throws CommandError for what cannot be read.
 */
export async function* readConversations(source: string): AsyncGenerator<unknown, void, undefined> {
  let found = 0
  for await (const file of exportFiles(source, CONVERSATIONS)) {
    found++
    const wanted = { ofArray: ['$.*'], ofObject: ['$'], expected: 'an array of conversations', called: 'conversation' }
    for await (const { value } of valuesIn(file, wanted)) yield value
  }
  if (found === 0) throw new CommandError(`there is no conversations.json in ${source}.`)
}
