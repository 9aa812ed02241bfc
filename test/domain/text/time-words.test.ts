import { expect } from 'chai'
import { tellsTime, timeReferences } from '../../../domain/text/time-words.js'

/** A Wednesday. */
const NOW = Date.parse('2026-05-13T12:00:00Z')

describe('words about time', () => {
  const days = (text: string) =>
    timeReferences(text, NOW).map((time) =>
      time.kind === 'date'
        ? [time.year ?? '*', time.month ?? '*', time.day ?? '*'].join('-')
        : [time.start, time.end].map((at) => new Date(at).toISOString().slice(0, 10)).join(' to '),
    )
  const cases: [text: string, ...expected: string[]][] = [
    ['what happened yesterday?', '2026-5-12'],
    ['who deployed last week', '2026-05-04 to 2026-05-11'],
    ['the decision of two weeks ago', '2026-04-27 to 2026-05-04'],
    ['everything of the last two days', '2026-05-11 to 2026-05-13'],
    ['the release in March', '*-3-*'],
    ['the release in March 2023', '2023-3-*'],
    ['on 7 May 2023 the pump failed', '2023-5-7'],
    ['on the 5th of May', '*-5-5'],
    ['2023-05-07', '2023-5-7'],
    ['the last two months', '2026-03-13 to 2026-05-13'],
    ['a few days ago', '2026-5-10'],
    ['10 years ago', '2016-*-*'],
    ['a couple of months ago', '2026-3-*'],
    ['on 1 January 1 AD'],
    ['last Friday', '2026-5-8'],
    ['last weekend', '2026-05-09 to 2026-05-11'],
    ['last month', '2026-4-*'],
    ['last year', '2025-*-*'],
    ['what was planned in 2023', '2023-*-*'],
    ['at 5pm'],
    ['may I ask what the march of progress is'],
    ['what was bought in may?', '*-5-*'],
    ['error 2023: port 2024/tcp'],
    [''],
  ]
  for (const [text, ...expected] of cases)
    it(`read ${JSON.stringify(text)} as ${expected.join(', ') || 'nothing'}`, () => {
      expect(days(text)).to.deep.equal(expected)
    })

  it('are read in no time from what makes a calendar library backtrack', () => {
    for (const text of [
      '1h   '.repeat(100),
      `${'1h     '.repeat(12)}x`,
      'couple week '.repeat(40),
      'couple h '.repeat(50),
    ])
      expect(days(text)).to.deep.equal([])
  })

  it('are looked for in the beginning of a long text', () => {
    expect(days(`${'pump '.repeat(200)}yesterday`)).to.deep.equal([])
  })

  it('in a text say that it tells a time', () => {
    for (const text of ['We met last Friday.', 'in June', 'on the 3rd', 'since 2019'])
      expect(tellsTime(text), text).to.equal(true)
    for (const text of ['The pump failed.', 'port 80', 'the lasting peace'])
      expect(tellsTime(text), text).to.equal(false)
  })
})
