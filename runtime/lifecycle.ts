import type { Clock } from './clock.js'
import type { Logger } from './logger.js'

/** Waits for a piece of a part to stop; a stop that hangs is reported with the names of the pieces that have not. */
export type AwaitStop = (piece: string, stopped: unknown) => Promise<void>

/**
 * The parts of a process in the order in which they started. `stop` stops them in reverse, each once, and waits for
 * each: a part may use all parts that started before it until its own stop is done.
 */
export interface Lifecycle {
  /** Starts a part; when that fails, stops all parts that have started and rethrows. */
  start<T>(name: string, start: () => T | Promise<T>, stop?: (part: T, awaitStop: AwaitStop) => unknown): Promise<T>
  /**
   * Resolves when every part has stopped; a part that fails to stop is logged and skipped. Repeated calls stop once.
   */
  stop(): Promise<void>
  /** Returns the name of the part that is being stopped, with those of its pieces that have not; null for none. */
  stopping(): string | null
}

/** Creates a lifecycle, which starts no part any more once `signal` is aborted. */
export function createLifecycle(logger: Logger, signal?: AbortSignal): Lifecycle {
  const started: { name: string; stop: () => unknown }[] = []
  const pieces = new Set<string>()
  let stopPromise: Promise<void> | undefined
  let partStopping: string | null = null

  async function stopAll(): Promise<void> {
    for (let part = started.pop(); part; part = started.pop()) {
      logger.debug({ part: part.name }, 'stopping')
      partStopping = part.name
      pieces.clear()
      try {
        await part.stop()
      } catch (error) {
        logger.error({ part: part.name, err: error }, 'part did not stop cleanly')
      }
    }
    partStopping = null
  }

  async function awaitStop(piece: string, stop: unknown): Promise<void> {
    pieces.add(piece)
    try {
      await stop
    } finally {
      pieces.delete(piece)
    }
  }

  const lifecycle: Lifecycle = {
    async start(name, start, stop) {
      try {
        if (stopPromise) throw new Error(`${name} was not started: the process is stopping`)
        signal?.throwIfAborted()
        const part = await start()
        if (stop) started.push({ name, stop: () => stop(part, awaitStop) })
        return part
      } catch (error) {
        await lifecycle.stop()
        throw error
      }
    },
    stop: () => (stopPromise ??= stopAll()),
    stopping: () => (pieces.size === 0 ? partStopping : `${partStopping} (${[...pieces].join(', ')})`),
  }
  return lifecycle
}

type StopReason = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'output closed'

interface StopRequest {
  /** Resolves at the first signal or `ask`. */
  readonly received: Promise<StopReason>
  ask(reason: StopReason): void
  /** Removes the signal handlers. */
  release(): void
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** Goes on where the machine's time is set back. */
const steadyClock: Clock = { now: () => performance.now() }
/** Milliseconds in which a second signal is taken for the same request: a person who wants to force takes longer. */
const SAME_REQUEST_MS = 500

/**
 * Handles signals as a request to stop; a later SIGTERM or SIGINT calls `force`. One Ctrl-C may come twice within a few milliseconds, from the
 * terminal and from npm, which hands its own on. A terminal that closes sends SIGHUP more than once (the kernel and the shell each do) and
 * breaks the output too. None of these forces anything.
 */
export function onStopRequest(force: (signal: NodeJS.Signals) => void, clock: Clock = steadyClock): StopRequest {
  let settle: (reason: StopReason) => void
  let askedAt: number | null = null
  const received = new Promise<StopReason>((resolve) => (settle = resolve))
  const ask = (reason: StopReason) => {
    askedAt ??= clock.now()
    settle(reason)
  }
  const listener = (signal: (typeof SIGNALS)[number]) => {
    if (askedAt === null || signal === 'SIGHUP') ask(signal)
    else if (clock.now() - askedAt >= SAME_REQUEST_MS) force(signal)
  }
  for (const signal of SIGNALS) process.on(signal, listener)
  return {
    received,
    ask,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, listener)
    },
  }
}
