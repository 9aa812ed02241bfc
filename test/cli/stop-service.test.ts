import { expect } from 'chai'
import { pino } from 'pino'
import { stopService } from '../../cli/commands/run-process.js'
import { gate, inTime } from '../support/states.js'

describe('the stop of a process', () => {
  const lines: { msg: string; part?: string | null }[] = []
  const logger = pino(
    { base: null },
    { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) },
  )
  const cause = { reason: 'SIGTERM', code: 0 }
  beforeEach(() => lines.splice(0))

  it('ends the process with 1, and names the part that does not stop', async () => {
    const [ended, never] = [gate<number | undefined>(), gate()]
    const service = { stop: () => never.opened, stopping: () => 'workers (relay of scans)' }
    const stopping = stopService(service, cause, { limitMs: 1, logger, exit: ended.open })
    expect(await inTime('the process ends', ended.opened)).to.equal(1)
    expect(lines.at(-1)).to.include({
      msg: 'a part does not stop: ending the process',
      part: 'workers (relay of scans)',
    })
    never.open()
    await stopping
  })

  it('ends with the code of its cause when all parts stop', async () => {
    const service = { stop: () => Promise.resolve(), stopping: () => null }
    const ended: unknown[] = []
    const exit = (code?: number) => void ended.push(code)
    expect(await stopService(service, cause, { limitMs: 60_000, logger, exit })).to.equal(0)
    expect(await stopService(service, { ...cause, code: 1 }, { limitMs: 60_000, logger, exit })).to.equal(1)
    expect([lines.at(-1)!.msg, ended]).to.deep.equal(['stopped', []])
  })
})
