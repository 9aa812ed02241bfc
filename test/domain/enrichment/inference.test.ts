import { expect } from 'chai'
import { inferenceFrom, isEmptyInference, type ModelAnswer } from '../../../domain/enrichment/inference.js'
import type { PiiPolicy } from '../../../domain/personal-data/screen.js'
import { languageOf } from '../../../domain/text/language.js'

const NOTHING: ModelAnswer = { type: null, title: null, tags: [], entities: [], triple: null, times: [] }

function infer(
  answer: Partial<ModelAnswer>,
  content = 'Ana Silva moved billing-db to port 6432.',
  { title = null as string | null, policy = 'flag' as PiiPolicy } = {},
) {
  // A Wednesday.
  const memory = { title, content, language: languageOf(content), seenFrom: new Date('2026-05-13T12:00:00Z') }
  return inferenceFrom({ ...NOTHING, ...answer }, memory, policy)
}

const entity = (name: string, type: string | null = null, role: string | null = null) => ({ name, type, role })
const names = (answer: Partial<ModelAnswer>, content?: string) =>
  infer(answer, content).entities.map(({ name }) => name)

describe('the part of a model’s answer that is kept', () => {
  it('is empty for an empty answer', () => {
    expect(isEmptyInference(infer({}))).to.equal(true)
    expect(isEmptyInference(infer({ tags: ['db'] }))).to.equal(false)
  })

  describe('of types', () => {
    for (const [type, kept] of [
      ['decision', 'decision'],
      ['semantic', 'fact'],
      ['rule', null],
      ['outcome', null],
      ['insight', null],
      ['Decision', null],
      [null, null],
    ] as const)
      it(`${type} is ${kept ?? 'dropped'}`, () => expect(infer({ type }).memoryType).to.equal(kept))
  })

  describe('of titles', () => {
    for (const [title, kept] of [
      ['Ana moved billing-db', true],
      ['  Ana moved\n billing-db ', true],
      ['A wholly different story altogether', false],
      ['Ana moved billing-db to 7432', false],
      ['Ana moved \u202e billing-db', false],
      ['Ana moved \u0000 billing-db', false],
      ['Ana moved billing-db '.repeat(11), false],
      [' ', false],
    ] as const)
      it(`${JSON.stringify(title)} is ${kept ? 'kept, in one line' : 'dropped'}`, () =>
        expect(infer({ title }).title).to.equal(kept ? 'Ana moved billing-db' : null))
  })

  it('of tags is at most 8 plain ones, each once and in lower case', () => {
    const many = ['One', 'one', 'c++ 11', 'x'.repeat(41), 'a\u0007b', '<b>', '[email]', 'new port 9', ...'abcdefghij']
    expect(infer({ tags: many }, 'The c++ 11 port.').tags).to.deep.equal(['one', 'c++ 11', ...'abcdef'])
  })

  describe('of entities', () => {
    it('is what the text contains as whole words, ignoring case and spaces', () => {
      expect(names({ entities: [entity('ana  silva'), entity('Billing-DB')] })).to.deep.equal([
        'ana silva',
        'Billing-DB',
      ])
      const strange = [entity('Ana Sil'), entity('illing-db'), entity('Bob'), entity('432'), entity('')]
      expect(names({ entities: strange })).to.deep.equal([])
    })

    it('may be in the title, and between letters of scripts without spaces', () => {
      expect(infer({ entities: [entity('Kafka')] }, 'It moved.', { title: 'Kafka' }).entities).to.have.length(1)
      expect(names({ entities: [entity('東京')] }, '私は東京に住む')).to.deep.equal(['東京'])
      expect(names({ entities: [entity('မြန်မာ')] }, 'ငါကမြန်မာကလာတယ်')).to.deep.equal(['မြန်မာ'])
    })

    it('is at most 12, including the subject of the triple, with plain types and roles', () => {
      const words = [...'abcdefghijklmnop'].map((letter) => `name-${letter}`)
      const inference = infer(
        {
          entities: words.map((word) => entity(word, 'Person', 'x\u0007')),
          triple: { subject: 'name-a', predicate: 'owner', object: 'name-b' },
        },
        words.join(' '),
      )
      expect(inference.entities).to.have.length(12)
      expect(inference.entities.at(-1)).to.deep.equal({ name: 'name-a', type: 'person', role: null })
      expect(inference.entities[0]).to.deep.include({ type: 'person', role: null })
    })

    it('is never an address, a number or a placeholder of one, whatever the policy', () => {
      const entities = [entity('ana@example.org'), entity('[email]')]
      expect(names({ entities }, 'Ask ana@example.org or [email].')).to.deep.equal([])
    })
  })

  describe('of triples', () => {
    const triple = { subject: 'billing-db', predicate: 'listensOn', object: '6432' }
    it('is one that the text contains, with its predicate in snake_case', () => {
      expect(infer({ triple }).triple).to.deep.equal({ ...triple, predicate: 'listens_on' })
    })
    for (const [what, part] of Object.entries({
      'a subject that the text lacks': { subject: 'orders-db' },
      'an object that the text lacks': { object: '5432' },
      'an object that is a part of a number': { object: '643' },
      'subject and object the same': { object: 'Billing-DB' },
      'a predicate without letters': { predicate: '!!' },
      'a predicate that is too long': { predicate: 'x'.repeat(65) },
      'a predicate that grows too long by its compatibility forms': { predicate: '\ufdfa'.repeat(20) },
      'a secret': { predicate: 'password', object: 'to port 6432' },
    }))
      it(`is empty with ${what}`, () => {
        const inference = infer({ triple: { ...triple, ...part } })
        expect([inference.triple, inference.entities]).to.deep.equal([null, []])
      })
  })

  describe('of personal data', () => {
    const answer = {
      title: 'Ask ana@example.org',
      triple: { subject: 'Ana', predicate: 'email', object: 'ana@example.org' },
    }
    for (const [policy, kept] of [
      ['flag', true],
      ['mask', false],
      ['refuse', false],
    ] as const)
      it(`is ${kept ? 'what the text contains' : 'nothing'} under ${policy}`, () => {
        const { title, triple } = infer(answer, 'Ask Ana: ana@example.org', { policy })
        expect([title, triple?.object]).to.deep.equal(
          kept ? ['Ask ana@example.org', 'ana@example.org'] : [null, undefined],
        )
      })

    const SECRET = 'The password is hunter2xA9! for Ana, and her card 4111 1111 1111 1111.'
    const repeated = {
      title: 'Ana card 4111 hunter2xA9!',
      triple: { subject: 'Ana', predicate: 'opens_with', object: 'hunter2xA9!' },
    }
    it('is recognised by its context in the text: neither it nor a part of it becomes a link or a tag', () => {
      const { tags, entities } = infer(
        {
          tags: ['hunter2xa9', 'card 4111', 'passwords'],
          entities: [entity('hunter2xA9'), entity('4111 1111'), entity('Ana', 'hunter2xa9', 'card 4111')],
        },
        SECRET,
      )
      expect([tags, entities]).to.deep.equal([['passwords'], [entity('Ana')]])
    })
    for (const policy of ['mask', 'refuse'] as const)
      it(`in a text written under another policy is not repeated in a title or triple under ${policy}`, () => {
        const { title, triple } = infer(repeated, SECRET, { policy })
        expect([title, triple]).to.deep.equal([null, null])
        const predicate = { ...repeated.triple, predicate: 'hunter2xA9_opens', object: 'card' }
        expect(infer({ triple: predicate }, SECRET, { policy }).triple).to.equal(null)
        expect(infer({ title: 'Password for Ana' }, SECRET, { policy }).title).to.equal('Password for Ana')
      })
    it('is repeated under flag, as the text contains it', () => {
      const { title, triple } = infer(repeated, SECRET)
      expect([title, triple?.object]).to.deep.equal([repeated.title, 'hunter2xA9!'])
    })
  })

  describe('of times', () => {
    const validity = (content: string, ...times: ModelAnswer['times']) => {
      const { start, end } = infer({ times }, content).validity
      return [start, end].map((date) => date?.toISOString().slice(0, 10) ?? null)
    }
    for (const [content, phrase, relation, start, end] of [
      ['We met last Friday.', 'last Friday', 'on', '2026-05-08', null],
      ['Since two weeks ago it hums.', 'two weeks ago', 'from', '2026-04-27', null],
      ['It holds until 30 June 2026.', '30 June 2026', 'until', null, '2026-07-01'],
      ['It holds until 30 June 2026.', 'until 30 June 2026', 'until', null, '2026-07-01'],
      ['It hums since March 2026.', 'since March 2026', 'from', '2026-03-01', null],
      ['It held before March 2026.', 'before March 2026', 'on', null, null],
      ['It fell on 20 December.', '20 December', 'on', '2025-12-20', null],
      ['It fell in March.', 'in March', 'on', '2026-03-01', null],
      ['We met last Friday.', 'last Monday', 'on', null, null],
      ['We met on 31 June 2026.', '31 June 2026', 'on', null, null],
      ['We met soon.', 'soon', 'on', null, null],
      ['Between 1 May 2026 and 3 June 2026, or in 2027.', '2026 and 3 June 2026, or in 2027', 'on', null, null],
    ] as const)
      it(`"${phrase}" (${relation}) in "${content}" is ${start ?? end ?? 'nothing'}`, () =>
        expect(validity(content, { phrase, relation })).to.deep.equal([start, end]))

    it('is empty when two phrases contradict each other, or the end is before the beginning', () => {
      const content = 'From yesterday, no, last Friday, until 1 May 2026.'
      const yesterday = { phrase: 'yesterday', relation: 'from' } as const
      const friday = { phrase: 'last Friday', relation: 'from' } as const
      const may = { phrase: '1 May 2026', relation: 'until' } as const
      expect(validity(content, yesterday)).to.deep.equal(['2026-05-12', null])
      expect(validity(content, yesterday, friday)).to.deep.equal([null, null])
      expect(validity(content, yesterday, may)).to.deep.equal([null, null])
    })
  })
})
