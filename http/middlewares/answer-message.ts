import type { Trust } from '../../domain/trust.js'
import type { Authenticator } from '../auth.js'
import type { Admission } from '../limits/admission.js'
import type { Answer } from '../errors.js'
import type { MessageEndpoint, OperationRequest } from '../message-endpoint.js'
import type { RequestContext } from '../request-context.js'
import { createMessageReader } from '../validation/message-reader.js'
import { holdPermit } from './call-steps.js'
import type { Step } from './middleware.js'

export interface AnsweringOptions {
  readonly admission: Admission | null
  readonly authenticator: Authenticator
  readonly call: (context: RequestContext, request: OperationRequest) => Promise<Answer>
}

/**
 * Parses a message and has its endpoint answer it, under a permit. The permit is given back when an operation of the message is called, which
 * acquires its own: a request that waited for a second permit with one in hand could wait for ever. What is done with an operation's answer
 * is done in the turn of the event loop in which the operation's permit is given back.
 */
export function answerMessage(endpoint: MessageEndpoint, { admission, authenticator, call }: AnsweringOptions): Step {
  const reader = createMessageReader()
  return async (context) => {
    const permit = admission && (await holdPermit(admission.permits, context))
    const { received, signal, headers, authenticated } = context
    const message = (await reader.read(received!.bytes, signal)).value as Readonly<Record<string, unknown>>
    context.refusalOf = (answer) => endpoint.refusalOf(answer, message)
    const tenantId = authenticated?.kind === 'key' ? authenticated.credential.tenantId : null
    const request = { message, headers, tenantId, trust: () => trustOf(context, authenticator), signal }
    context.answer = await endpoint.answer(request, (operation) => {
      permit?.release()
      return call(context, operation)
    })
  }
}

/** Returns the trust of a message's calls: the admin credential acts with the highest. */
async function trustOf({ authenticated, headers }: RequestContext, authenticator: Authenticator): Promise<Trust> {
  if (authenticated?.kind !== 'key') return 3
  const agent = headers['x-agent-id'] as string | undefined
  return (await authenticator.principalOf(authenticated.credential, agent)).trust
}
