/** A message of the tools' protocol, but for its id. */
export interface ProtocolMessage {
  readonly method: string
  readonly params?: unknown
}

const tokens = { progressToken: 7, 'example.com/trace': { span: 'a' } }

/** Messages with everything that the protocol lets a client give. */
const WHOLE_MESSAGES: readonly ProtocolMessage[] = [
  {
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {
        experimental: { own: { a: 1 } },
        sampling: { context: {}, tools: {} },
        elicitation: { form: { applyDefaults: true }, url: {} },
        roots: { listChanged: true },
        tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
        extensions: { own: {} },
      },
      clientInfo: {
        name: 'test',
        title: 'Test',
        version: '1',
        websiteUrl: 'https://example.com',
        description: 'Tests.',
        icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' }],
      },
      _meta: tokens,
    },
  },
  {
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', title: 'Test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': { roots: { listChanged: true } },
        'io.modelcontextprotocol/logLevel': 'info',
      },
    },
  },
  { method: 'ping', params: { _meta: tokens } },
  { method: 'tools/list', params: { cursor: 'a', _meta: tokens } },
  { method: 'tools/call', params: { name: 'svc_stats', arguments: { op: 'read' }, task: { ttl: 1 }, _meta: tokens } },
  { method: 'resources/list', params: { cursor: 'a', _meta: tokens } },
  { method: 'resources/templates/list', params: { cursor: 'a', _meta: tokens } },
  { method: 'resources/read', params: { uri: 'cairn://schemas/svc_stats', _meta: tokens } },
  { method: 'prompts/list', params: { cursor: 'a', _meta: tokens } },
  {
    method: 'prompts/get',
    params: { name: 'start_session', arguments: { task: 'a', run_id: 'b' }, _meta: tokens },
  },
  {
    method: 'completion/complete',
    params: {
      ref: { type: 'ref/prompt', name: 'start_session', title: 'Start' },
      argument: { name: 'task', value: 'a' },
      context: { arguments: { run_id: 'b' } },
      _meta: tokens,
    },
  },
  { method: 'logging/setLevel', params: { level: 'info', _meta: tokens } },
  { method: 'notifications/initialized', params: { _meta: tokens } },
  { method: 'notifications/cancelled', params: { requestId: 9, reason: 'a', _meta: tokens } },
  {
    method: 'notifications/progress',
    params: { progressToken: 7, progress: 1, total: 2, message: 'a', _meta: tokens },
  },
  { method: 'notifications/roots/list_changed', params: { _meta: tokens } },
]

export interface NullCase {
  readonly title: string
  readonly withNull: ProtocolMessage
  /** Lacks what is null in the other. */
  readonly without: ProtocolMessage
}

/** Returns for each member of each whole message, however deep, the message with null in its place, and without it. */
export function nullCases(): readonly NullCase[] {
  return WHOLE_MESSAGES.flatMap((message) => pathsOf(message.params, ['params']).map((path) => caseAt(message, path)))
}

/** Returns the paths of the members of objects. The arguments of a tool have their own rule for null, and are no part of the protocol. */
function pathsOf(value: unknown, path: readonly string[]): string[][] {
  const isArguments = path.join('.') === 'params.arguments' && Object.hasOwn(value as object, 'op')
  const members = typeof value === 'object' && value !== null && !isArguments ? Object.entries(value) : []
  const paths = members.flatMap(([name, member]) => pathsOf(member, [...path, name]))
  // An item of a list is not optional.
  return [[...path], ...paths.filter((found) => Number.isNaN(Number(found.at(-1))))]
}

function caseAt(message: ProtocolMessage, path: readonly string[]): NullCase {
  const [withNull, without] = [structuredClone(message), structuredClone(message)]
  const [name, parents] = [path.at(-1)!, path.slice(0, -1)]
  const parentIn = (root: object) => parents.reduce((at, key) => at[key] as Members, root as Members)
  parentIn(withNull)[name] = null
  delete parentIn(without)[name]
  return { title: `${message.method}: ${path.join('.')}`, withNull, without }
}

type Members = Record<string, unknown>

/** Messages with null for what is optional, each of which has a result. */
export const ANSWERED_WITH_NULLS: readonly ProtocolMessage[] = [
  ...['ping', 'tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].map((method) => ({
    method,
    params: null,
  })),
  { method: 'tools/call', params: { name: 'svc_stats', arguments: null, _meta: null } },
  { method: 'tools/call', params: { name: 'svc_stats', _meta: { progressToken: null } } },
  { method: 'tools/list', params: { cursor: null, _meta: null } },
  { method: 'prompts/get', params: { name: 'start_session', arguments: null } },
  { method: 'prompts/get', params: { name: 'start_session', arguments: { task: null, run_id: null } } },
  { method: 'resources/read', params: { uri: 'cairn://schemas/svc_stats', _meta: null } },
]
