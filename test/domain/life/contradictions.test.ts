import { expect } from 'chai'
import { type Statement, planSupersessions, predicateKey, singleValuedBy } from '../../../domain/life/contradictions.js'
import { DEFAULT_SETTINGS } from '../../../domain/settings/settings.gen.js'

const statement = (memoryId: string, at: number, fields: Partial<Statement> = {}): Statement => ({
  memoryId,
  subjectId: 's',
  predicateKey: 'works_at',
  object: memoryId,
  agentId: 'ana',
  fleetId: 'red',
  visibility: 'scope_team',
  validStart: null,
  validEnd: null,
  at,
  ...fields,
})

describe('contradictions', () => {
  it('compare predicates in snake_case', () => {
    for (const spelling of ['works_at', 'worksAt', 'Works At', ' works-at ', 'WorksAt', 'works__at'])
      expect(predicateKey(spelling), spelling).to.equal('works_at')
    expect(predicateKey('Größe 2')).to.equal('größe_2')
  })

  it('concern the predicates of the setting, in any spelling, with a star as a wildcard', () => {
    const byDefault = singleValuedBy(DEFAULT_SETTINGS.memory.single_valued_predicates)
    for (const key of ['works_at', 'due_date', 'current_shift', 'preferred_editor'])
      expect(byDefault(key), key).to.equal(true)
    for (const key of ['knows', 'currently', 'works', 'works_at_night', '']) expect(byDefault(key), key).to.equal(false)
    const own = singleValuedBy(['Favourite Colour', 'homePort', 'is*'])
    for (const key of ['favourite_colour', 'home_port', 'is', 'is_at', 'island']) expect(own(key), key).to.equal(true)
    for (const key of ['works_at', 'favourite', 'this']) expect(own(key), key).to.equal(false)
    expect(singleValuedBy([])('works_at')).to.equal(false)
  })

  it('supersede the older memory, whichever was written last', () => {
    expect(planSupersessions([statement('b', 2)], [statement('a', 1)], 1)).to.deep.equal([
      { oldId: 'a', newId: 'b', oldStatus: 'outdated', direction: 'canonical' },
    ])
    expect(planSupersessions([statement('a', 1)], [statement('b', 2)], 1)).to.deep.equal([
      { oldId: 'a', newId: 'b', oldStatus: 'outdated', direction: 'flipped' },
    ])
  })

  it('process new statements in order, so that one of them remains', () => {
    const found = planSupersessions([statement('b', 2), statement('c', 2), statement('d', 1)], [statement('a', 1)], 1)
    expect(found.map(({ oldId, newId }) => `${oldId}<${newId}`)).to.deep.equal(['a<b', 'b<c', 'd<c'])
  })

  it('supersede another agent’s statement only at trust 2, and one’s own older one at any trust', () => {
    const his = { agentId: 'ben' }
    expect(planSupersessions([statement('b', 2)], [statement('a', 1, his)], 1)[0]!.oldStatus).to.equal('conflicted')
    expect(planSupersessions([statement('b', 2)], [statement('a', 1, his)], 2)[0]!.oldStatus).to.equal('outdated')
    expect(planSupersessions([statement('a', 1)], [statement('b', 2, his)], 1)[0]!.oldStatus).to.equal('outdated')
  })

  const other: [what: string, fields: Partial<Statement>, of?: Partial<Statement>][] = [
    ['another subject', { subjectId: 't' }],
    ['another predicate', { predicateKey: 'lives_in' }],
    ['the same in another spelling', { object: ' ACME ' }],
    ['another audience', { visibility: 'scope_org' }],
    ['another fleet', { fleetId: 'blue' }],
    ['no fleet', { fleetId: null }],
    [
      'another author’s secret',
      { visibility: 'scope_agent', agentId: 'ben' },
      { visibility: 'scope_agent', agentId: 'ana' },
    ],
  ]
  for (const [what, fields, of = {}] of other)
    it(`are none with ${what}`, () => {
      const standing = statement('a', 1, { object: 'Acme', ...of })
      expect(planSupersessions([statement('b', 2, fields)], [standing], 3)).to.deep.equal([])
    })

  it('exist between fleets for memories that the whole tenant may see', () => {
    const standing = statement('a', 1, { visibility: 'scope_org' })
    expect(
      planSupersessions([statement('b', 2, { visibility: 'scope_org', fleetId: 'blue' })], [standing], 3),
    ).to.have.length(1)
  })

  it('do not exist when one validity ends as the other begins', () => {
    const until = statement('a', 1, { validStart: 0, validEnd: 10 })
    expect(planSupersessions([statement('b', 10, { validStart: 10 })], [until], 1)).to.deep.equal([])
    expect(planSupersessions([statement('b', 9, { validStart: 9 })], [until], 1)).to.have.length(1)
    expect(planSupersessions([statement('b', 20, { validEnd: 1 })], [until], 1)).to.have.length(1)
  })
})
