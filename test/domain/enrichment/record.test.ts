import { expect } from 'chai'
import { type EnrichmentRecord, inferencesToRemove, withoutInferences } from '../../../domain/enrichment/record.js'
import { INFERRED_MEMBERS, nameOf } from '../../../domain/memory-fields.js'

const INFERRED_FIELDS = INFERRED_MEMBERS.map(nameOf)
const RECORD: EnrichmentRecord = {
  state: 'done',
  model: 'm',
  prompt: 1,
  text: 't',
  at: '2026-05-13T12:00:00.000Z',
  inferred: [...INFERRED_FIELDS],
  title: 'Inferred',
}

describe('inferred fields', () => {
  it('are all removed when the text changes', () => {
    expect(inferencesToRemove(RECORD, { text: true, fields: ['content'] })).to.deep.equal([...INFERRED_FIELDS])
  })

  for (const [given, leaving] of [
    [['title'], ['title']],
    [['memory_type'], ['memory_type']],
    [['ts_valid_end'], ['ts_valid_start', 'ts_valid_end']],
    [['predicate'], ['subject_entity_id', 'predicate', 'object_value']],
    [['weight', 'metadata', 'content'], []],
  ] as const)
    it(`${leaving.join(', ') || 'none'} are removed when a caller sets ${given.join(', ')}`, () => {
      expect(inferencesToRemove(RECORD, { text: false, fields: given })).to.deep.equal(leaving)
    })

  it('do not include fields that the caller set', () => {
    const record = { ...RECORD, inferred: ['title'] as const }
    expect(inferencesToRemove(record, { text: true, fields: ['content'] })).to.deep.equal(['title'])
    expect(inferencesToRemove(null, { text: true, fields: ['content'] })).to.deep.equal([])
  })

  it('are no longer in the record once they are removed', () => {
    expect(withoutInferences(RECORD, ['title', 'memory_type'])).to.deep.equal({
      ...Object.fromEntries(Object.entries(RECORD).filter(([name]) => name !== 'title')),
      inferred: INFERRED_FIELDS.slice(2),
    })
    expect(withoutInferences(RECORD, ['memory_type']).title).to.equal('Inferred')
  })
})
