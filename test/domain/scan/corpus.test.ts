import { expect } from 'chai'
import { readCorpus } from '../../../bench/scan/corpus.js'
import { measureScan } from '../../../bench/scan/figures.js'
import { scanSkill } from '../../../domain/scan/scan-skill.js'

describe('the corpus of skills', () => {
  const corpus = readCorpus()
  const { precision, recall } = measureScan(corpus)

  it('is large, and nearly half of it is harmless', () => {
    const harmless = corpus.filter(({ label }) => label === 'benign').length
    expect(corpus.length).to.be.at.least(250)
    expect(harmless / corpus.length).to.be.within(0.4, 0.6)
    expect(new Set(corpus.map(({ skill }) => JSON.stringify(skill))).size).to.equal(corpus.length)
  })

  it('is judged with a precision of at least .97 and a recall of at least .95', () => {
    expect(precision).to.be.at.least(0.97)
    expect(recall).to.be.at.least(0.95)
  })

  it('has the finding of its label in nearly every malicious skill', () => {
    const malicious = corpus.filter(({ label }) => label === 'malicious')
    const named = malicious.filter(({ skill, family }) =>
      scanSkill(skill).findings.some(
        ({ code, severity }) => severity === 'critical' && code.split('_')[0] === family.split('_')[0],
      ),
    )
    expect(named.length / malicious.length).to.be.at.least(0.9)
  })
})
