import { expect } from 'chai'
import { mentionsTime } from '../../../domain/text/mentions-time.js'
import { namedTimes, timeReferences } from '../../../domain/text/time-expressions.js'

/** A Wednesday. */
const NOW = Date.parse('2026-05-13T12:00:00Z')

describe('time expressions', () => {
  const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10)
  const days = (text: string) =>
    timeReferences(text, NOW).map((time) =>
      time.kind === 'date'
        ? [time.year ?? '*', time.month ?? '*', time.day ?? '*'].join('-')
        : [time.start, time.end].map((at) => (Number.isFinite(at) ? isoDay(at) : '*')).join(' to '),
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
    ['the day before yesterday', '2026-5-11'],
    ['the day after tomorrow', '2026-5-15'],
    ['the week before last', '2026-04-27 to 2026-05-04'],
    ['the month before last', '2026-3-*'],
    ['what broke in week 53', '2020-12-28 to 2021-01-04'],
    ['three weeks ago', '2026-04-20 to 2026-04-27'],
    ['fifteen days ago', '2026-4-28'],
    ['twenty-one days ago', '2026-4-22'],
    ['half a year ago', '2025-11-*'],
    ['a year and a half ago', '2024-11-*'],
    ['two and a half weeks ago', '2026-04-20 to 2026-04-27'],
    ['earlier this week', '2026-05-11 to 2026-05-18'],
    ['over the weekend', '2026-05-09 to 2026-05-11'],
    ['this weekend', '2026-05-16 to 2026-05-18'],
    ['next weekend', '2026-05-23 to 2026-05-25'],
    ['in calendar week 12 of this year', '2026-03-16 to 2026-03-23'],
    ['in week 12', '2026-03-16 to 2026-03-23'],
    ['in week 30', '2025-07-21 to 2025-07-28'],
    ['2020-W53', '2020-12-28 to 2021-01-04'],
    ['in week 53 of 2025', '2025-*-*'],
    ['in the week of 9 March', '2026-03-09 to 2026-03-16'],
    ['Q3 2025', '2025-07-01 to 2025-10-01'],
    ['2025-Q3', '2025-07-01 to 2025-10-01'],
    ['in Q3', '2025-07-01 to 2025-10-01'],
    ['the third quarter of last year', '2025-07-01 to 2025-10-01'],
    ['last quarter', '2026-01-01 to 2026-04-01'],
    ['a quarter of the pumps'],
    ['last summer', '2025-06-01 to 2025-09-01'],
    ['last spring', '2025-03-01 to 2025-06-01'],
    ['in the summer of 2024', '2024-06-01 to 2024-09-01'],
    ['next winter', '2026-12-01 to 2027-03-01'],
    ['this spring', '2026-03-01 to 2026-06-01'],
    ['prices fall and a spring breaks'],
    ['in mid-November', '2025-11-10 to 2025-11-22'],
    ['at the end of February 2024', '2024-02-24 to 2024-03-01'],
    ['the end of marketing'],
    ['early 2025', '2025-01-01 to 2025-05-01'],
    ['between 2 and 6 February', '2026-02-02 to 2026-02-07'],
    ['between 2 and 6 pumps'],
    ['between the 2nd and the 6th of November', '2025-11-02 to 2025-11-07'],
    ['from 2 to 6 November', '2025-11-02 to 2025-11-07'],
    ['between March and May 2025', '2025-03-01 to 2025-06-01'],
    ['between November and February', '2025-11-01 to 2026-03-01'],
    ['from 2019 to 2021', '2019-01-01 to 2022-01-01'],
    ['between 9am and 5pm'],
    ['on Friday of last week', '2026-5-8'],
    ['Tuesday last week', '2026-5-5'],
    ['Tuesday of this week', '2026-5-12'],
    ['the weekend before last', '2026-05-02 to 2026-05-04'],
    ['on the last weekend, at home', '2026-05-09 to 2026-05-11'],
    ['in the coming week', '2026-05-18 to 2026-05-25'],
    ['in March of last year', '2025-3-*'],
    ['the end of May last year', '2025-05-24 to 2025-06-01'],
    ['at the end of last month', '2026-04-24 to 2026-05-01'],
    ['late last year', '2025-09-01 to 2026-01-01'],
    ['in the last week of March', '2026-03-24 to 2026-04-01'],
    ['on the last day of March', '*-3-31'],
    ['on the first day of June 2025', '2025-6-1'],
    ['the last day of February 2024', '2024-2-29'],
    ['the last day of last month', '2026-4-30'],
    ['Thu Oct 26 11:00:09 2023', '2023-10-26'],
    ['on 31 June 2025', '2025-6-*'],
    ['from 10 to 31 June 2025', '2025-06-10 to 2025-07-01'],
    ['since March', '2026-03-01 to *'],
    ['since last week', '2026-05-04 to *'],
    ['before the summer', '* to 2025-06-01'],
    ['at Christmas, Halloween and New Year'],
    ['after 5 May 2025', '2025-05-06 to *'],
    ['prior to 2025', '* to 2025-01-01'],
    ['by Friday', '* to 2026-05-16'],
    ['before the release'],
    ['at 5pm'],
    ['may I ask what the march of progress is'],
    ['what was bought in may?', '*-5-*'],
    ['error 2023: port 2024/tcp'],
    [''],
  ]
  for (const [text, ...expected] of cases)
    it(`in ${JSON.stringify(text)} are ${expected.join(', ') || 'nothing'}`, () => {
      expect(days(text)).to.deep.equal(expected)
    })

  it('count back from the end of a long month to that of a short one', () => {
    const now = Date.parse('2026-03-31T12:00:00Z')
    expect(timeReferences('a month ago', now)).to.deep.equal([{ kind: 'date', year: 2026, month: 2, day: null }])
    const dates = ['last month', 'next month', 'the month before last'].flatMap((text) => timeReferences(text, now))
    expect(dates.map((date) => date.kind === 'date' && date.month)).to.deep.equal([2, 4, 1])
    expect(timeReferences('last quarter', Date.parse('2025-12-31T12:00:00Z'))).to.deep.equal([
      { kind: 'span', start: Date.parse('2025-07-01'), end: Date.parse('2025-10-01') },
    ])
    expect(timeReferences('the last four months', now)).to.deep.equal([
      { kind: 'span', start: Date.parse('2025-11-30'), end: now },
    ])
  })

  it('are parsed quickly from a text that makes a calendar library backtrack', () => {
    for (const text of [
      '1h   '.repeat(100),
      `${'1h     '.repeat(12)}x`,
      'couple week '.repeat(40),
      'couple h '.repeat(50),
      'the '.repeat(120),
      'last '.repeat(100),
    ])
      expect(days(text)).to.deep.equal([])
  })

  it('name the time itself, whatever the preposition', () => {
    expect(namedTimes('before 7 May 2023', NOW)).to.deep.equal([{ kind: 'date', year: 2023, month: 5, day: 7 }])
  })

  it('are only searched for in the beginning of a long text', () => {
    expect(days(`${'pump '.repeat(200)}yesterday`)).to.deep.equal([])
  })

  it('show that a text mentions a time', () => {
    for (const text of [
      'We met last Friday.',
      'in June',
      'on the 3rd',
      'since 2019',
      'on 7 May',
      'by May',
      'on Jan. 5',
      'in spring',
      'Q3',
    ])
      expect(mentionsTime(text), text).to.equal(true)
    for (const text of [
      'The pump failed.',
      'port 80',
      'error 4711',
      'the lasting peace',
      'it may fail',
      'a spring broke',
    ])
      expect(mentionsTime(text), text).to.equal(false)
  })
})
