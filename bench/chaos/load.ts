import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '../random.js'
import { call, type Outcome, type Reply } from './calls.js'
import type { Entry, Ledger } from './ledger.js'

export interface Tenant {
  readonly id: string
  readonly key: string
}

/** Answers that callers saw during one fault. */
export interface ObservedAnswers {
  readonly outcomes: Map<string, number>
  /** Recalls that missed the memory and reported that they were degraded. */
  missesReported: number
  /** Recalls that missed the memory and reported nothing. */
  missesUnreported: number
  /** Memories that a recall found although they were deleted, or with a text that was changed, before it began. */
  resurrected: number
}

function noAnswersObserved(): ObservedAnswers {
  return { outcomes: new Map(), missesReported: 0, missesUnreported: 0, resurrected: 0 }
}

interface Written {
  readonly id: string
}
interface Bulk {
  readonly results: readonly { readonly index: number; readonly id?: string }[]
}
interface RecallReply {
  readonly memories: readonly { readonly id: string; readonly content: string }[]
  readonly degraded: string | null
}

const WRITERS = 2
const READERS = 1
/**
 * Pause of a writer and a reader between two requests, so that the load stays but the machine itself is not under test.
 */
const PAUSE_MS = 25
const WORDS =
  'anchor berth cargo deck engine ferry gangway harbour keel lantern mast pilot quay rudder sail tide winch'.split(' ')

/** Callers that write, change, delete and recall continuously, and repeat unanswered requests with the same key. */
export class Load {
  readonly #random: Random
  readonly #stopping = new AbortController()
  #running: Promise<unknown> | null = null
  #paused: Promise<void> | null = null
  #resume: () => void = () => undefined
  #waiting = 0
  #observed = noAnswersObserved()
  #written = 0

  constructor(
    private readonly options: {
      readonly tenants: readonly Tenant[]
      /** Base addresses of the APIs; callers use each in turn. */
      readonly urls: () => readonly string[]
      readonly ledger: Ledger
      readonly seed: number
    },
  ) {
    this.#random = createRandom(options.seed)
  }

  start(): void {
    const loops = this.options.tenants.flatMap((tenant) => [
      ...Array.from({ length: WRITERS }, () => this.#repeat(() => this.#write(tenant))),
      ...Array.from({ length: READERS }, () => this.#repeat(() => this.#recall(tenant))),
    ])
    this.#running = Promise.all(loops)
    // `stop` reports what a loop throws.
    this.#running.catch(() => undefined)
  }

  /** Resolves once no request is in progress. */
  async pause(): Promise<void> {
    this.#paused = new Promise((resolve) => (this.#resume = resolve))
    const loops = this.options.tenants.length * (WRITERS + READERS)
    while (this.#waiting < loops) await Promise.race([sleep(20), this.#running])
  }

  resume(): void {
    this.#paused = null
    this.#resume()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.resume()
    await this.#running
  }

  /** Returns what callers saw since the last call. */
  takeObserved(): ObservedAnswers {
    const seen = this.#observed
    this.#observed = noAnswersObserved()
    return seen
  }

  async #repeat(step: () => Promise<void>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#paused) {
        this.#waiting++
        await this.#paused
        this.#waiting--
      }
      await step()
      await sleep(PAUSE_MS)
    }
  }

  async #write(tenant: Tenant): Promise<void> {
    const kind = this.#random.next()
    if (kind < 0.06) return this.#writeBulk(tenant)
    const entry = kind < 0.2 ? this.options.ledger.pickKept(tenant.id, this.#random) : undefined
    if (!entry) return this.#writeOne(tenant)
    return kind < 0.13 ? this.#delete(tenant, entry) : this.#change(tenant, entry)
  }

