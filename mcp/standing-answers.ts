import { LRUCache } from 'lru-cache'
import type { Answer } from '../http/errors.js'
import { serializedBodyOf, setSerializedBody } from '../runtime/json.js'

type Message = Readonly<Record<string, unknown>>

/** Methods whose answer follows from the message, its headers and the caller's trust alone, whoever asks and however often. */
const STANDING = ['initialize', 'ping', 'server/discover', 'tools/list', 'resources/templates/list', 'prompts/list']
const MEMBERS = ['jsonrpc', 'id', 'method', 'params']
/** Bounds what callers can make the process keep, in bytes; who fills it makes the others' next messages cost what they did before. */
const MAX_KEPT_BYTES = 4_000_000
const MAX_KEY_LENGTH = 1_000
/** Stands for the id in a kept answer, and is in no text of the service. */
const PLACEHOLDER = 'id-of-the-message'

/**
 * Keeps the answers of the SDK to messages that are answered without a call of an operation, which it makes anew in some 3 ms each. A message
 * that differs in anything but its id is another one, so that every check of the protocol is the SDK's.
 */
export class StandingAnswers {
  readonly #kept = new LRUCache<string, Answer>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ body }, key) => key.length + jsonOf(body).length,
  })

  /** Returns the kept answer to a message, or that of `answer`, which is asked with another id. */
  async answerTo(
    message: Message,
    circumstances: readonly unknown[],
    answer: (message: Message) => Promise<Answer>,
  ): Promise<Answer> {
    const key = keyOf(message, circumstances)
    if (key === null) return answer(message)
    let kept = this.#kept.get(key)
    if (!kept) {
      kept = await answer({ ...message, id: PLACEHOLDER })
      if (kept.status === 200) this.#kept.set(key, kept)
    }
    const json = jsonOf(kept.body)
      .toString()
      .replace(`"id":"${PLACEHOLDER}"`, () => `"id":${JSON.stringify(message.id)}`)
    return { ...kept, body: setSerializedBody({}, Buffer.from(json)) }
  }
}

function jsonOf(body: unknown): Buffer {
  return serializedBodyOf(body)!.json
}

function keyOf(message: Message, circumstances: readonly unknown[]): string | null {
  const { id, method, params } = message
  const hasId = typeof id === 'string' || Number.isSafeInteger(id)
  if (!hasId || !isStanding(method, params) || Object.keys(message).some((name) => !MEMBERS.includes(name))) return null
  const key = JSON.stringify([method, message.jsonrpc, params, circumstances])
  return key.length > MAX_KEY_LENGTH ? null : key
}

function isStanding(method: unknown, params: unknown): boolean {
  if (method !== 'resources/read') return STANDING.includes(method as string)
  return String((params as { uri?: unknown } | undefined)?.uri).startsWith('cairn://schemas/')
}
