import { expect } from 'chai'
import { sql } from 'kysely'
import { nameKey } from '../../domain/text/memory-text.js'
import { isNaming } from '../../store/erasure/names.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

/** Names, and texts that have them. */
const NAMED: readonly (readonly [name: string, ...texts: string[]])[] = [
  [
    'Ada Lovelace',
    'ada-lovelace',
    'ADA_LOVELACE',
    'Ada\nLovelace',
    'Ada Love\u00adlace',
    '\u200bAda\u2060 Lovelace\ufeff',
    'Notes:\\u000bAda\\u001fLovelace\\u0001',
    'Notes:\\u000BAda\\u001F\\u001FLovelace\\u001E',
  ],
  ['Ada\u200bLovelace', 'Ada\u200bLovelace', 'AdaLovelace'],
  ['İbrahim', 'İbrahim', 'İBRAHİM', 'IBRAHIM', 'i\u0307brahim'],
  ['Groß', 'Groß', 'GROSS', 'GROß'],
  ['école', 'É\u0063ole', 'e\u0301cole'],
  ['Σίσυφος', 'ΣΊΣΥΦΟς', 'Σίσυφος'],
  ['漢字', 'その漢字は'],
  ['မြန်မာ', 'ငါကမြန်မာကလာတယ်'],
  ['🧿', 'a 🧿 here', '🧿🧿'],
  ['❤\ufe0f', 'with ❤\ufe0f'],
]

/** Names, and texts that do not have them. */
const NOT_NAMED: typeof NAMED = [
  ['Ada', 'Adam', 'Granada', 'Éada', 'ad a', 'u000bAda', '\\u00eAda', '\\u0041da'],
  ['Groß', 'Gros', 'Grosse'],
  ['🧿', '🫶', '\ufffd'],
  ['❤\ufe0f', '✅\ufe0f done'],
  ['.*', 'anything', '..'],
]

/** Tells which texts an erasure finds a name in. */
describe('a text that an erasure looks at', function () {
  this.timeout(60_000)
  let test: TestStore
  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())

  const isFound = async (name: string, text: string) => {
    const { rows } = await test.store.asSystem(({ db }) =>
      sql<{ found: boolean }>`
        select ${isNaming(sql`t.text`, [nameKey(name)])} as found from (select ${text}::text as text) t`.execute(db),
    )
    return rows[0]!.found
  }

  for (const [name, ...texts] of NAMED)
    it(`names ${JSON.stringify(name)} in any case and form`, async () => {
      for (const text of texts) expect(await isFound(name, text), JSON.stringify(text)).to.equal(true)
    })

  for (const [name, ...texts] of NOT_NAMED)
    it(`does not name ${JSON.stringify(name)} by what is only like it`, async () => {
      for (const text of texts) expect(await isFound(name, text), JSON.stringify(text)).to.equal(false)
    })
})
