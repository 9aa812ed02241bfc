import { expect } from 'chai'
import { mentionsTime } from '../../../domain/text/mentions-time.js'
import { namedTimes, timeReferences } from '../../../domain/text/time-expressions.js'
import { isTemporalQuestion } from '../../../domain/text/query-words.js'
import { describeTime } from './described-time.js'

/** A Wednesday. */
const NOW = Date.parse('2026-05-13T12:00:00Z')

describe('times of a text whose language is unknown', () => {
  const cases: [text: string, ...expected: string[]][] = [
    ['shipment report yesterday', '2026-5-12'],
    ['shipment report gestern', '2026-5-12'],
    ['shipment report ayer', '2026-5-12'],
    ['shipment report ontem', '2026-5-12'],
    ['shipment report вчера', '2026-5-12'],
    ['shipment report 昨天', '2026-5-12'],
    ['shipment report 昨日', '2026-5-12'],
    ['shipment report 어제', '2026-5-12'],
    ['shipment report أمس', '2026-5-12'],
    ['shipment report कल', '2026-5-12'],
    ['report vor 3 Tagen', '2026-5-10'],
    ['2026年3月1日', '2026-3-1'],
    ['3. Januar 2024', '2024-1-3'],
    ['上週', '2026-05-04 to 2026-05-11'],
    ['semana pasada', '2026-05-04 to 2026-05-11'],
    ['2024-05-03 build', '2024-5-3'],
    ['hier'],
    ['the mar and ter files, on set hoc, mer, seg, so do mi'],
    ['set out: ago is mag, die vie sam jeu'],
  ]
  for (const [text, ...expected] of cases)
    it(`in ${JSON.stringify(text)} are ${expected.join(', ') || 'nothing'}`, () => {
      expect(timeReferences(text, NOW, null).map(describeTime)).to.deep.equal(expected)
    })

  it('are read as in English in numbers', () => {
    expect(timeReferences('on 3/4/2024', NOW, null).map(describeTime)).to.deep.equal(['2024-3-4'])
    expect(timeReferences('am 3.4.2024', NOW, 'de').map(describeTime)).to.deep.equal(['2024-4-3'])
  })

  it('show that it mentions one, and ask for one', () => {
    expect(mentionsTime('Lieferung gestern', null)).to.equal(true)
    expect(mentionsTime('Lieferung hier', null)).to.equal(false)
    expect(isTemporalQuestion('Wann Lieferung?', null)).to.equal(true)
    expect(isTemporalQuestion('Was geht hier?', null)).to.equal(false)
  })

  it('are in written form in a language that is not in the table', () => {
    expect(namedTimes('schůze 3. ledna 2024', NOW, 'cs').map(describeTime)).to.deep.equal(['2024-1-3'])
    expect(namedTimes('ședința din 3 ianuarie 2024', NOW, 'ro').map(describeTime)).to.deep.equal(['2024-1-3'])
  })

  it('are resolved on the day of another zone, whose wall time is given', () => {
    const tokyo = Date.parse('2026-05-14T01:00:00Z')
    expect(timeReferences('昨日の会議', tokyo, 'ja').map(describeTime)).to.deep.equal(['2026-5-13'])
  })
})

describe('times of a hostile text', () => {
  const repeated = [
    '    ',
    '3 часа ',
    'vor 3 ',
    'il y a 3 ',
    '12.',
    '1 ',
    '三天',
    '3日',
    "y a l'",
    'тому ',
    'между 1 ',
    'quand ',
    '년 ',
  ]
  for (const language of ['de', 'fr', 'es', 'it', 'ru', 'uk', 'pl', 'tr', 'zh', 'ja', 'ko', 'ar', 'hi', 'vi'])
    it(`are read in ${language} without backtracking`, () => {
      for (const words of repeated) {
        const text = words.repeat(10_000 / words.length)
        expect(timeReferences(text, NOW, language)).to.be.an('array')
        expect(mentionsTime(text, language)).to.be.a('boolean')
        expect(isTemporalQuestion(text, language)).to.be.a('boolean')
      }
    })
})

describe('questions for a time', () => {
  const asked: [language: string, ...texts: string[]][] = [
    ['de', 'Wann fiel die Pumpe aus?', 'Weißt du, seit wann sie steht?', 'Wie lange war sie aus?', 'In welchem Jahr?'],
    ['nl', 'Wanneer viel de pomp uit?', 'Sinds wanneer?', 'Hoe lang was ze uit?'],
    ['sv', 'När stannade pumpen?', 'Hur länge stod den?'],
    ['fr', 'Quand la pompe a-t-elle lâché ?', 'La pompe a lâché quand ?', 'Depuis quand ?', 'En quelle année ?'],
    ['es', '¿Cuándo falló la bomba?', '¿Desde cuándo?', '¿Qué día fue?'],
    ['pt', 'Quando a bomba falhou?', 'Em que ano?'],
    ['it', 'Quando si è fermata la pompa?', 'Da quando?', 'In che anno?'],
    ['ru', 'Когда встал насос?', 'С каких пор он стоит?', 'В каком году?'],
    ['uk', 'Коли зупинився насос?', 'Як довго?'],
    ['pl', 'Kiedy stanęła pompa?', 'Jak długo?', 'W którym roku?'],
    ['tr', 'Pompa ne zaman durdu?', 'Hangi yıl?'],
    ['zh', '水泵什么时候停的？', '何时验收？', '会议是几月几号？'],
    ['ja', 'ポンプはいつ止まった？', '検収はいつ？', '会議は何日？'],
    ['ko', '펌프가 언제 멈췄어?', '며칠에 만나?'],
    ['ar', 'متى توقفت المضخة؟', 'في أي يوم؟'],
    ['hi', 'पंप कब रुका?', 'किस दिन?'],
    ['vi', 'Khi nào máy bơm dừng?', 'Máy bơm dừng bao giờ?'],
    ['id', 'Kapan pompa berhenti?'],
    ['fi', 'Milloin pumppu pysähtyi?'],
  ]
  const others: [language: string, ...texts: string[]][] = [
    ['de', 'Was hilft, wenn es regnet?', 'Welche Daten?'],
    ['fr', 'Que faire quand il pleut sur le quai ?', "Quand il pleut, que fait l'équipe ?"],
    ['it', 'Cosa fare quando piove forte?'],
    ['ru', 'Что делать, когда идёт дождь?'],
    ['pl', 'Co robić, kiedy pada deszcz?'],
    ['zh', '什么数据？'],
    ['ja', 'いつもの手順は？', '何の会議？'],
    ['ko', '언제나 열려 있는 문은?'],
  ]
  for (const [language, ...texts] of asked)
    it(`are known in ${language}`, () => {
      expect(texts.filter((text) => !isTemporalQuestion(text, language))).to.deep.equal([])
    })
  for (const [language, ...texts] of others)
    it(`are told from other sentences in ${language}`, () => {
      expect(texts.filter((text) => isTemporalQuestion(text, language))).to.deep.equal([])
    })
})
