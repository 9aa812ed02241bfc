import { expect } from 'chai'
import { Readable } from 'node:stream'
import { exactMessages } from '../../cli/exact-messages.js'

describe('messages over stdin', () => {
  it('are passed on, except for those with numbers that JSON cannot keep, which are refused by name', async () => {
    const write = (id: number, n: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"svc_memory","arguments":{"metadata":{"n":${n}}}}}`
    const kept = [
      write(1, '9007199254740991'),
      write(2, '"12345678901234567890"'),
      'no JSON',
      write(3, '"\\ud800"'),
      '[]',
    ]
    const lost = [write(4, '12345678901234567890'), write(5, '1e400')]
    const refused: { id?: unknown; error?: { code: number; message: string } }[] = []
    const passed = exactMessages(Readable.from([[...kept, ...lost].join('\n')]), (answer) => void refused.push(answer))
    let text = ''
    for await (const chunk of passed) text += String(chunk)
    expect(text.trimEnd().split('\n')).to.deep.equal(kept)
    expect(refused.map(({ id, error }) => [id, error!.code])).to.deep.equal([
      [4, -32602],
      [5, -32602],
    ])
    expect(refused[0]!.error!.message).to.contain('params.arguments.metadata.n')
  })
})
