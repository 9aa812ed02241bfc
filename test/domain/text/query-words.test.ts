import { expect } from 'chai'
import { authorOf } from '../../../domain/ranking/analyse-text.js'
import { analyse } from '../../../domain/text/analysis.js'
import { simplified } from '../../../domain/text/segments.js'
import { isTemporalQuestion, contentWords } from '../../../domain/text/query-words.js'

describe('words of a query', () => {
  it('are those that an answer is expected to share, each once', () => {
    const words = contentWords("What kind of pump did Ana's team buy, and why that pump?", new Set(['ana']))
    expect(words).to.deep.equal(['pump', 'team', 'buy'])
  })

  it('keep the parts of identifiers and of other scripts', () => {
    expect(contentWords('ERR_CONN-42 in Žižkov 東京', new Set())).to.deep.equal(['err', 'conn', '42', 'zizkov', '東京'])
  })

  it('include the parts and the whole of a compound', () => {
    expect(contentWords('what does pruneCart do?', new Set())).to.deep.equal(['prunecart', 'prune', 'cart'])
  })

  it('are segmented in scripts without spaces, as the terms are', () => {
    const query = '目前的通勤安排是什么？'
    for (const word of contentWords(query, new Set())) expect(analyse(query, 'en')).to.include(simplified(word))
    expect(contentWords(query, new Set())).to.include.members(['通勤', '安排'])
  })

  it('contain no contractions', () => {
    expect(contentWords("What didn't Ana like, and what won\u2019t she?", new Set(['ana']))).to.deep.equal(['like'])
  })

  it('are empty for a query of question words', () => {
    expect(contentWords('What did they do?', new Set())).to.deep.equal([])
  })

  it('ask for a time or not', () => {
    for (const text of [
      'When did it fail?',
      'since when is it down',
      'Do you know when?',
      'how long was it down',
      'On which date?',
      'what year',
    ])
      expect(isTemporalQuestion(text)).to.equal(true)
    for (const text of ['Whenever it fails', 'What helps when it fails?', 'how far', 'which data'])
      expect(isTemporalQuestion(text), text).to.equal(false)
  })
})

describe('the author of a text', () => {
  const cases: [content: string, agentId: string | null, author: string | null, isAgent?: boolean][] = [
    ['Ana said, "The pump failed."', 'recorder', 'ana'],
    ['Ana Maria: the pump failed', 'recorder', 'ana maria'],
    ['The pump failed.', 'Recorder', 'recorder', true],
    ['the pump: failed', 'recorder', 'recorder', true],
    ['The pump failed.', null, null],
    ['Ana (10:32): the pump failed', 'recorder', 'ana'],
    ['[10:32] Ana: the pump failed', 'recorder', 'ana'],
    ['Ana (old): the pump failed', 'recorder', 'recorder', true],
    ['Ana sagte, die Pumpe sei kaputt', 'recorder', 'ana'],
    ['Ana sagt es', 'recorder', 'recorder', true],
    ['Ana a dit que la pompe est morte', 'recorder', 'ana'],
    ['Ana dijo que no', 'recorder', 'ana'],
    ['Анна сказала, что насос сломан', 'recorder', 'анна'],
    ['Ana：泵坏了', 'recorder', 'ana'],
    ['安娜：水泵坏了', 'recorder', '安娜'],
    ['安娜 (10:32)：水泵坏了', 'recorder', '安娜'],
    ['安娜喜欢的那台水泵坏了：请修', 'recorder', 'recorder', true],
    ['田中さん：ポンプが壊れた', 'recorder', '田中'],
    ['민수: 펌프가 고장 났다', 'recorder', '민수'],
    ['آنا: تعطلت المضخة', 'recorder', 'آنا'],
    ['10:30：水泵坏了', 'recorder', 'recorder', true],
  ]
  for (const [content, agentId, name, isAgent = false] of cases)
    it(`of ${JSON.stringify(content)} by ${agentId} is ${name}`, () => {
      expect(authorOf(content, agentId)).to.deep.equal(name === null ? null : { name, isAgent })
    })
})
