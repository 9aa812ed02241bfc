/** What is to be undone at the end, newest first, whatever the end is. */
export interface Cleanup {
  add(undo: () => unknown): void
  /** Does all of it, each once; what fails is told and the rest goes on. */
  run(): Promise<void>
}

/** Runs by itself when the process is told to stop. */
export function createCleanup(): Cleanup {
  const undoing: (() => unknown)[] = []
  const cleanup: Cleanup = {
    add: (undo) => void undoing.push(undo),
    async run() {
      for (let undo = undoing.pop(); undo; undo = undoing.pop()) {
        try {
          await undo()
        } catch (error) {
          console.error(`bench: not cleaned up: ${error instanceof Error ? error.message : String(error)}`)
        }
      }
    },
  }
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => void cleanup.run().then(() => process.exit(code)))
  return cleanup
}
