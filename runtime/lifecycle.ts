import type { Logger } from './logger.js'

/**
 * The parts of a process in the order in which they started. `stop` ends them in reverse, each once, and waits for each: a
 * part may use all that started before it until its own stop is done.
 */
export interface Lifecycle {
  /** Starts a part, or stops what has started so far and rethrows. */
  start<T>(name: string, start: () => T | Promise<T>, stop?: (part: T) => unknown): Promise<T>
  /** Resolves when everything has stopped; a part that fails to is logged and passed over. Called twice it is one stop. */
  stop(): Promise<void>
}

/** No part starts any more once `signal` is aborted. */
export function createLifecycle(logger: Logger, signal?: AbortSignal): Lifecycle {
  const started: { name: string; stop: () => unknown }[] = []
  let stopping: Promise<void> | undefined

  async function stopAll(): Promise<void> {
    for (let part = started.pop(); part; part = started.pop()) {
      logger.debug({ part: part.name }, 'stopping')
      try {
        await part.stop()
      } catch (error) {
        logger.error({ part: part.name, err: error }, 'part did not stop cleanly')
      }
    }
  }

  const lifecycle: Lifecycle = {
    async start(name, start, stop) {
      try {
        if (stopping) throw new Error(`${name} was not started: the process is stopping`)
        signal?.throwIfAborted()
        const part = await start()
        if (stop) started.push({ name, stop: () => stop(part) })
        return part
      } catch (error) {
        await lifecycle.stop()
        throw error
      }
    },
    stop: () => (stopping ??= stopAll()),
  }
  return lifecycle
}

export interface StopSignal {
  /** Resolves at the first SIGTERM or SIGINT. */
  readonly received: Promise<NodeJS.Signals>
  /** Gives the signals back to Node. */
  release(): void
}

/** The first signal asks to stop, a second one calls `force`. */
export function onStopSignal(force: (signal: NodeJS.Signals) => void): StopSignal {
  let settle: (signal: NodeJS.Signals) => void
  let count = 0
  const received = new Promise<NodeJS.Signals>((resolve) => (settle = resolve))
  const listener = (signal: NodeJS.Signals) => (count++ === 0 ? settle(signal) : force(signal))
  const signals = ['SIGTERM', 'SIGINT'] as const
  for (const signal of signals) process.on(signal, listener)
  return {
    received,
    release: () => {
      for (const signal of signals) process.off(signal, listener)
    },
  }
}
