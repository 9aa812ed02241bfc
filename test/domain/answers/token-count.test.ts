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

  it('counts words of another script at the rates of that script', () => {
    for (const [language, text] of [
      ['en', '显卡驱动程序在更新之后无法正常启动，请联系管理员。'],
      [null, 'Зарядная станция стоит за воротами склада'],
      ['zh', 'Kubernetes 集群由 platform team 管理, see the runbook for details'],
      ['ja', 'デプロイは GitHub Actions で毎週火曜日に実行されます'],
      ['ru', 'Сервис billing-gateway работает на порту 8080 и пишет в PostgreSQL'],
    ] as const)
      expect(estimateTokens(text, language) / encode(text).length, text).to.be.within(0.7, 1.5)
  })

  it('counts letters of encoded data', () => {
    const random = Array.from({ length: 2_000 }, (_, i) => 'ACGT'[(i * 7919 + ((i * i) >> 3)) % 4]).join('')
    const base64 = Buffer.from(Array.from({ length: 900 }, (_, i) => (i * i * 31 + i * 7) % 256)).toString('base64')
    for (const text of [random, base64])
      expect(estimateTokens(text, 'en') / encode(text).length, text.slice(0, 20)).to.be.within(0.5, 1.6)
  })
})
