import { expect } from 'chai'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { FACTS, LANGUAGES } from '../../../bench/multilingual/facts.js'
import { estimateTokens } from '../../../domain/answers/token-count.js'

describe('domain/answers/token-count', () => {
  for (const language of LANGUAGES)
    it(`is within 10 % of o200k_base in ${language}`, () => {
      const text = Object.values(FACTS[language]).join('\n')
      expect(estimateTokens(text, language) / encode(text).length).to.be.within(0.9, 1.1)
    })

  it('counts numbers and signs as they are split', () => {
    for (const text of ['1234567 890', 'const a = b.map((c) => c + 1);', '2026-11-28T12:30:00Z', '{"port": 8080}'])
      expect(estimateTokens(text, 'en') / encode(text).length, text).to.be.within(0.6, 1.5)
  })

  it('knows the script of a language without rates of its own', () => {
    for (const [language, text] of [
      ['ro', 'Livrările sosesc în fiecare joi între șapte și nouă dimineața la poarta din spate a depozitului.'],
      ['bg', 'Доставките пристигат всеки четвъртък между седем и девет сутринта на задния вход на склада.'],
      ['fa', 'محموله‌ها هر پنجشنبه بین ساعت هفت و نه صبح به در پشتی انبار می‌رسند.'],
    ] as const)
      expect(estimateTokens(text, language) / encode(text).length, language).to.be.within(0.75, 1.3)
  })
})
