/** Actions to run at the end, newest first, however the process ends. */
export interface Cleanup {
  add(undo: () => unknown): void
  /** Runs all actions, each once; a failure is printed and the rest continues. */
  run(): Promise<void>
}

/** Creates a list that runs by itself when the process is asked to stop. */
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
