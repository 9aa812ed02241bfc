import { expect } from 'chai'
import { readCorpus } from '../../../bench/scan/corpus.js'
import { measureScan } from '../../../bench/scan/figures.js'
import { stopsSkill } from '../../../domain/scan/report.js'
import { FINDING_CODES } from '../../../domain/scan/finding-codes.js'
import { scanSkill } from '../../../domain/scan/scan-skill.js'

describe('the corpus of skills', () => {
  const corpus = readCorpus()
  const { precision, recall, wronglyQuarantined } = measureScan(corpus)

  it('is large, and nearly half of it is harmless', () => {
    const harmless = corpus.filter(({ label }) => label === 'benign').length
    expect(corpus.length).to.be.at.least(250)
    expect(harmless / corpus.length).to.be.within(0.4, 0.6)
    expect(new Set(corpus.map(({ skill }) => JSON.stringify(skill))).size).to.equal(corpus.length)
  })

  it('is judged with a precision of at least .97 and a recall of at least .95', () => {
    expect(precision).to.be.at.least(0.97)
    expect(recall).to.be.at.least(0.95)
    expect(wronglyQuarantined).to.be.at.most(0.01)
  })

  it('has for every code of prose twins in several languages', () => {
    const prose = FINDING_CODES.filter((code) => code.startsWith('prompt_') || code === 'harmful_instruction')
    for (const code of prose)
      for (const label of ['malicious', 'benign'] as const) {
        const twins = corpus.filter((item) => item.family === code && item.label === label)
        expect(twins.length, `${label} ${code}`).to.be.at.least(2)
      }
  })

  it('quarantines for prose what is certain alone: a set phrase, said to the reader', () => {
    const isProse = (code: string) => code.startsWith('prompt_') || code === 'harmful_instruction'
    for (const { id, skill } of corpus.filter(({ id }) => id.startsWith('prose ')))
      for (const finding of scanSkill(skill).findings)
        if (isProse(finding.code) && finding.severity === 'critical')
          expect(finding, id).to.include({ code: 'prompt_override' })
  })

  it('has the finding of its label in nearly every malicious skill', () => {
    const malicious = corpus.filter(({ label }) => label === 'malicious')
    const named = malicious.filter(({ skill, family }) =>
      scanSkill(skill).findings.some(
        (finding) => stopsSkill(finding) && finding.code.split('_')[0] === family.split('_')[0],
      ),
    )
    expect(named.length / malicious.length).to.be.at.least(0.9)
  })
})
