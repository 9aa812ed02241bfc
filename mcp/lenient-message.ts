type Message = Readonly<Record<string, unknown>>

/**
 * Returns the message without what is null where JSON-RPC and the protocol allow no null: its members but `id`, and everything in its `params`
 * but the arguments of a tool, which have a rule of their own (`tool-arguments.ts`). Some clients write null for what is absent, and the SDK refuses it.
 * The message is nested no deeper than its reader allows.
 */
export function withoutNulls<M extends object>(given: M): M {
  const { id, params, ...others } = given as Message
  const read = { ...withoutNullMembers(others), ...(id !== undefined && { id }) }
  if (params === undefined || params === null) return read as M
  if (others.method !== 'tools/call' || !isObject(params)) return { ...read, params: presentIn(params) } as M
  const { arguments: args = null, ...ofProtocol } = params
  return { ...read, params: { ...withoutNullMembers(ofProtocol), ...(args !== null && { arguments: args }) } } as M
}

function presentIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(presentIn)
  return isObject(value) ? withoutNullMembers(value) : value
}

function withoutNullMembers(value: Message): Message {
  const present = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(present.map(([name, member]) => [name, presentIn(member)]))
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of `Accept` that the SDK wants, whichever of the two it then answers with. */
export const BOTH_FORMS = 'application/json, text/event-stream'

/** The form of an answer: as the SDK chooses where the caller takes both. */
export type AnswerForm = 'json' | 'events' | 'either'

const JSON_RANGES = ['application/json', 'application/*', '*/*']
const EVENT_RANGES = ['text/event-stream', 'text/*', '*/*']

/** Returns the form that an `Accept` asks for: JSON for callers that take anything. Null where it allows neither. */
export function formOf(accept: string | undefined): AnswerForm | null {
  const ranges = (accept ?? '*/*').split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [range]
  })
  const takes = (accepted: readonly string[]) => ranges.some((range) => accepted.includes(range))
  if (ranges.includes('application/json') && ranges.includes('text/event-stream')) return 'either'
  if (takes(JSON_RANGES)) return 'json'
  return takes(EVENT_RANGES) ? 'events' : null
}

/** Returns the JSON of the one message that a stream of events has. */
export function jsonOfEvents(events: string): string {
  return events
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim())
    .filter((data) => data !== '')
    .at(-1)!
}

/**
 * Returns a message as the one event of a stream. A line of a stream ends at CR or LF alone, but many clients also end it where Unicode does,
 * so that those characters, which stand only within strings, are escaped.
 */
export function eventsOfJson(json: string): string {
  const escaped = json.replace(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `event: message\ndata: ${escaped}\n\n`
}
