import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from './client.js'
import type { TestEnvironment, TestService } from './service.js'

/** Returns the files of the embedded engine, without those of the log. */
export async function searchFiles({ env }: Pick<TestEnvironment, 'env'>): Promise<string[]> {
  const directory = join(env.DATA_DIR!, 'index')
  return (await readdir(directory)).filter((name) => name.endsWith('.sqlite')).map((name) => join(directory, name))
}

/** Sends a request to OpenSearch about the indices of an environment. Throws when it is refused. */
export async function requestEngine(
  { env }: Pick<TestEnvironment, 'env'>,
  method: string,
  path: string,
  body?: object,
) {
  const url = `${env.OPENSEARCH_URL!.replace(/\/$/, '')}/${path.replace('PREFIX', env.OPENSEARCH_INDEX_PREFIX!)}`
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
  return await answer.json()
}

export async function findServingBuild(service: TestService) {
  const { body } = await service.client().indexBuilds.list()
  return body.items.find(({ state }) => state === 'serving')!
}

/** Milliseconds that the watcher rests after a recall: the service has the processor to recover. */
const REST_MS = 10

/** Writes and recalls continuously, and counts memories that a recall missed without reporting it. */
export class Watcher {
  readonly known: string[] = []
  recalls = 0
  missesReported = 0
  readonly missesUnreported: string[] = []
  #isStopping = false
  #work: Promise<unknown> = Promise.resolve()

  constructor(readonly caller: () => Caller) {}

  async begin(count: number): Promise<void> {
    const contents = Array.from({ length: count }, (_, i) => `Crate c${i} stands in hold h${i % 7}.`)
    await this.caller().memories.createMany(contents.map((content) => ({ content })))
    this.known.push(...contents)
  }

  start(): void {
    this.#isStopping = false
    this.#work = Promise.all([this.#recall(), this.#write()])
    this.#work.catch(() => undefined)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#work
  }

  async look(content: string): Promise<{ isFound: boolean; degraded: string | null }> {
    const { memories, degraded } = await this.caller().memories.recall(content, { top_k: 3 }).ok()
    return { isFound: memories.some((memory) => memory.content === content), degraded }
  }

  /** Returns the memories that a recall of each does not find. */
  async missing(): Promise<string[]> {
    const missing: string[] = []
    for (const content of this.known) if (!(await this.look(content)).isFound) missing.push(content)
    return missing
  }

  async #recall(): Promise<void> {
    for (let i = 0; !this.#isStopping; i += 7) {
      const content = this.known[i % this.known.length]!
      const { isFound, degraded } = await this.look(content)
      this.recalls++
      if (degraded !== null) this.missesReported++
      else if (!isFound) this.missesUnreported.push(content)
      await sleep(REST_MS)
    }
  }

  async #write(): Promise<void> {
    for (let i = 0; !this.#isStopping; i++) {
      const content = `Barrel b${this.known.length} rolls off deck d${i}.`
      await this.caller().memories.create(content).ok()
      this.known.push(content)
      await sleep(50)
    }
  }
}
