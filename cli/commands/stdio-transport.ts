import type { Readable } from 'node:stream'
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

/** Longest wait for answers after the end of stdin, in milliseconds: as long as the client waits for one of the service. */
const LAST_ANSWERS_MS = 100_000

/**
 * Reads messages from `input`, which is what stdin holds, and writes answers to stdout. The SDK's transport drops the calls in progress when stdin
 * ends; this one answers them first.
 */
export class StdioTransport extends StdioServerTransport {
  /** Resolves when the transport is closed; rejects where an error, and not the end of stdin, closed it. */
  readonly closed: Promise<void>
  #settle!: { resolve: () => void; reject: (error: Error) => void }
  #failure: Error | undefined
  #hasEnded = false
  readonly #unanswered = new Set<RequestId>()
  #onAnswered: (() => void) | undefined

  constructor(input: Readable) {
    super(input)
    this.closed = new Promise((resolve, reject) => (this.#settle = { resolve, reject }))
    // Listens before the SDK's transport, which closes at this event.
    input.once('end', () => (this.#hasEnded = true))
  }

  override start(): Promise<void> {
    const receive = this.onmessage
    this.onmessage = (message) => {
      if (isJSONRPCRequest(message)) this.#unanswered.add(message.id)
      // A call that is cancelled gets no answer.
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
        this.#answered((message.params as { readonly requestId?: RequestId } | undefined)?.requestId)
      receive?.(message)
    }
    const report = this.onerror
    this.onerror = (error) => {
      this.#failure = error
      report?.(error)
    }
    return super.start()
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message)
    } finally {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.#answered(message.id)
    }
  }

  override async close(): Promise<void> {
    if (this.#hasEnded) await this.#lastAnswers()
    await super.close()
    if (this.#hasEnded || !this.#failure) this.#settle.resolve()
    else this.#settle.reject(this.#failure)
  }

  #answered(id: RequestId | undefined): void {
    if (id !== undefined) this.#unanswered.delete(id)
    if (this.#unanswered.size === 0) this.#onAnswered?.()
  }

  #lastAnswers(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(done, LAST_ANSWERS_MS)
      const before = this.#onAnswered
      this.#onAnswered = () => {
        before?.()
        done()
      }
      if (this.#unanswered.size === 0) done()
    })
  }
}