  async #writeOne(tenant: Tenant): Promise<void> {
    const content = this.#text()
    const body = await this.#insist<Written>(tenant, 'POST', '/memories', { tenant_id: tenant.id, content })
    this.options.ledger.add(tenant.id, body.id, content)
  }

  async #writeBulk(tenant: Tenant): Promise<void> {
    const contents = Array.from({ length: 20 }, () => this.#text())
    const items = contents.map((content) => ({ content }))
    const body = await this.#insist<Bulk>(tenant, 'POST', '/memories/bulk', { tenant_id: tenant.id, items })
    for (const { index, id } of body.results) {
      if (id === undefined)
        throw new Error(`an item of a bulk write was refused: ${JSON.stringify(body).slice(0, 300)}`)
      this.options.ledger.add(tenant.id, id, contents[index]!)
    }
  }

  /** Deletes a memory. A deletion that was done without an answer is a 404 when it is repeated. */
  async #delete(tenant: Tenant, entry: Entry): Promise<void> {
    entry.state = 'changing'
    await this.#insist(tenant, 'DELETE', `/memories/${entry.id}?tenant_id=${tenant.id}`, undefined, [204, 404])
    entry.version++
    entry.state = 'deleted'
    entry.deletedAt = performance.now()
  }

  async #change(tenant: Tenant, entry: Entry): Promise<void> {
    entry.state = 'changing'
    const content = this.#text()
    await this.#insist(tenant, 'PATCH', `/memories/${entry.id}`, { tenant_id: tenant.id, content })
    entry.version++
    entry.content = content
    entry.state = 'kept'
  }

  async #recall(tenant: Tenant): Promise<void> {
    const { ledger } = this.options
    const entry = ledger.pickKept(tenant.id, this.#random)
    if (!entry) return
    const { version } = entry
    const started = performance.now()
    const reply = await this.#send(tenant, 'POST', '/recall', {
      tenant_id: tenant.id,
      query: entry.content,
      top_k: 5,
    })
    if (reply.outcome !== 200) return
    const { memories, degraded } = reply.body as RecallReply
    this.#observed.resurrected += memories.filter(({ id }) => (ledger.find(id)?.deletedAt ?? Infinity) < started).length
    if (entry.version !== version || entry.state !== 'kept') return
    const found = memories.find(({ id }) => id === entry.id)
    if (found && found.content !== entry.content) this.#observed.resurrected++
    if (found) return
    if (degraded === null) this.#observed.missesUnreported++
    else this.#observed.missesReported++
  }

  /** Repeats a request until it succeeds. Throws for an answer that neither succeeds nor asks to retry. */
  async #insist<T>(
    tenant: Tenant,
    method: string,
    path: string,
    body?: unknown,
    fine?: readonly Outcome[],
  ): Promise<T> {
    const idempotencyKey = method === 'POST' ? randomUUID() : undefined
    for (;;) {
      const reply = await this.#send(tenant, method, path, body, idempotencyKey)
      const { outcome } = reply
      if (typeof outcome === 'number' && (fine?.includes(outcome) || (outcome >= 200 && outcome < 300)))
        return reply.body as T
      const isOver = typeof outcome === 'number' && outcome < 500 && ![408, 409, 429].includes(outcome)
      if (isOver) throw new Error(`${method} ${path} answered ${outcome}: ${JSON.stringify(reply.body).slice(0, 300)}`)
      await sleep(50)
    }
  }

  async #send(tenant: Tenant, method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Reply> {
    const urls = this.options.urls()
    const url = `${urls[this.#written++ % urls.length]}/api/v1${path}`
    const reply = await call(url, { method, key: tenant.key, body, idempotencyKey })
    const name = String(reply.outcome)
    this.#observed.outcomes.set(name, (this.#observed.outcomes.get(name) ?? 0) + 1)
    return reply
  }

  /** Returns a text that is like no other, and that its own words find. */
  #text(): string {
    const token = randomUUID().slice(0, 13)
    const [a, b, c] = this.#random.sample(WORDS, 3)
    return `Entry ${token}: the ${a} near the ${b} was seen by the ${c} crew.`
  }
}
