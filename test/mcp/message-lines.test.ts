import { expect } from 'chai'
import { Readable } from 'node:stream'
import { readMessageLines } from '../../mcp/message-lines.js'
import { ANSWERED_WITH_NULLS, nullCases } from '../support/null-messages.js'

describe('messages over stdin', () => {
  interface Refusal {
    readonly id: unknown
    readonly error: { readonly code: number; readonly message: string }
  }

  /** Returns the lines that are passed on, and the answers to the others. */
  async function read(...lines: string[]) {
    const refused: Refusal[] = []
    const messages = readMessageLines(
      Readable.from([lines.join('\n')]),
      (answer) => void refused.push(answer as Refusal),
    )
    let text = ''
    for await (const chunk of messages) text += String(chunk)
    const passed = text.split('\n').filter(Boolean)
    return { passed: passed.map((message) => JSON.parse(message) as object), refused }
  }
  const parsed = (text: string) => JSON.parse(text) as object
  const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })

  it('are passed on, except for those with numbers that JSON cannot keep, which are refused by name', async () => {
    const write = (id: number, n: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"svc_memory","arguments":{"metadata":{"n":${n}}}}}`
    const kept = [write(1, '9007199254740991'), write(2, '"12345678901234567890"')]
    const { passed, refused } = await read(...kept, write(4, '12345678901234567890'), write(5, '1e400'))
    expect(passed).to.deep.equal(kept.map(parsed))
    expect(refused.map(({ id, error }) => [id, error.code])).to.deep.equal([
      [4, -32600],
      [5, -32600],
    ])
    expect(refused[0]!.error.message).to.contain('params.arguments.metadata.n')
  })

  it('lose what is null for absent, however deep, and keep the nulls of a tool’s arguments', async () => {
    const cases = nullCases()
    const { passed, refused } = await read(...cases.map(({ withNull }) => line(withNull)))
    expect(refused).to.deep.equal([])
    for (const [i, { title, without }] of cases.entries()) expect(passed[i], title).to.deep.equal(parsed(line(without)))
    const own = { method: 'tools/call', params: { name: 'svc_memory', arguments: { op: 'update', subject: null } } }
    expect((await read(line(own))).passed).to.deep.equal([parsed(line(own))])
    expect((await read(...ANSWERED_WITH_NULLS.map(line))).refused).to.deep.equal([])
  })

  const deep = `${'['.repeat(200)}${']'.repeat(200)}`
  const long = 'x'.repeat(2_000_000)
  const REFUSED: readonly [what: string, line: string, code: number, id: unknown][] = [
    ['no JSON', 'tools/list', -32700, null],
    ['half a message', '{"jsonrpc":"2.0","id":1,"meth', -32700, null],
    ['2 MB of nothing', long, -32700, null],
    ['a batch', `[${line({ method: 'ping' })}]`, -32600, null],
    ['a number', '7', -32600, null],
    ['null', 'null', -32600, null],
    ['an empty object', '{}', -32600, null],
    ['no method', line({}), -32600, 1],
    ['a method that is no text', line({ method: 5 }), -32600, 1],
    ['no version', '{"id":"a","method":"ping"}', -32600, 'a'],
    ['another version', line({ jsonrpc: '1.0', method: 'ping' }), -32600, 1],
    ['null for an id', line({ id: null, method: 'ping' }), -32600, null],
    ['an object for an id', line({ id: {}, method: 'ping' }), -32600, null],
    ['a broken notification', '{"jsonrpc":"2.0","method":5}', -32600, null],
    ['parameters that are a text', line({ method: 'ping', params: 'a' }), -32600, 1],
    ['a message of 2 MB', line({ method: 'tools/list', params: { cursor: long } }), -32600, 1],
    ['values nested too deeply', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep}}}`, -32600, 1],
  ]
  for (const [what, given, code, id] of REFUSED)
    it(`are answered where they are none, and the next one is read: ${what}`, async () => {
      const next = line({ id: 2, method: 'ping' })
      const { passed, refused } = await read(given, next)
      expect(passed).to.deep.equal([parsed(next)])
      expect(refused.map((refusal) => [refusal.id, refusal.error.code])).to.deep.equal([[id, code]])
    })

  it('get no answer where they are blank or answers themselves', async () => {
    const answers = [{ result: {} }, { result: null }, { error: { code: -32601, message: 'a' } }].map(line)
    expect(await read('', ' ', ...answers, '\r')).to.deep.equal({ passed: [], refused: [] })
  })

  it('are read one by one, also from chunks that end anywhere', async () => {
    const messages = [line({ method: 'ping' }), line({ method: 'tools/call', params: { name: 'é🦊' } })]
    const bytes = Buffer.from(`${messages.join('\r\n')}`)
    const chunks = Readable.from([...bytes].map((byte) => Buffer.from([byte])))
    let text = ''
    for await (const chunk of readMessageLines(chunks, () => expect.fail())) text += String(chunk)
    expect(text.trimEnd().split('\n').map(parsed)).to.deep.equal(messages.map(parsed))
  })
})
