import { Tokenizer, TokenizerError, TokenParser, TokenParserError, TokenType } from '@streamparser/json'
import { CommandError } from '../failure.js'
import { type ExportFile, reasonOf } from './export-files.js'
import { isObject, type JsonObject } from './json.js'

/** Longest value that is read, such as a conversation, in bytes of JSON: it is in memory as a whole, ten times as large. */
const MOST_BYTES = 32 * 1024 * 1024
/** Deepest nesting that is read. The exports have about ten levels. */
const MOST_LEVELS = 200

/** A value of a JSON text, and the keys and places that lead to it. */
export interface StreamedValue {
  readonly value: unknown
  readonly keys: readonly (string | number)[]
}

/** Which values to yield of an array and of an object, as paths of @streamparser/json such as `$.*`; null where it is refused. */
export interface WantedValues {
  readonly ofArray: readonly string[] | null
  readonly ofObject: readonly string[] | null
  /** Names what the file should be: "an array of conversations". */
  readonly expected: string
  /** Names a value: "conversation". */
  readonly called: string
}

/**
 * Yields the values of a file of JSON one by one, each when it is complete. Throws CommandError for what cannot be read, is not UTF-8 or not
 * JSON, ends in the middle, or has a value that is too large.
 */
export async function* valuesIn(
  { name, bytes }: ExportFile,
  wanted: WantedValues,
): AsyncGenerator<StreamedValue, void, undefined> {
  try {
    yield* valuesOf(await bytes(), wanted)
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(`${name} cannot be read (${faultOf(error)}).`)
  }
}

/** Returns why a file cannot be read, without the states of the parser. */
function faultOf(error: unknown): string {
  if (!(error instanceof TokenizerError || error instanceof TokenParserError)) return reasonOf(error)
  const at = /absolute position "(\d+)"/.exec(error.message)
  return at === null ? 'it is not JSON' : `it is not JSON, at byte ${Number(at[1]) + 1}`
}

/** Yields those of the values that are objects. */
export async function* objectsIn(file: ExportFile, wanted: WantedValues): AsyncGenerator<JsonObject, void, undefined> {
  for await (const { value } of valuesIn(file, wanted)) if (isObject(value)) yield value
}

/** Yields the objects of a file that is a list of them; `called` names one. */
export function listedObjectsIn(file: ExportFile, called: string): AsyncGenerator<JsonObject, void, undefined> {
  return objectsIn(file, { ofArray: ['$.*'], ofObject: null, expected: `a list of ${called}s`, called })
}

/** Keeps an id that a number of JavaScript does not hold, as a text. */
class ExactTokenizer extends Tokenizer {
  override parseNumber(text: string): number {
    const number = Number(text)
    return (Number.isSafeInteger(number) || !/^-?\d+$/.test(text) ? number : text) as number
  }
}

async function* valuesOf(
  bytes: AsyncIterable<Uint8Array>,
  wanted: WantedValues,
): AsyncGenerator<StreamedValue, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const tokenizer = new ExactTokenizer()
  let parser: TokenParser | undefined
  let complete: StreamedValue[] = []
  let [level, unfinished, count] = [0, 0, 0]
  tokenizer.onToken = (token) => {
    const isOpening = token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET
    if (parser === undefined) {
      const paths = token.token === TokenType.LEFT_BRACKET ? wanted.ofArray : isOpening ? wanted.ofObject : null
      if (paths === null) throw new Error(`it is not ${wanted.expected}`)
      parser = parserOf(paths, (value) => {
        complete.push(value)
        unfinished = 0
      })
    }
    if (isOpening && ++level > MOST_LEVELS) throw new Error(`it is nested deeper than ${MOST_LEVELS} levels`)
    if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) level--
    parser.write(token)
  }
  for await (const chunk of bytes) {
    decoder.decode(chunk, { stream: true })
    unfinished += chunk.length
    tokenizer.write(chunk)
    if (unfinished > MOST_BYTES)
      throw new Error(`${wanted.called} ${count + complete.length + 1} is larger than ${MOST_BYTES / 1024 / 1024} MiB`)
    count += complete.length
    yield* complete
    complete = []
  }
  decoder.decode()
  tokenizer.onError = () => undefined
  tokenizer.end()
  if (!parser?.isEnded) throw new Error('it ends in the middle')
}

function parserOf(paths: readonly string[], found: (value: StreamedValue) => void): TokenParser {
  const parser = new TokenParser({ paths: [...paths], keepStack: false })
  parser.onValue = ({ value, key, stack }) => {
    const keys = [...stack.slice(1).map((part) => part.key), key].filter((part) => part !== undefined)
    found({ value, keys })
  }
  return parser
}
