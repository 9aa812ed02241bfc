import { createInterface, emitKeypressEvents, type Key } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'

/** The terminal that a person sits at. */
export interface Terminal {
  readonly input: Pick<ReadStream, 'isTTY' | 'setRawMode' | 'resume' | 'pause' | 'on' | 'off'> & NodeJS.ReadableStream
  readonly output: Pick<WriteStream, 'isTTY' | 'columns' | 'write'> & NodeJS.WritableStream
}

/** A key, by what it writes, or a wish to end. */
export type Press = { readonly key: string } | { readonly end: 'interrupted' | 'closed' }

export interface Keyboard {
  /** Resolves to the next key that is pressed from now on. What was pressed before, while nothing was asked, decides nothing. */
  press(): Promise<Press>
  /** Asks for a line; null when it is empty or not wanted any more. */
  line(question: string): Promise<string | null>
  /** Lets another program have the terminal. */
  lend(work: () => Promise<void>): Promise<void>
  /** Leaves the terminal as it was. */
  close(): void
}

/** Takes the keys of a terminal one by one, until it is closed. */
export function openKeyboard({ input, output }: Terminal): Keyboard {
  let ended: Press | null = null
  let waiting: ((press: Press) => void) | null = null
  const settle = (press: Press) => {
    const resolve = waiting
    waiting = null
    if ('end' in press) ended = press
    resolve?.(press)
  }
  const onKey = (text: string | undefined, key: Key) => {
    if (key.ctrl && key.name === 'c') settle({ end: 'interrupted' })
    else if (key.ctrl && key.name === 'd') settle({ end: 'closed' })
    else if (!key.ctrl && !key.meta && text !== undefined) settle({ key: text })
  }
  const onEnd = () => settle({ end: 'closed' })
  const take = () => {
    input.setRawMode(true)
    input.on('keypress', onKey)
    input.resume()
  }
  const release = () => {
    input.off('keypress', onKey)
    input.setRawMode(false)
    input.pause()
  }
  emitKeypressEvents(input)
  input.on('end', onEnd)
  take()
  return {
    press: () => (ended === null ? new Promise((resolve) => (waiting = resolve)) : Promise.resolve(ended)),
    async line(question) {
      release()
      try {
        return await readLine({ input, output }, question)
      } finally {
        take()
      }
    },
    async lend(work) {
      release()
      try {
        await work()
      } finally {
        take()
      }
    },
    close() {
      release()
      input.off('end', onEnd)
    },
  }
}

function readLine({ input, output }: Terminal, question: string): Promise<string | null> {
  const lines = createInterface({ input, output, terminal: true, historySize: 0 })
  return new Promise<string | null>((resolve) => {
    lines.once('SIGINT', () => resolve(null))
    lines.once('close', () => resolve(null))
    lines.question(question, (answer) => resolve(answer.trim() === '' ? null : answer.trim()))
  }).finally(() => lines.close())
}
