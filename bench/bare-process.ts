import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startProcess } from './bench-process.js'
import type { Cleanup } from './cleanup.js'
import { createHttpClient, type HttpClient } from './http-client.js'
import type { BenchEnvironment } from './environment.js'

/**
 * Starts a yardstick, a script that prints `port N`, in a process of its own. Returns a client of it; the process runs
 * until the end of the run.
 */
export async function startBare(
  name: string,
  environment: BenchEnvironment,
  args: readonly string[],
  cleanup: Cleanup,
): Promise<HttpClient> {
  const script = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
  const process = startProcess({ name, directory: environment.directory, env: {}, args: [script, ...args], cleanup })
  for (;;) {
    const port = /^port (\d+)$/m.exec(process.lastWords())?.[1]
    if (port !== undefined) {
      const client = createHttpClient(`http://127.0.0.1:${port}`)
      cleanup.add(() => client.close())
      return client
    }
    if (process.exited() !== null) throw new Error(`${name} ended:\n${process.lastWords()}`)
    await sleep(25)
  }
}
