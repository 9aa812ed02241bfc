import {
  ArgumentError,
  type Arguments,
  CairnError,
  type Client,
  ConnectionError,
  type OperationId,
  type OptionsOf,
  ServiceError,
  TimeoutError,
} from '../client/index.js'
import type { CallOperation } from '../http/message-endpoint.js'
import { failureAnswer } from '../mcp/tool-refusal.js'
import { describeFailure } from './failure.js'

type Answer = Awaited<ReturnType<CallOperation>>

/** Returns a function that calls an operation by a request of the service and returns its answer, refusals included. */
export function createOperationClient(service: Client, actingAgent: string | undefined): CallOperation {
  return async ({ operationId, params, query, headers, body }) => {
    const path = Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)])
    const args = { ...Object.fromEntries([...path, ...new URLSearchParams(query)]), ...body }
    const options = {
      agentId: actingAgent,
      idempotencyKey: headers['idempotency-key'],
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
    }
    const operation = operationId as OperationId
    try {
      return answerOf(
        await service.request(operation, args as Arguments<OperationId>, options as OptionsOf<OperationId>),
      )
    } catch (error) {
      if (error instanceof CairnError) return answerOfFailure(error)
      throw error
    }
  }
}

function answerOf({ status, headers, body }: { status: number; headers: Headers; body: unknown }): Answer {
  return { status, headers: Object.fromEntries(headers), body }
}

/** Returns what REST answers, or would answer: a proxy's error has no envelope, and some failures have no answer at all. */
function answerOfFailure(error: CairnError): Answer {
  if (error instanceof ServiceError && hasEnvelope(error.body)) return answerOf(error)
  return failureAnswer(statusOf(error), describeFailure(error))
}

function hasEnvelope(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body
}

function statusOf(error: CairnError): number {
  if (error instanceof ArgumentError) return 422
  return error instanceof ConnectionError || error instanceof TimeoutError ? 503 : 502
}
