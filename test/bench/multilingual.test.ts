import { expect } from 'chai'
import { ASKED, FACTS, KINDS, LANGUAGES } from '../../bench/multilingual/facts.js'
import { measureNames, SENTENCES } from '../../bench/multilingual/names.js'
import { normalisedText } from '../../domain/text/memory-text.js'

const distinct = (texts: readonly string[]) => new Set(texts.map(normalisedText)).size

describe('bench/multilingual', () => {
  it('has the same twelve facts in every language, each text once', () => {
    const names = Object.keys(FACTS.en)
    expect(names).to.have.length(12)
    for (const language of LANGUAGES) expect(Object.keys(FACTS[language]), language).to.have.members(names)
    expect(distinct(LANGUAGES.flatMap((language) => Object.values(FACTS[language])))).to.equal(144)
  })

  it('asks for each fact twice in its language, and in traditional Chinese, each question once', () => {
    expect(ASKED.map(({ tag }) => tag)).to.have.members([...LANGUAGES, 'zh-Hant'])
    for (const { tag, questions } of ASKED) {
      expect(Object.keys(questions), tag).to.have.members(Object.keys(FACTS.en))
      const texts = Object.values(questions).flatMap((of) => KINDS.map((kind) => of[kind]))
      expect(distinct(texts), tag).to.equal(24)
      for (const text of texts) expect(text).to.match(/[?？。؟]$/)
    }
  })

  it('has 200 sentences, each once, that contain each reading of their names', () => {
    const sentences = LANGUAGES.flatMap((language) => SENTENCES[language])
    for (const language of LANGUAGES) expect(SENTENCES[language].length, language).to.be.within(16, 17)
    expect(distinct(sentences.map(({ text }) => text))).to.equal(200)
    for (const { text, names } of sentences) for (const name of names.flat()) expect(text).to.contain(name)
  })

  it('counts each labelled name as found or missed, and says which were wrong', () => {
    const { figures, faults } = measureNames()
    expect(Object.keys(figures)).to.have.members(['all', ...LANGUAGES])
    const missed = faults.reduce((sum, fault) => sum + fault.missed.length, 0)
    expect(figures.all!.recall).to.be.closeTo(1 - missed / figures.all!.names, 1e-4)
    for (const { text, wrong, missed } of faults) expect([...wrong, ...missed], text).not.to.be.empty
  })
})
