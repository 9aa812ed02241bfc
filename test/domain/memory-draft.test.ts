import { expect } from 'chai'
import { contentHash, EMPTY_DRAFT, faultsOf, type MemoryDraft, textHash } from '../../domain/memory-draft.js'

const NOW = new Date('2026-05-01T12:00:00Z')
const DRAFT: MemoryDraft = { ...EMPTY_DRAFT, content: 'Alice met Bob.' }
const link = (name: string) => ({ entityId: null, name, entityType: null, role: null })

function faultyFields(given: Partial<MemoryDraft>, agentId: string | null = 'ana'): string[] {
  return faultsOf({ ...DRAFT, ...given }, { agentId }, NOW).map(({ field }) => field)
}

describe('domain/memory-draft', () => {
  const cases: [fact: string, given: Partial<MemoryDraft>, agentId: string | null, fields: string[]][] = [
    ['finds nothing wrong with a plain draft', {}, null, []],
    ['accepts an expiry in the future', { expiresAt: new Date('2026-05-01T12:00:00.001Z') }, null, []],
    ['refuses an expiry at this instant', { expiresAt: NOW }, null, ['expires_at']],
    ['refuses an expiry in the past', { expiresAt: new Date('2026-05-01T11:00:00Z') }, null, ['expires_at']],
    ['accepts an open validity', { validStart: new Date(5) }, null, []],
    ['accepts a validity that has ended', { validStart: new Date(5), validEnd: new Date(6) }, null, []],
    ['refuses an empty validity', { validStart: new Date(5), validEnd: new Date(5) }, null, ['ts_valid_end']],
    ['refuses a backward validity', { validStart: new Date(5), validEnd: new Date(4) }, null, ['ts_valid_end']],
    ['accepts scope_agent with an acting agent', { visibility: 'scope_agent' }, 'ana', []],
    ['refuses scope_agent without one', { visibility: 'scope_agent' }, null, ['visibility']],
    ['accepts names of entities', { links: [link('Acme'), link('株式会社')] }, null, []],
    ['refuses a name without a visible character', { links: [link('\u200b')] }, null, ['entity_links']],
    ['refuses an invalid date', { validStart: new Date(NaN) }, null, ['ts_valid_start']],
    ['accepts a number with many digits', { metadata: { a: 1e308 }, scope: { a: -1e-300 } }, null, []],
    [
      'refuses metadata with too many digits',
      { metadata: { a: Array<number>(1_000).fill(1e308) } },
      null,
      ['metadata'],
    ],
    ['refuses a scope with too many digits', { scope: { a: Array<number>(1_000).fill(1e308) } }, null, ['scope']],
    ['reports every fault', { visibility: 'scope_agent', expiresAt: new Date(0) }, null, ['expires_at', 'visibility']],
  ]
  for (const [fact, given, agentId, fields] of cases)
    it(fact, () => expect(faultyFields(given, agentId)).to.deep.equal(fields))

  it('hashes duplicate texts equally, and others differently', () => {
    expect(contentHash('Alice met Bob. \r\n')).to.deep.equal(contentHash('Alice met Bob.'))
    expect(contentHash('Alice met bob.')).to.not.deep.equal(contentHash('Alice met Bob.'))
    expect(contentHash('Bob met Alice.')).to.not.deep.equal(contentHash('Alice met Bob.'))
  })

  it('hashes the exact embedded text, including the title', () => {
    const [plain, titled, capital] = [
      textHash({ title: null, content: 'a' }),
      textHash({ title: 'T', content: 'a' }),
      textHash({ title: null, content: 'A' }),
    ]
    expect(new Set([plain, titled, capital].map((hash) => hash.toString('hex'))).size).to.equal(3)
  })
})
