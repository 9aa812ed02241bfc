import { PassThrough, Writable } from 'node:stream'
import type { Terminal } from '../../cli/review/keyboard.js'
import { until } from './states.js'

/** A terminal whose person is the test. */
export interface FakeTerminal {
  readonly terminal: Terminal
  /** Returns all that was written to the screen. */
  screen(): string
  /** Waits until these words were written after the last keys, and presses the keys then. */
  press(after: string, keys: string): Promise<void>
  /** Returns whether the terminal gives key by key. */
  isRaw(): boolean
}

export function fakeTerminal({ columns = 100 }: { readonly columns?: number } = {}): FakeTerminal {
  let written = ''
  let isRaw = false
  let seen = 0
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      written += chunk.toString()
      done()
    },
  })
  const input = new PassThrough()
  return {
    terminal: {
      input: Object.assign(input, {
        isTTY: true,
        setRawMode(mode: boolean) {
          isRaw = mode
          return this
        },
      }) as unknown as Terminal['input'],
      output: Object.assign(output, { isTTY: true, columns }) as unknown as Terminal['output'],
    },
    screen: () => written,
    async press(after, keys) {
      await until(`the screen says ${after}`, () => Promise.resolve(written.includes(after, seen)))
      seen = written.length
      input.write(keys)
    },
    isRaw: () => isRaw,
  }
}
