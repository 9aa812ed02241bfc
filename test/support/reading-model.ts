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

/** Everything that a model finds in a memory, or some of it. */
export type Finding = Readonly<Record<string, unknown>>

/** Says what a model answers. It finds nothing, and judges that nothing conflicts, unless told otherwise. */
export interface Script {
  readonly reads?: (memory: ReadMemory) => Finding
  /** A text is sent as it is, anything else as JSON. */
  readonly judges?: (texts: JudgedTexts) => unknown
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
    return this.calls.filter((call) => !isReading(call)).map(judgedOf)
  }

  /** Waits until it was asked for so many readings. */
  asked(times = 1): Promise<unknown> {
    return until('the model is asked to read', () => expect(this.readings).to.have.length(times))
  }

  /** Takes a call, and waits as the script says. */
  async arrives(call: ChatCall): Promise<void> {
    this.calls.push(call)
    if (isReading(call)) await this.#script.before?.(memoryOf(call))
  }

  answer(call: ChatCall): unknown {
    const { reads, judges } = this.#script
    if (!isReading(call)) return judges?.(judgedOf(call)) ?? { verdicts: [] }
    const memory = memoryOf(call)
    return { ...NOTHING, ...(this.#found.get(memory.text) ?? reads?.(memory)) }
  }
}

interface Asked {
  readonly response_format?: { readonly json_schema: { readonly name: string } }
}

/** Returns true for calls that read a memory. Other calls judge conflicts, or check whether the endpoint answers. */
function isReading({ body }: ChatCall): boolean {
  return (body as unknown as Asked).response_format?.json_schema.name === 'memory_reading'
}

function memoryOf({ messages }: ChatCall): ReadMemory {
  const message = messages[1]!.content
  return { ...(JSON.parse(message.split('\n')[1]!) as Omit<ReadMemory, 'message'>), message }
}

function judgedOf({ messages }: ChatCall): JudgedTexts {
  const lines = messages[1]?.content.split('\n').slice(1, -1) ?? []
  return new Map(
    lines.map((line) => JSON.parse(line) as { ref: string; text: string }).map(({ ref, text }) => [ref, text]),
  )
}
