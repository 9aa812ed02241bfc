import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from './client.js'
import type { ClientAnswer } from './clients/request.js'
import { until } from './states.js'

/** Milliseconds that a writer rests after a write: the service has the processor, and what was written is read in the end. */
const REST_MS = 75

/**
 * Callers that write and delete continuously while processes die. A request without an answer, or with one that asks to
 * retry, is repeated with the same Idempotency-Key until it is answered. The callers record the answers: `kept` and
 * `deleted` are contents by id.
 */
export class StubbornWriters {
  readonly kept = new Map<string, string>()
  readonly deleted = new Map<string, string>()
  /** Number of answered requests, and of those that had to be repeated. */
  answered = 0
  repeated = 0
  readonly #caller: () => Caller
  readonly #count: number
  readonly #stopping = new AbortController()
  #running: Promise<unknown> | undefined

  /** `caller` is called before each request, since a restarted service has another address. */
  constructor(caller: () => Caller, count = 4) {
    this.#caller = caller
    this.#count = count
  }

  start(): void {
    const run = randomUUID().slice(0, 6)
    this.#running = Promise.all(Array.from({ length: this.#count }, (_, i) => this.#write(`${run}w${i}`)))
    // Thrown by `stop`; until then it must not end the process.
    this.#running.catch(() => undefined)
  }

  /** Resolves once every request is answered. Throws when an answer was wrong. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Resolves when `count` more requests are answered. */
  async answers(count: number): Promise<void> {
    const goal = this.answered + count
    const answered = until(`${count} more requests are answered`, () => this.answered >= goal, { within: 60_000 })
    await Promise.race([answered, this.#running])
  }

  async #write(name: string): Promise<void> {
    for (let i = 0; !this.#stopping.signal.aborted; i++) {
      const content = `Entry ${name}n${i} of the harbour log.`
      const headers = { 'Idempotency-Key': `${name}-${i}` }
      const written = await this.#insist((caller) => caller.memories.create(content, headers))
      expect(written.status, JSON.stringify(written.body)).to.equal(201)
      this.kept.set(written.body.id, content)
      if (i % 4 === 3) await this.#forget(written.body.id)
      await sleep(REST_MS)
    }
  }

  /** Deletes a memory. A deletion that was done without an answer is a 404 when it is repeated. */
  async #forget(id: string): Promise<void> {
    const before = this.repeated
    const { status } = await this.#insist((caller) => caller.memories.delete(id))
    expect(status).to.be.oneOf(this.repeated > before ? [204, 404] : [204])
    this.deleted.set(id, this.kept.get(id)!)
    this.kept.delete(id)
  }

  async #insist<Body>(send: (caller: Caller) => Promise<ClientAnswer<Body>>): Promise<ClientAnswer<Body>> {
    for (;;) {
      try {
        const answer = await send(this.#caller())
        if (!answer.headers.has('Retry-After')) {
          this.answered++
          return answer
        }
        expect(answer.status).to.be.oneOf([409, 503])
      } catch (error) {
        // fetch throws this when nobody listens or the connection breaks.
        if (!(error instanceof TypeError)) throw error
      }
      this.repeated++
      await sleep(20)
    }
  }
}

/** Expects that every acknowledged memory is listed once and counted, and no other; deleted ones are gone. */
export async function expectNothingLost(caller: Caller, { kept, deleted }: StubbornWriters): Promise<void> {
  const listed = await caller.memories.listAll()
  const byId = (entries: Iterable<readonly [string, string]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  expect(byId(listed.map(({ id, content }) => [id, content] as const))).to.deep.equal(byId(kept))
  expect(await caller.memories.total()).to.equal(kept.size)
  for (const id of deleted.keys()) expect((await caller.memories.get(id)).status).to.equal(404)
}

/** Expects that each memory is found by its own words, and deleted ones by none. */
export async function expectRecallable(caller: Caller, { kept, deleted }: StubbornWriters): Promise<void> {
  for (const [id, content] of kept) expect(await found(caller, content), content).to.include(id)
  for (const [id, content] of deleted) expect(await found(caller, content), content).not.to.include(id)
}

async function found(caller: Caller, content: string): Promise<string[]> {
  const { memories, degraded } = await caller.memories.recall(content, { top_k: 3 }).ok()
  expect(degraded).to.equal(null)
  return memories.map(({ id }) => id)
}
