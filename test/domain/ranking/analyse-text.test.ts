import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { analyseText, type TimedText } from '../../../domain/ranking/analyse-text.js'
import { encodeText, TEXT_FORMAT } from '../../../domain/ranking/text-bytes.js'
import { languageOf } from '../../../domain/text/language.js'
import { embeddedText, indexedTerms } from '../../../domain/text/memory-text.js'
import { runToEnd } from '../../../domain/yielding.js'
import { createPieceSpace, type PieceSpace } from '../../../models/piece-space.js'

const AT = Date.parse('2026-05-01T10:00:00Z')

const TEXTS: readonly Pick<TimedText, 'title' | 'content' | 'agentId'>[] = [
  { title: null, content: 'Ana: the pump failed on 3 May, did it? I replaced the valve v2.', agentId: 'ana' },
  { title: 'Restart of the re-indexer', content: 'user_id and getUserName are read in src/index.ts.', agentId: null },
  { title: null, content: 'Die Überprüfung der Donaudampfschifffahrt dauerte gestern 12 Stunden.', agentId: 'bot-7' },
  { title: null, content: '東京で会議があります。 Встреча завтра в 10:00!', agentId: null },
  { title: null, content: 'Call +49 (0)170 123-4567 about PO-2024-00132: 10,000 pieces.', agentId: null },
  { title: null, content: "Elif Demir'in raporu Ankara'daki toplantıda okundu, karar 2024'te verildi.", agentId: null },
  { title: 'Empty', content: '…', agentId: null },
]

describe('the analysis of a text', () => {
  let space: PieceSpace
  before(async () => {
    space = await createPieceSpace()
  })

  it('is what format 6 stores: whoever changes it raises TEXT_FORMAT and the versions of both engines', () => {
    const hash = createHash('sha256')
    for (const text of TEXTS) {
      const language = languageOf(embeddedText(text))
      const terms = runToEnd(
        indexedTerms({
          ...text,
          language,
          validStart: null,
          createdAt: new Date(AT),
        }),
      )
      hash.update(
        encodeText(analyseText({ ...text, language, at: AT, until: null }, terms, Float32Array.of(0.6, -0.8), space)),
      )
    }
    expect([TEXT_FORMAT, hash.digest('hex')]).to.deep.equal([
      6,
      '44b405f680d6dff47ce10617a61ac453119bdfdde07b3e25ad13b06ebfd50efb',
    ])
  })
})
