import { expect } from 'chai'
import type { ChatCall } from './language-model-stub.js'
import { until } from './states.js'

/** A memory as the model is asked to read it. */
export interface ReadMemory {
  readonly at: string
  readonly title: string | null
  readonly text: string
  /** The whole message that it stands in. */
  readonly message: string
}

/** Texts that are judged, by their refs; `this` is the memory that was just read. */
export type JudgedTexts = ReadonlyMap<string, string>

/** Flagged words as the model is asked about them. */
export interface FlaggedWords {
  readonly ref: string
  readonly message: string
  readonly quote: string
}

/** Everything that a model finds in a memory, or some of it. */
export type Finding = Readonly<Record<string, unknown>>

/** Says what a model answers. It finds nothing, and judges that nothing conflicts, unless told otherwise. */
export interface Script {
  readonly reads?: (memory: ReadMemory) => Finding
  /** A text is sent as it is, anything else as JSON. */
  readonly judges?: (texts: JudgedTexts) => unknown
  /** Answers what is asked about the flagged words of a skill. It has no opinion unless told otherwise. */
  readonly opines?: (words: readonly FlaggedWords[]) => unknown
  /** Runs before each of these answers, which wait for it. */
  readonly beforeOpining?: () => Promise<void> | void
  /** Runs before the answer to each reading, which waits for it. */
  readonly before?: (memory: ReadMemory) => Promise<void> | void
}

const NOTHING = { type: null, title: null, tags: [], entities: [], triple: null, times: [] }

/** A model that answers as the test's script says, and remembers what it was asked. */
export class ReadingModel {
  readonly calls: ChatCall[] = []
  readonly #found = new Map<string, Finding>()
  readonly #script: Script

  constructor(script: Script = {}) {
    this.#script = script
  }

  /** Finds this in the memory of that text from now on, whatever the script says. */
  finds(text: string, finding: Finding): void {
    this.#found.set(text, finding)
  }

  /** Forgets what it was asked so far. */
  forget(): void {
    this.calls.length = 0
  }

  /** Returns what it was asked to read, oldest first. */
  get readings(): ReadMemory[] {
    return this.calls.filter(isReading).map(memoryOf)
  }

  /** Returns what it was asked to judge, oldest first. */
  get judgements(): JudgedTexts[] {
    return this.calls.filter((call) => !isReading(call) && !isAboutFlagged(call)).map(judgedOf)
  }

  /** Returns the flagged words that it was asked about, oldest first. */
  get flagged(): (readonly FlaggedWords[])[] {
    return this.calls.filter(isAboutFlagged).map(flaggedOf)
  }

  /** Waits until it was asked for so many readings. */
  asked(times = 1): Promise<unknown> {
    return until('the model is asked to read', () => expect(this.readings).to.have.length(times))
  }

  /** Takes a call, and waits as the script says. */
  async arrives(call: ChatCall): Promise<void> {
    this.calls.push(call)
    if (isReading(call)) await this.#script.before?.(memoryOf(call))
    if (isAboutFlagged(call)) await this.#script.beforeOpining?.()
  }

  answer(call: ChatCall): unknown {
    const { reads, judges, opines } = this.#script
    if (isAboutFlagged(call)) return opines?.(flaggedOf(call)) ?? { opinions: [] }
    if (!isReading(call)) return judges?.(judgedOf(call)) ?? { verdicts: [] }
    const memory = memoryOf(call)
    return { ...NOTHING, ...(this.#found.get(memory.text) ?? reads?.(memory)) }
  }
}

interface Asked {
  readonly response_format?: { readonly json_schema: { readonly name: string } }
}

/** Returns true for calls that read a memory. Other calls judge conflicts or flagged words, or check whether the endpoint answers. */
function isReading(call: ChatCall): boolean {
  return schemaOf(call) === 'memory_reading'
}

function isAboutFlagged(call: ChatCall): boolean {
  return schemaOf(call) === 'flagged_words'
}

function schemaOf({ body }: ChatCall): string | undefined {
  return (body as unknown as Asked).response_format?.json_schema.name
}

function memoryOf({ messages }: ChatCall): ReadMemory {
  const message = messages[1]!.content
  return { ...(JSON.parse(message.split('\n')[1]!) as Omit<ReadMemory, 'message'>), message }
}

function judgedOf(call: ChatCall): JudgedTexts {
  return new Map(quotedIn<{ ref: string; text: string }>(call).map(({ ref, text }) => [ref, text]))
}

function flaggedOf(call: ChatCall): FlaggedWords[] {
  return quotedIn<FlaggedWords>(call)
}

function quotedIn<T>({ messages }: ChatCall): T[] {
  const lines = messages[1]?.content.split('\n').slice(1, -1) ?? []
  return lines.map((line) => JSON.parse(line) as T)
}
