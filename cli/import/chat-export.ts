import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { type Entry, openPromise } from 'yauzl'
import { CommandError } from '../failure.js'

/** A file of an export. The large ones of ChatGPT are `conversations-000.json`, `conversations-001.json` and so on. */
const CONVERSATIONS = /^conversations(-\d+)?\.json$/
/** Longest conversation that is read, in bytes of JSON: it is in memory as a whole, ten times as large. */
const MOST_BYTES = 32 * 1024 * 1024
/** Deepest nesting that is read. The exports have about ten levels. */
const MOST_LEVELS = 200

/**
 * Yields the conversations of a chat export one by one, as parsed JSON: of a `conversations.json`, of the files of that
 * name in a .zip as it was downloaded, or in a folder that it was unpacked to. A .zip is never unpacked to disk. Throws
 * CommandError for what cannot be read, is not UTF-8, or is not a JSON array.
 */
export async function* readConversations(file: string): AsyncGenerator<unknown, void, undefined> {
  let found = 0
  for await (const { name, bytes } of exportFiles(file)) {
    found++
    try {
      yield* elementsOf(await bytes())
    } catch (error) {
      throw error instanceof CommandError ? error : new CommandError(`${name} cannot be read (${reasonOf(error)}).`)
    }
  }
  if (found === 0) throw new CommandError(`there is no conversations.json in ${file}.`)
}

interface ExportFile {
  readonly name: string
  bytes(): Promise<Readable>
}

async function* exportFiles(file: string): AsyncGenerator<ExportFile, void, undefined> {
  const plain = (name: string): ExportFile => ({ name, bytes: () => Promise.resolve(createReadStream(name)) })
  if (await isFolder(file)) {
    const names = (await readdir(file).catch(unreadable(file))).filter((name) => CONVERSATIONS.test(name)).sort()
    for (const name of names) {
      if (await isFolder(path.join(file, name))) throw new CommandError(`${path.join(file, name)} is a folder.`)
      yield plain(path.join(file, name))
    }
  } else if (await isZip(file)) yield* zippedFiles(file)
  else yield plain(file)
}

/** Returns false for a file. Throws CommandError for anything else: the opening of a pipe waits for its writer. */
async function isFolder(file: string): Promise<boolean> {
  const found = await stat(file).catch(unreadable(file))
  if (found.isDirectory() || found.isFile()) return found.isDirectory()
  throw new CommandError(`${file} cannot be read (it is neither a file nor a folder).`)
}

function unreadable(file: string): (error: unknown) => never {
  return (error) => {
    throw new CommandError(`${file} cannot be read (${reasonOf(error)}).`)
  }
}

async function isZip(file: string): Promise<boolean> {
  const handle = await open(file).catch(unreadable(file))
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4)
    return bytesRead === 4 && buffer.readUInt32LE() === 0x04034b50
  } finally {
    await handle.close()
  }
}

async function* zippedFiles(file: string): AsyncGenerator<ExportFile, void, undefined> {
  const zip = await openPromise(file, { autoClose: false }).catch((error: unknown) => {
    throw new CommandError(`${file} is not a .zip that can be read (${reasonOf(error)}).`)
  })
  try {
    const entries: Entry[] = []
    for await (const entry of zip.eachEntry())
      if (CONVERSATIONS.test(path.posix.basename(entry.fileName))) entries.push(entry)
    const byName = (a: Entry, b: Entry) => (a.fileName < b.fileName ? -1 : 1)
    for (const entry of entries.sort(byName))
      yield { name: `${entry.fileName} in ${file}`, bytes: () => zip.openReadStreamPromise(entry) }
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(`${file} cannot be read (${reasonOf(error)}).`)
  } finally {
    zip.close()
  }
}

/** Yields the elements of a JSON array, each when it is complete. Throws what is wrong with the JSON, or with its UTF-8. */
async function* elementsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const tokenizer = new Tokenizer()
  const parser = new TokenParser({ paths: ['$.*'], keepStack: false })
  let complete: unknown[] = []
  let [level, unfinished, count] = [0, 0, 0]
  tokenizer.onToken = (token) => {
    const isOpening = token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET
    if (level === 0 && token.token !== TokenType.LEFT_BRACKET) throw new Error('it is not an array of conversations')
    if (isOpening && ++level > MOST_LEVELS) throw new Error(`it is nested deeper than ${MOST_LEVELS} levels`)
    if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) level--
    parser.write(token)
  }
  parser.onValue = ({ value }) => {
    complete.push(value)
    unfinished = 0
  }
  for await (const chunk of bytes) {
    decoder.decode(chunk, { stream: true })
    unfinished += chunk.length
    tokenizer.write(chunk)
    if (unfinished > MOST_BYTES)
      throw new Error(`conversation ${count + complete.length + 1} is larger than ${MOST_BYTES / 1024 / 1024} MiB`)
    count += complete.length
    yield* complete
    complete = []
  }
  decoder.decode()
  tokenizer.onError = () => undefined
  tokenizer.end()
  if (!parser.isEnded) throw new Error('it ends in the middle')
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'it is not UTF-8'
  return code?.startsWith('E') && !code.startsWith('ERR_') ? code : message
}
