import { setTimeout } from 'node:timers/promises'

/** Waits until the state is reached. Throws after 15 s: a wait without end would keep a failed run from ending. */
export async function until(state: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000
  while (!(await state())) {
    if (Date.now() > deadline) throw new Error(`never reached: ${state.toString()}`)
    await setTimeout(2)
  }
}

/** Returns a promise to wait for, and the function that resolves it. */
export function gate<T = void>(): { readonly opened: Promise<T>; readonly open: (value: T) => void } {
  let open!: (value: T) => void
  const opened = new Promise<T>((resolve) => (open = resolve))
  return { opened, open }
}
