import {
  Refusal,
  startStubEndpoint,
  type EndpointCall,
  type EndpointFault,
  type StubEndpoint,
  type StubOptions,
} from './stub-endpoint.js'

/** Faults of the stub. */
export type LanguageModelFault = EndpointFault | AnswerFault
type AnswerFault = 'no choices' | 'no message' | 'no content' | 'declines' | 'filtered' | 'cut off' | 'no usage'

interface Message {
  readonly role: string
  readonly content: string
}

export interface ChatCall extends EndpointCall {
  readonly messages: readonly Message[]
  /** The body as received. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface LanguageModelStubOptions extends StubOptions<ChatCall> {
  /** Returns the text of the answer, or its parts; any other value is written as JSON. */
  readonly reply?: (call: ChatCall) => unknown
  /** The usage that the answer reports. */
  readonly usage?: object
  /** Returns the message of a 400 for a body that this server does not support, or null. */
  readonly refuses?: (body: Readonly<Record<string, unknown>>) => string | null
}

export type LanguageModelStub = StubEndpoint<ChatCall, LanguageModelFault>

const STUB_USAGE = { prompt_tokens: 120, completion_tokens: 30 }

/** Starts an OpenAI-compatible /chat/completions on a free loopback port. */
export function startLanguageModelStub(options: LanguageModelStubOptions = {}): Promise<LanguageModelStub> {
  const { key, before, reply = () => ({}), usage = STUB_USAGE, refuses = () => null } = options
  return startStubEndpoint<ChatCall, AnswerFault>({
    path: '/chat/completions',
    ...(key !== undefined && { key }),
    ...(before && { before }),
    read: (body: Record<string, unknown>) => ({ messages: body.messages as Message[], body }),
    quote: ({ messages }) =>
      messages
        .toReversed()
        .map(({ content }) => content)
        .join(' '),
    answer(call, fault) {
      const refusal = refuses(call.body)
      if (refusal !== null) throw new Refusal(400, { error: { message: refusal } })
      if (fault === 'no choices') return { object: 'chat.completion' }
      const answer = reply(call)
      const content = typeof answer === 'string' || Array.isArray(answer) ? answer : JSON.stringify(answer)
      return {
        object: 'chat.completion',
        choices: [{ index: 0, finish_reason: finishOf(fault), message: messageOf(fault, content) }],
        ...(fault !== 'no usage' && { usage }),
      }
    },
  })
}

function finishOf(fault: AnswerFault | undefined): string {
  if (fault === 'cut off') return 'length'
  return fault === 'filtered' ? 'content_filter' : 'stop'
}

function messageOf(fault: AnswerFault | undefined, content: string | unknown[]): object | null {
  switch (fault) {
    case 'no message':
      return null
    case 'no content':
      return { role: 'assistant', content: null }
    case 'declines':
      return { role: 'assistant', content: null, refusal: 'I would rather not.' }
    case 'cut off':
      return { role: 'assistant', content: content.slice(0, -1) }
    default:
      return { role: 'assistant', content }
  }
}
