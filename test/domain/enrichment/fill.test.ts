import { expect } from 'chai'
import { fillEmptyFields } from '../../../domain/enrichment/fill.js'
import type { Inference } from '../../../domain/enrichment/inference.js'
import type { EnrichmentRecord } from '../../../domain/enrichment/record.js'
import { EMPTY_DRAFT } from '../../../domain/memory-draft.js'
import type { Memory } from '../../../domain/memory-fields.js'

const START = new Date('2026-05-01T00:00:00Z')
const END = new Date('2026-06-01T00:00:00Z')
const UNWRITTEN: Memory = {
  ...EMPTY_DRAFT,
  id: 'm',
  fleetId: null,
  agentId: null,
  content: 'Ana lives in Oslo.',
  memoryType: 'fact',
  typeGiven: false,
  systemMetadata: {},
  createdAt: START,
  updatedAt: START,
  isInferred: false,
  version: 1,
}
const FOUND: Inference = {
  title: 'Ana in Oslo',
  memoryType: 'episode',
  tags: [],
  entities: [],
  triple: { subject: 'Ana', predicate: 'lives_in', object: 'Oslo' },
  validity: { start: START, end: END },
}
const TRIPLE = { subjectEntityId: 'Ana-id', predicate: 'lives_in', objectValue: 'Oslo' }
const NO_TRIPLE = { subjectEntityId: null, predicate: null, objectValue: null }

function fill(given: Partial<Memory>, inference: Inference | null = FOUND) {
  return fillEmptyFields({ ...UNWRITTEN, ...given }, inference, (name) => (name === 'Ana' ? 'Ana-id' : null))
}

function inferredBefore(...inferred: EnrichmentRecord['inferred']): Partial<Memory> {
  return { systemMetadata: { enrichment: { inferred } } }
}

describe('what enrichment fills in', () => {
  it('is every field that callers left empty, and the title', () => {
    expect(fill({})).to.deep.equal({
      fields: { memoryType: 'episode', validStart: START, validEnd: END, ...TRIPLE },
      title: 'Ana in Oslo',
      inferred: [
        ...['title', 'memory_type', 'ts_valid_start', 'ts_valid_end'],
        ...['subject_entity_id', 'predicate', 'object_value'],
      ],
    })
  })

  it('is nothing that callers gave', () => {
    const given = {
      memoryType: 'task',
      typeGiven: true,
      title: 'T',
      validStart: new Date(5),
      predicate: 'likes',
    } as const
    const { fields, title, inferred } = fill(given)
    expect([fields.memoryType, fields.validStart, fields.predicate, title]).to.deep.equal([
      'task',
      new Date(5),
      'likes',
      null,
    ])
    expect(inferred).to.deep.equal(['ts_valid_end'])
  })

  it('is no part of a triple where callers gave another part, or its subject has no entity', () => {
    expect(fill({ objectValue: 'Rome' }).fields).to.include({ ...NO_TRIPLE, objectValue: 'Rome' })
    const unknown = { ...FOUND, triple: { subject: 'Bob', predicate: 'p', object: 'o' } }
    expect(fill({}, unknown).fields).to.include(NO_TRIPLE)
  })

  it('is no end of a validity that would not end after it starts', () => {
    expect(fill({ validStart: END }).fields).to.deep.include({ validStart: END, validEnd: null })
  })

  it('replaces what was inferred before, which counts as empty', () => {
    const before = {
      ...inferredBefore('memory_type', 'ts_valid_end'),
      memoryType: 'task',
      validEnd: new Date(9e12),
    } as const
    expect(fill(before).fields).to.deep.include({ memoryType: 'episode', validEnd: END })
    expect(fill(before, null)).to.deep.include({ title: null, inferred: [] })
    expect(fill(before, null).fields).to.deep.include({ memoryType: 'fact', validEnd: null })
  })
})
