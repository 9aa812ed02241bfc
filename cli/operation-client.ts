import type { CallOperation } from '../http/operation-caller.js'
import type { Route } from '../http/validation/routes.js'
import { NoAnswerError, type ServiceClient } from './service-client.js'

type Answer = Awaited<ReturnType<CallOperation>>

/** Returns a function that calls an operation by a request of the service and returns its answer, refusals included. */
export function createOperationClient(
  service: Pick<ServiceClient, 'send'>,
  routes: readonly Route[],
  actingAgent: string | undefined,
): CallOperation {
  return async ({ operationId, params, query, headers, body }) => {
    const { method, path } = routes.find((route) => route.operationId === operationId)!
    const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => params[name] ?? '')
    try {
      return await answerOf(
        await service.send(`${filled}${query === '' ? '' : `?${query}`}`, {
          method,
          headers: {
            ...(headers as Record<string, string>),
            ...(actingAgent !== undefined && { 'x-agent-id': actingAgent }),
          },
          body,
        }),
      )
    } catch (error) {
      if (error instanceof NoAnswerError) return unavailable(error.message)
      throw error
    }
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
  }
}

function unavailable(message: string): Answer {
  return { status: 503, headers: {}, body: { error: { code: 'UNAVAILABLE', message }, detail: message } }
}
