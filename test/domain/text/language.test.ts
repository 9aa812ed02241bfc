import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { languageOfTag } from '../../../domain/text/language-tag.js'
import { languageOf } from '../../../domain/text/language.js'

interface Texts {
  decided: Record<string, string[]>
  undecided: string[]
}

const { decided, undecided } = parse(readFileSync(new URL('language.yaml', import.meta.url), 'utf8')) as Texts

describe('the language of a text', () => {
  for (const [language, texts] of Object.entries(decided))
    it(`is ${language}`, () => {
      for (const text of texts) expect(languageOf(text), text).to.equal(language)
    })

  it('is undecided for what is short, mixed or no prose', () => {
    for (const text of undecided) expect(languageOf(text), text).to.equal(null)
  })

  it('is that of the prose after a long block of code', () => {
    const code = `\`\`\`ts\n${'const rows = await read(table)\n'.repeat(40)}\`\`\`\n`
    expect(languageOf(`${code}Der Rechnungsdienst läuft seit heute Morgen nicht.`)).to.equal('de')
  })

  it('does not depend on the Unicode form of its accents', () => {
    const text = 'Le télétravail a été refusé à Zoé, déjà fatiguée'
    expect(languageOf(text.normalize('NFD')))
      .to.equal(languageOf(text.normalize('NFC')))
      .and.to.equal('fr')
  })

  it('follows that of other texts where two are close, and not where one is clear', () => {
    const german = new Map([['de', 2_000]])
    expect(languageOf('Projekt Alpha beendet')).to.equal(null)
    expect(languageOf('Projekt Alpha beendet', german)).to.equal('de')
    expect(languageOf('rapat kirim')).to.equal(null)
    expect(languageOf('rapat kirim', new Map([['id', 2_000]]))).to.equal('id')
    expect(languageOf('東京', new Map([['ja', 3]]))).to.equal('ja')
    expect(languageOf('数据', new Map([['zh', 3]]))).to.equal('zh')
    for (const text of decided.nl!) expect(languageOf(text, german)).to.equal('nl')
  })

  it('ends with half a character without an error', () => {
    expect(languageOf('a'.repeat(1_999) + '😀')).to.equal(null)
    expect(languageOf('\ud83d')).to.equal(null)
  })

  it('is not that of an unknown language whose letters others lack', () => {
    expect(languageOf('Шот қызметі таңертеңнен бері жұмыс істемейді, себебі дискіде орын қалмаған')).to.equal(null)
  })
})

describe('the language of a tag', () => {
  it('is its first subtag in its shortest form', () => {
    for (const [tag, language] of [
      ['de', 'de'],
      ['de-AT', 'de'],
      ['DE', 'de'],
      ['zh-Hant-TW', 'zh'],
      ['iw', 'he'],
      ['deu', 'de'],
      ['nb-NO', 'no'],
      ['fil', 'tl'],
      ['ckb', 'ku'],
      ['yue', 'zh'],
      ['haw', 'haw'],
      ['sr-Latn-RS', 'sr'],
    ])
      expect(languageOfTag(tag!), tag).to.equal(language)
  })

  it('is null for what names no language', () => {
    for (const tag of [
      '',
      'german',
      'd',
      'de_AT',
      'qq',
      'und',
      'mul',
      'zxx',
      'de-',
      '-de',
      'de AT',
      'de-x',
      'x'.repeat(99),
    ])
      expect(languageOfTag(tag), tag).to.equal(null)
  })
})
