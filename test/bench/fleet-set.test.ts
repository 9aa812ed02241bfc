import { expect } from 'chai'
import { createFleetSet } from '../../bench/fleet-set/fleet-set.js'
import { CATEGORIES, type SetMemory, type SetQuestion } from '../../bench/fleet-set/shape.js'
import { analyse } from '../../domain/text/analysis.js'
import { normalisedText } from '../../domain/text/memory-text.js'
import { contentWords } from '../../domain/text/query-words.js'
import { isVisible } from '../../domain/visibility.js'

const set = createFleetSet(1)
const byKey = new Map(set.memories.map((memory) => [memory.key, memory]))
const textOf = (memory: SetMemory) => memory.item.content
const evidenceOf = (question: SetQuestion) => question.evidence.map((key) => byKey.get(key)!)
const inCategory = (category: SetQuestion['category']) => set.questions.filter((one) => one.category === category)
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length

/** Returns the memories that the question's asker may see. */
function visibleTo({ asker }: SetQuestion): SetMemory[] {
  const audience = { kind: 'shared', agentId: asker.id, fleets: [asker.fleetId] } as const
  return set.memories.filter(({ agent, item }) =>
    isVisible(audience, { agentId: agent.id, fleetId: agent.fleetId, visibility: item.visibility }),
  )
}

/** Returns the share of the question's content words, except names, whose stems the memories contain. */
function sharedWords({ text, names }: SetQuestion, memories: readonly SetMemory[]): number {
  const asked = contentWords(text, new Set(contentWords(names.join(' '), new Set())))
  const held = new Set(memories.flatMap((memory) => analyse(textOf(memory), 'en')))
  return asked.length === 0 ? 0 : asked.filter((word) => held.has(analyse(word, 'en')[0] ?? word)).length / asked.length
}

