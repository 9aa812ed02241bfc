import { expect } from 'chai'
import { languageOf } from '../../../domain/text/language.js'
import { namesIn } from '../../../domain/text/names/names-in.js'

/** A Wednesday. */
const NOW = Date.parse('2026-05-13T12:00:00Z')

describe('names in a text', () => {
  const found = (text: string) => namesIn(text, NOW, languageOf(text)).map(({ name, type }) => `${type} ${name}`)

  const cases: [text: string, ...expected: string[]][] = [
    [
      'Ana Maria met Ben Ortiz of Acme Corp in San Francisco.',
      'name Ana Maria',
      'name Ben Ortiz of Acme Corp',
      'name San Francisco',
    ],
    ['We chose Postgres, not the Kafka connector.', 'name Postgres', 'name Kafka'],
    ['Caroline said, "Thanks, Melanie!"', 'name Caroline', 'name Melanie'],
    ['Yesterday Ana left. Restart Redis', 'name Ana', 'name Redis', 'date 2026-05-12'],
    ['written by Dr. Smith and J. R. R. Tolkien', 'name Dr. Smith', 'name J. R. R. Tolkien'],
    ['the LGBTQ group and an SLA', 'name LGBTQ', 'name SLA'],
    ["Ana's dog and Ben’s cat", 'name Ana', 'name Ben'],
    ['in the Lord of the Rings', 'name Lord of the Rings'],
    ['see OPS-1423 and PR #12', 'identifier OPS-1423', 'identifier #12', 'identifier PR 12'],
    ['reverted 4f5e6d7, then v2.3.1 and 10.4.0-rc.1', 'commit 4f5e6d7', 'version v2.3.1', 'version 10.4.0-rc.1'],
    ['port 6432 on db-1.prod.example.com', 'host db-1.prod.example.com', 'port port 6432'],
    [
      'ECONNREFUSED from 10.0.0.1:8080 (SQLSTATE 40P01)',
      'identifier ECONNREFUSED',
      'ip 10.0.0.1:8080',
      'identifier 40P01',
      'identifier SQLSTATE 40P01',
    ],
    ['edit src/server.ts, /etc/hosts and main.go', 'path src/server.ts', 'path /etc/hosts', 'path main.go'],
    [
      '`max_connections` in updateInvoice() with DB_POOL_SIZE=20',
      'identifier max_connections',
      'identifier updateInvoice',
      'identifier DB_POOL_SIZE',
    ],
    [
      'the billing-api and auth-service in us-east-1',
      'identifier billing-api',
      'identifier auth-service',
      'identifier us-east-1',
    ],
    [
      'https://wiki.example.com/a?b=1, mail ana@example.com',
      'url https://wiki.example.com/a?b=1',
      'email ana@example.com',
    ],
    ['tell @ana in #incidents', 'handle @ana', 'handle #incidents'],
    ['they call it "blue green rollout" here', 'term blue green rollout'],
    ['as of 2023.05.07 it holds', 'date 2023-05-07'],
    ['on 7 May 2023 and in March 2024', 'date 2023-05-07', 'date 2024-03'],
  ]
  for (const [text, ...expected] of cases)
    it(`are ${expected.join(', ')} in ${JSON.stringify(text)}`, () => {
      expect(found(text)).to.deep.equal(expected)
    })

  const inOtherLanguages: [text: string, ...expected: string[]][] = [
    ['Die Rechnung OPS-1423 ging an Jonas Weber in Berlin.', 'identifier OPS-1423', 'name Jonas Weber'],
    [
      'Wir haben gestern mit Frau Ortiz von der ACME GmbH gesprochen.',
      'name Ortiz',
      'name ACME GmbH',
      'date 2026-05-12',
    ],
    ['Ana García habló con el equipo de Madrid sobre Kafka.', 'name Ana García', 'name Madrid', 'name Kafka'],
    ['La réunion de lundi est avec Claire Dupont à Lyon.', 'name Claire Dupont', 'name Lyon', 'date 2026-05-11'],
    [
      'Вчера мы перезапустили Kafka в Москве вместе с Анной Ивановой.',
      'name Kafka',
      'name Москве',
      'name Анной Ивановой',
      'date 2026-05-12',
    ],
    [
      'Ayer Lucía llevó las cajas, y Pedro Sánchez y Ana López firmaron.',
      'name Lucía',
      'name Pedro Sánchez',
      'name Ana López',
      'date 2026-05-12',
    ],
    ['Claire Dupont valide la facture, donnez-lui le badge du rez-de-chaussée.', 'name Claire Dupont'],
    ['Завтра Ольга Петрова едет в офис.', 'name Ольга Петрова', 'date 2026-05-14'],
    ['Анна Петрова перезапустила сервер auth-service.', 'identifier auth-service', 'name Анна Петрова'],
    ['Vraag Pieter om de sleutel van het magazijn.', 'name Pieter'],
    ['Spotkanie w Gdańsku w piątek prowadzi Piotr Nowak.', 'name Gdańsku', 'name Piotr Nowak', 'date 2026-05-15'],
    [
      "Yarınki toplantı Ankara'da yapılacak, raporu Elif Demir'in ekibi OPS-1423'ü kapatınca İstanbul’un ofisine gönderecek.",
      'identifier OPS-1423',
      'name Ankara',
      'name Elif Demir',
      'name İstanbul',
      'date 2026-05-14',
    ],
    ['Kafka를 쓰기로 했다. 서버는 us-east-1에 있다.', 'identifier us-east-1', 'name Kafka'],
    ['我们决定用 Kafka Connect 同步 main.go里的数据。', 'path main.go', 'name Kafka Connect'],
    ['バックアップは毎晩2時にRedisで実行される。', 'name Redis'],
    ['الخادم يعمل على Kubernetes في القاهرة.', 'name Kubernetes'],
  ]
  for (const [text, ...expected] of inOtherLanguages)
    it(`are ${expected.join(', ')} in ${JSON.stringify(text)}`, () => {
      expect(found(text)).to.deep.equal(expected)
    })

  const namelessInOthers = [
    'Das Lager schließt mittags. Mit der Hand gelöscht. Die Rechnungen gehen montags an die Kunden.',
    'Bitte prüfen Sie den Vertrag und die Lieferung der neuen Maschinen bis Ende März.',
    'El almacén cierra a mediodía. Las facturas se envían los lunes. Cuando llueve, la bomba falla.',
    'На складе нет места. Когда начинается смена? Это важно, и Вам нужно подтвердить до обеда.',
    'Hemos hablado con Él y con Ella, pero Qué falta no lo sabemos.',
    'Le dépôt ferme à midi. Les factures partent le lundi.',
    'Khi nào kho đóng cửa? Zaman yok, depo kapalı.',
    '客户只接受上午送货。会议室在三楼。',
    '창고는 정오에 닫는다. 倉庫は正午に閉まる。',
    'المستودع يغلق عند الظهر.',
  ]
  for (const text of namelessInOthers)
    it(`are none in ${JSON.stringify(text)}`, () => {
      expect(found(text)).to.deep.equal([])
    })

  const nameless = [
    'the pump failed again and nobody knows why',
    'Thanks! Wow, that is great. We’ll see. I’m fine, or in May.',
    'DEPLOY WAS BROKEN AGAIN AND NOBODY LOOKED',
    'a well-known, long-term and/or 1/2 plan, e.g. 5km at 10am on the 2nd',
    '### Your plan\n- For whom\n* The answer\n1. The budget\n> What now',
    'she said: "we will never do that again" and left',
    'write to [email] with [api_key]',
    'https://ana:secret@example.com/',
    'we met Zorba Quill Maddox Ferrin Talbot Wexley there',
    '',
  ]
  for (const text of nameless)
    it(`are none in ${JSON.stringify(text)}`, () => {
      expect(found(text)).to.deep.equal([])
    })

  it('are returned once, ignoring case', () => {
    expect(found('we like Kafka, KAFKA and Kafka')).to.deep.equal(['name Kafka'])
  })

  it('are at most 20, identifiers before names', () => {
    const text = `with ${[...Array(30).keys()].map((i) => `Aaa${String.fromCharCode(97 + i)}`).join(', ')} and OPS-1`
    expect(found(text)).to.have.length(20)
    expect(found(text)[0]).to.equal('identifier OPS-1')
  })

  it('never exceed the maximum length of a name', () => {
    const long = `v1.${'a'.repeat(300)} /${'a/'.repeat(200)} see ${'Ab'.repeat(30)} ${'\ufdfa'.repeat(60)}`
    for (const { name } of namesIn(long, NOW, null)) expect(name.length).to.be.at.most(200)
  })

  it('are found quickly where patterns could backtrack', () => {
    const hostile = [
      ...[
        'a ',
        'A ',
        'A-',
        'Aa.',
        '(',
        '"',
        '`',
        '\u201c',
        'Aa of ',
        'Dr. ',
        'A.',
        'a_',
        'a-',
        'a/',
        '/',
        '\\',
        '1.',
        'v1.',
        '::',
      ],
      ...[
        'a::',
        '[a]',
        '[',
        '@a',
        '#',
        'http://a.',
        'Aa\n',
        '"Aa" ',
        'port 1 ',
        'Error code ',
        '0f',
        'Aa&',
        'Aa-Aa-',
        '1h 2 ',
      ],
      ...['yesterday ', '1 May 2023 ', 'last last ', 'a', 'A'],
    ]
    for (const part of hostile) {
      const names = namesIn(part.repeat(Math.ceil(10_000 / part.length)), NOW, null)
      expect(names.length).to.be.at.most(20)
    }
    expect(namesIn(`ñ ${'. '.repeat(5_000)}é`, NOW, null)).to.deep.equal([])
  })
})
