import { expect } from 'chai'
import { visibleName } from '../../domain/text/names/visible-name.js'
import { asWritten } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

const TEXTS: [kind: string, text: string][] = [
  ['SQL', `'); drop table memories; -- " ; select * from "memories" where '1'='1`],
  ['SQL parameters', "$1 ?1 :name @p %s %(x)s \\x27 E'\\n' $$ fox $$"],
  ['full-text syntax', '"fox" AND (den OR NEAR(a b, 3)) NOT c* ^d:e +f -g {h i}: "unclosed'],
  ['a query of OpenSearch', '{"query":{"match_all":{}},"script":{"source":"ctx._source"}} fox*~2 /.*/ [a TO b]'],
  ['HTML', '<script>alert("fox")</script><img src=x onerror=alert(1)>&amp;&#0;'],
  ['JSON', '{"a":"fox","__proto__":{"polluted":true}}'],
  ['a template', '${process.exit(1)} {{7*7}} <%= fox %> #{1}'],
  ['a path', '../../../../etc/passwd%00 C:\\Windows\\fox'],
  ['right-to-left text', 'שלום עולם ‮fox‬ مرحبا'],
  ['combining marks', `f${'\u0301'.repeat(500)}ox`],
  ['invisible characters', 'f\u200bo\u200dx \ufeff\u2060 \u00ad'],
  ['control characters', 'fox \u0001\u0002\u0007\u001b[31m\u007f\u0085\u2028\u2029 \ufffe\uffff'],
  ['10,000 emojis', '🦊'.repeat(10_000)],
  ['a family of emojis', '👩‍👩‍👧‍👦🏳️‍🌈🇩🇪'.repeat(100)],
  ['one long word', 'x'.repeat(10_000)],
  ['one long word outside of the BMP', `a${'𐐨'.repeat(9_999)}`],
  ['one long identifier', `${'a.'.repeat(4_999)}b`],
  ['one long Chinese text', '狐狸住在森林里面'.repeat(1_250)],
  ['many different words', [...Array(1_700).keys()].map((i) => `w${i}`).join(' ')],
  ['only punctuation', '!@#$%^&*()_+-=[]{}|;:\'",.<>/?`~'],
  ['ligatures that expand', 'ﷺ'.repeat(2_000)],
  ['squares that expand to six characters each', '㌖'.repeat(5_000)],
  ['signs between two words, which expand', `fox a${'⁗'.repeat(4_900)}x den`],
]

/** Tests texts that may break a parser, a query or a terminal. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('hostile text', () => {
    let ana: Caller
    before(async () => {
      ana = await newTenant(service()).caller({ agentId: 'constructor', fleetId: 'valueOf' })
    })

    for (const [kind, text] of TEXTS)
      it(`such as ${kind} is stored, read, listed, recalled and queried unchanged`, async () => {
        const given = {
          content: text,
          title: [...text].slice(0, 200).join(''),
          source_uri: [...text].slice(0, 2_000).join(''),
          run_id: kind.replace(/[ ,]+/g, '-'),
          predicate: [...text].slice(0, 200).join(''),
          object_value: [...text].slice(0, 2_000).join(''),
          metadata: { [[...text].slice(0, 500).join('')]: [...text].slice(0, 500).join('') },
        }
        const record = await ana.memories.create(given).ok()
        expect(record).to.deep.include({ ...given, title: given.title.trim() })
        const { body } = await ana.memories.get(record.id)
        expect(asWritten(body)).to.deep.equal({ ...record, usage: null })
        expect((await ana.memories.listAll({ run_id: given.run_id })).map(({ id }) => id)).to.deep.equal([record.id])
        const query = [...text].slice(0, 5_000).join('')
        const fields = { run_id: given.run_id, metadata_filter: given.metadata, top_k: 1 }
        for (const indexed of [false, true]) {
          if (indexed) await settled(service())
          expect((await ana.memories.recall(query).ok()).degraded).to.equal(null)
          // With a known word, so that texts without words are found too.
          const { memories, degraded } = await ana.memories
            .recall(`${[...text].slice(0, 4_000).join('')} constructor`, fields)
            .ok()
          expect(degraded).to.equal(null)
          expect(memories.map(({ id }) => id)).to.deep.equal([record.id])
        }
      })

    it('works as the name of an entity', async () => {
      const cutTo200 = (text: string) => [...text].slice(0, 200).join('').trim()
      const names = TEXTS.map(([, text]) => cutTo200(text))
      // Before any text was indexed that names one of them in another spelling.
      const caller = await newTenant(service()).caller()
      const { entity_links } = await caller.memories
        .create({
          content: 'Named.',
          entity_links: names.map((name) => ({ name, role: [...name].slice(0, 100).join('') })),
        })
        .ok()
      expect(entity_links.map(({ name }) => name)).to.have.members(names.map(visibleName))
      for (const { entity_id, name } of entity_links)
        expect((await caller.entities.get(entity_id)).body.name).to.equal(name)
      for (const name of names) expect((await caller.entities.list({ query: name })).status).to.equal(200)
    })

    it('works as a key of metadata', async () => {
      const tenant = newTenant(service())
      const caller = await tenant.caller()
      const metadata = JSON.parse(
        '{"__proto__": {"polluted": true}, "constructor": {"prototype": 1}, "toString": "x"}',
      ) as object
      const record = await caller.memories.create({ content: 'Keys.', metadata, scope: metadata }).ok()
      const { body } = await caller.memories.get(record.id)
      expect(JSON.stringify(Object.entries(body.metadata as object).sort())).to.equal(
        JSON.stringify(Object.entries(metadata).sort()),
      )
      expect(({} as { polluted?: boolean }).polluted).to.equal(undefined)
      const filter = { metadata_filter: { toString: 'x' } }
      expect(await caller.memories.recallContents('keys', filter)).to.deep.equal(['Keys.'])
      expect(await caller.memories.recallContents('keys', { metadata_filter: { hasOwnProperty: 'x' } })).to.deep.equal(
        [],
      )
    })

    it('is compared and replayed unchanged with an idempotency key', async () => {
      const key = { 'Idempotency-Key': 'k' }
      const metadata = JSON.parse('{"__proto__": 1}') as object
      const first = await ana.memories.create({ content: 'Replayed keys.', metadata }, key)
      const again = await ana.memories.create({ content: 'Replayed keys.', metadata }, key)
      expect(again.body).to.deep.equal(first.body)
      expect(Object.keys(again.body.metadata)).to.deep.equal(['__proto__'])
      expect((await ana.memories.create({ content: 'Replayed keys.', metadata: {} }, key)).status).to.equal(422)
    })

    it('never appears in an error except in the value of its field', async () => {
      const answer = await ana.memories.create({ content: 'x', weight: 'a secret '.repeat(50) })
      expect(answer.status).to.equal(422)
      expect(JSON.stringify(answer.body)).to.not.include('a secret a secret')
    })
  })
})