describe('bench/fleet-set', () => {
  it('is 300 questions in seven categories over thousands of memories of four fleets and twenty agents', () => {
    expect(set.questions).to.have.length(300)
    for (const category of CATEGORIES) expect(inCategory(category).length, category).to.be.within(40, 45)
    expect(set.memories.length).to.be.within(5_000, 8_000)
    expect(new Set(set.memories.map(({ agent }) => agent.fleetId)).size).to.equal(4)
    expect(new Set(set.memories.map(({ agent }) => agent.id)).size).to.equal(20)
    expect(new Set(set.memories.map(({ item }) => item.run_id)).size).to.be.above(1_000)
  })

  it('is the same for the same seed and differs for another', () => {
    expect(createFleetSet(1)).to.deep.equal(set)
    const other = createFleetSet(2)
    expect(other.questions).to.have.length(300)
    const texts = new Set(set.questions.map(({ text }) => text))
    expect(other.questions.filter(({ text }) => texts.has(text)).length).to.be.below(30)
  })

  it('contains every text once, so that each is a memory of its own', () => {
    expect(new Set(set.memories.map((memory) => normalisedText(textOf(memory)))).size).to.equal(set.memories.length)
    expect(byKey.size).to.equal(set.memories.length)
    expect(new Set(set.questions.map(({ text }) => text)).size).to.equal(300)
  })

  it('has evidence for every question that its asker may see, written before it is asked', () => {
    for (const question of set.questions) {
      expect(question.evidence).not.to.be.empty
      const seen = new Set(visibleTo(question))
      for (const memory of evidenceOf(question)) {
        expect(seen.has(memory), question.text).to.equal(true)
        expect(Date.parse(memory.item.ts_valid_start)).to.be.below(set.today)
      }
    }
  })

  it('lets some askers ask what another fleet has shared, and hides most of the other fleets', () => {
    const foreign = set.questions.filter((one) =>
      evidenceOf(one).some(({ agent }) => agent.fleetId !== one.asker.fleetId),
    )
    expect(foreign.length).to.be.within(10, 60)
    for (const question of set.questions.slice(0, 20))
      expect(visibleTo(question).length).to.be.below(set.memories.length * 0.6)
  })

  it('has every answer in the evidence and never in the question', () => {
    for (const { text, answer, evidence } of set.questions) {
      const texts = evidence.map((key) => textOf(byKey.get(key)!))
      expect(
        texts.some((one) => one.includes(answer)),
        `${text}: ${answer}`,
      ).to.equal(true)
      expect(text).not.to.contain(answer)
    }
  })

  it('has no other memory with the same names that answers, except where the time in the question rules it out', () => {
    for (const question of set.questions) {
      const { text, answer, names, period, evidence } = question
      const others = visibleTo(question).filter(
        (memory) =>
          !evidence.includes(memory.key) &&
          names.length > 0 &&
          names.every((name) => textOf(memory).includes(name)) &&
          textOf(memory).includes(answer) &&
          (period === undefined || lies(memory, period)),
      )
      // What recurs is asked for by its last time.
      const later = others.filter(({ item }) => item.ts_valid_start >= evidenceOf(question)[0]!.item.ts_valid_start)
      expect((/\blast\b/.test(text) ? later : others).map(textOf).join(' | '), `${text} (${answer})`).to.equal('')
    }
  })

  it('shares at most a quarter of its words with the evidence on average, and in no category more than 60 percent', () => {
    const shareOf = (question: SetQuestion) => sharedWords(question, evidenceOf(question))
    expect(mean(set.questions.map(shareOf))).to.be.below(0.25)
    for (const category of CATEGORIES) expect(mean(inCategory(category).map(shareOf)), category).to.be.below(0.6)
    for (const question of set.questions)
      for (const memory of evidenceOf(question)) {
        expect(normalisedText(textOf(memory))).not.to.contain(normalisedText(question.text))
        expect(normalisedText(question.text)).not.to.contain(normalisedText(textOf(memory)))
      }
  })

  it('keeps the former preference beside the present one, mostly in the same words', () => {
    for (const question of inCategory('preference')) {
      const [gold] = evidenceOf(question)
      const wordsOf = (memory: SetMemory) => new Set(analyse(textOf(memory), 'en'))
      const own = wordsOf(gold!)
      const alike = visibleTo(question).filter((memory) => {
        const shared = [...wordsOf(memory)].filter((word) => own.has(word)).length
        return memory !== gold && textOf(memory).includes(question.names[0]!) && shared > 1
      })
      const isFormer = /formerly|former habit/i.test(question.text)
      const others = alike.filter(
        ({ item }) => item.ts_valid_start > gold!.item.ts_valid_start === isFormer && item.memory_type === 'preference',
      )
      expect(others, question.text).not.to.be.empty
    }
  })

  it('has near misses for every identifier that a question gives', () => {
    const given = inCategory('identifier').filter(({ names }) => /\d/.test(names[0]!))
    expect(given.length).to.be.above(25)
    for (const question of given) {
      const id = question.names[0]!
      const tokens = visibleTo(question).flatMap((memory) => textOf(memory).split(/[\s:,()@]+/))
      expect(
        tokens.some((token) => token !== id && isNear(token, id)),
        id,
      ).to.equal(true)
    }
  })

  it('names in a multi-hop question nothing that the answering memory contains', () => {
    for (const question of inCategory('multi-hop')) {
      const [first, second] = evidenceOf(question)
      expect(question.evidence).to.have.length(2)
      expect(textOf(first!)).to.contain(question.names[0]!)
      expect(textOf(second!)).to.contain(question.answer)
      expect(textOf(second!)).not.to.contain(question.names[0]!)
      expect(textOf(first!)).not.to.contain(question.answer)
    }
  })

  it('has, for every question about a time, similar events at other times, and no date in the text of the evidence', () => {
    for (const question of inCategory('time').filter(({ period }) => period !== undefined)) {
      const [gold] = evidenceOf(question)
      const kindOf = ({ item }: SetMemory) => {
        const kind = item.run_id.split('-')[0]!
        return `${kind} ${item.memory_type} ${kind === 'drill' ? item.content.split(' ')[0] : ''}`
      }
      const alike = visibleTo(question).filter(
        (memory) => kindOf(memory) === kindOf(gold!) && textOf(memory).includes(question.names[0]!),
      )
      expect(
        alike.filter((memory) => !lies(memory, question.period!)),
        question.text,
      ).not.to.be.empty
      expect(alike.filter((memory) => lies(memory, question.period!))).to.deep.equal([gold])
      expect(textOf(gold!)).not.to.match(/\b20\d\d\b|january|february|march|april|june|yesterday|thursday/i)
    }
  })
})

/** Returns true when at most two characters differ, or one is added or missing at the end. */
function isNear(a: string, b: string): boolean {
  if (a.length !== b.length) return Math.abs(a.length - b.length) === 1 && (a.startsWith(b) || b.startsWith(a))
  return [...a].filter((character, i) => character !== b[i]).length <= 2
}

/** Returns true when the memory's validity contains the period's middle, or begins in the period if it has no end. */
function lies({ item }: SetMemory, { from, to }: NonNullable<SetQuestion['period']>): boolean {
  const start = Date.parse(item.ts_valid_start)
  if (item.ts_valid_end === undefined) return start >= from && start < to
  return start <= (from + to) / 2 && Date.parse(item.ts_valid_end) > (from + to) / 2
}
