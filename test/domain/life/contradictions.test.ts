import { expect } from 'chai'
import { type Claim, displacementsOf, predicateKey, singleValuedBy } from '../../../domain/life/contradictions.js'
import { DEFAULT_SETTINGS } from '../../../domain/settings/settings.gen.js'

const claim = (memoryId: string, at: number, fields: Partial<Claim> = {}): Claim => ({
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
    expect(displacementsOf([claim('b', 2)], [claim('a', 1)], 1)).to.deep.equal([
      { oldId: 'a', newId: 'b', oldStatus: 'outdated', direction: 'canonical' },
    ])
    expect(displacementsOf([claim('a', 1)], [claim('b', 2)], 1)).to.deep.equal([
      { oldId: 'a', newId: 'b', oldStatus: 'outdated', direction: 'flipped' },
    ])
  })

  it('process new statements in order, so that one of them remains', () => {
    const found = displacementsOf([claim('b', 2), claim('c', 2), claim('d', 1)], [claim('a', 1)], 1)
    expect(found.map(({ oldId, newId }) => `${oldId}<${newId}`)).to.deep.equal(['a<b', 'b<c', 'd<c'])
  })

  it('supersede another agent’s statement only at trust 2, and one’s own older one at any trust', () => {
    const his = { agentId: 'ben' }
    expect(displacementsOf([claim('b', 2)], [claim('a', 1, his)], 1)[0]!.oldStatus).to.equal('conflicted')
    expect(displacementsOf([claim('b', 2)], [claim('a', 1, his)], 2)[0]!.oldStatus).to.equal('outdated')
    expect(displacementsOf([claim('a', 1)], [claim('b', 2, his)], 1)[0]!.oldStatus).to.equal('outdated')
  })

  const other: [what: string, fields: Partial<Claim>, of?: Partial<Claim>][] = [
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
      const standing = claim('a', 1, { object: 'Acme', ...of })
      expect(displacementsOf([claim('b', 2, fields)], [standing], 3)).to.deep.equal([])
    })

  it('exist between fleets for memories that the whole tenant may see', () => {
    const standing = claim('a', 1, { visibility: 'scope_org' })
    expect(
      displacementsOf([claim('b', 2, { visibility: 'scope_org', fleetId: 'blue' })], [standing], 3),
    ).to.have.length(1)
  })

  it('do not exist when one validity ends as the other begins', () => {
    const until = claim('a', 1, { validStart: 0, validEnd: 10 })
    expect(displacementsOf([claim('b', 10, { validStart: 10 })], [until], 1)).to.deep.equal([])
    expect(displacementsOf([claim('b', 9, { validStart: 9 })], [until], 1)).to.have.length(1)
    expect(displacementsOf([claim('b', 20, { validEnd: 1 })], [until], 1)).to.have.length(1)
  })
})
