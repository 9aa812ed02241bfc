import { expect } from 'chai'
import { TRUST_LEVELS, type Trust } from '../../domain/trust.js'
import {
  audienceOf,
  fleetsElsewhere,
  isVisible,
  type VisibleRow,
  type Viewer,
  VISIBILITIES,
} from '../../domain/visibility.js'

const AGENTS = [null, 'ana', 'ben']
const FLEETS = [null, 'red', 'blue']
const ROWS: VisibleRow[] = VISIBILITIES.flatMap((visibility) =>
  AGENTS.flatMap((agentId) =>
    FLEETS.flatMap((fleetId) =>
      visibility === 'scope_agent' && agentId === null ? [] : [{ agentId, fleetId, visibility }],
    ),
  ),
)
const VIEWERS: Viewer[] = TRUST_LEVELS.flatMap((trust) =>
  AGENTS.flatMap((agentId) => [
    ...FLEETS.map((fleetId) => ({ agentId, fleetId, trust, fleetless: false })),
    ...(agentId === null ? [{ agentId, fleetId: null, trust, fleetless: true }] : []),
  ]),
)
const ASKED: ('all' | string[])[] = ['all', [], ['red'], ['blue'], ['red', 'blue']]

/** Repeats the visibility rule (domain/visibility.ts) in another form. */
function maySee(viewer: Viewer, row: VisibleRow, asked: 'all' | readonly string[]): boolean {
  const isAuthor = viewer.agentId !== null && viewer.agentId === row.agentId
  if (viewer.trust === 0 || isAuthor) return isAuthor
  if (row.visibility === 'scope_org') return true
  if (row.visibility === 'scope_agent') return false
  if (row.fleetId === null || row.fleetId === viewer.fleetId) return true
  return viewer.trust >= 2 && (viewer.fleetless || asked === 'all' || asked.includes(row.fleetId))
}

describe('domain/visibility', () => {
  it('follows the rule for every viewer, row and requested fleet', () => {
    for (const viewer of VIEWERS)
      for (const row of ROWS)
        for (const asked of ASKED)
          expect(isVisible(audienceOf(viewer, asked), row), JSON.stringify({ viewer, row, asked })).to.equal(
            maySee(viewer, row, asked),
          )
  })

  const viewer = (trust: Trust, given: Partial<Viewer> = {}): Viewer => ({
    agentId: 'ana',
    fleetId: 'red',
    trust,
    fleetless: false,
    ...given,
  })
  const facts: [fact: string, viewer: Viewer, row: VisibleRow, asked: 'all' | string[], visible: boolean][] = [
    ['shows an author its own secret', viewer(1), row('scope_agent', 'ana', 'red'), [], true],
    ['shows an author its team row in another fleet', viewer(1), row('scope_team', 'ana', 'blue'), [], true],
    ['shows no credential without an agent a row of none', fleetless(1), row('scope_team', null, 'blue'), [], false],
    ["hides another's secret from its fleet", viewer(1), row('scope_agent', 'ben', 'red'), [], false],
    ["hides another's secret from an operator", viewer(3), row('scope_agent', 'ben', 'red'), 'all', false],
    ['shows a team row to its fleet', viewer(1), row('scope_team', 'ben', 'red'), [], true],
    ['hides a team row from another fleet', viewer(1), row('scope_team', 'ben', 'blue'), ['blue'], false],
    ['shows another fleet to trust 2 that asks for it', viewer(2), row('scope_team', 'ben', 'blue'), ['blue'], true],
    ['hides another fleet from trust 2 that does not ask', viewer(2), row('scope_team', 'ben', 'blue'), [], false],
    ['shows a team row of no fleet to every fleet', viewer(1), row('scope_team', 'ben', null), [], true],
    ['shows an org row to every fleet', viewer(1), row('scope_org', 'ben', 'blue'), [], true],
    ['shows trust 0 what it wrote', viewer(0), row('scope_team', 'ana', 'blue'), [], true],
    ['hides org rows of others from trust 0', viewer(0), row('scope_org', 'ben', 'red'), 'all', false],
    ['shows a fleetless trust 2 every fleet', fleetless(2), row('scope_team', 'ben', 'blue'), [], true],
    ['hides fleets from a fleetless trust 1', fleetless(1), row('scope_team', 'ben', 'blue'), [], false],
    ['shows nothing to a trust 0 without an agent', fleetless(0), row('scope_org', null, null), 'all', false],
  ]
  for (const [fact, who, what, asked, visible] of facts)
    it(fact, () => expect(isVisible(audienceOf(who, asked), what)).to.equal(visible))

  function fleetless(trust: Trust): Viewer {
    return viewer(trust, { agentId: null, fleetId: null, fleetless: true })
  }

  function row(visibility: VisibleRow['visibility'], agentId: string | null, fleetId: string | null): VisibleRow {
    return { visibility, agentId, fleetId }
  }

  it('tells in which other fleets an agent sees what it wrote there', () => {
    const authored = ['red', 'blue', 'green']
    const elsewhere = (who: Viewer, asked: 'all' | string[] = []) => fleetsElsewhere(audienceOf(who, asked), authored)
    expect(elsewhere(viewer(1))).to.deep.equal(['blue', 'green'])
    expect(elsewhere(viewer(1, { fleetId: null }))).to.deep.equal(authored)
    expect(elsewhere(viewer(2), ['green'])).to.deep.equal(['blue'])
    for (const who of [viewer(0), viewer(1, { agentId: null }), fleetless(2)]) expect(elsewhere(who)).to.deep.equal([])
    expect(elsewhere(viewer(2), 'all')).to.deep.equal([])
  })

  it('shows no fleet for an empty list of fleets', () => {
    const audience = { kind: 'shared', agentId: null, fleets: [] } as const
    expect(
      ROWS.filter((what) => isVisible(audience, what)).map((what) => [what.visibility, what.fleetId]),
    ).to.deep.equal(
      ROWS.filter((what) => what.visibility === 'scope_org' || (what.visibility === 'scope_team' && !what.fleetId)).map(
        (what) => [what.visibility, what.fleetId],
      ),
    )
  })
})
