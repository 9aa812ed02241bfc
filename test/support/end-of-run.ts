const cleanups: (() => Promise<unknown>)[] = []

/** Runs `cleanup` when the whole run ends; what was registered last is cleaned up first. */
export function atEndOfRun(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup)
}

// Loaded by a test file outside of any suite, this is a hook of the whole run.
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})
