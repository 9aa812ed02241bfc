import { expect } from 'chai'
import { DEFAULT_SETTINGS } from '../../../domain/settings/settings.gen.js'
import { type GateFacts, gateResults, GATES, passesAll } from '../../../domain/skills/gates.js'

const NOW = Date.parse('2026-05-20T12:00:00Z')
const { forge: SETTINGS } = DEFAULT_SETTINGS.skills_factory
const ORIGIN = {
  agent_id: null,
  run_id: null,
  cluster_size: 3,
  distinct_agents: 3,
  distinct_credentials: 3,
  window_start: '2026-05-06T12:00:00.000Z',
  window_end: '2026-05-20T11:00:00.000Z',
}
const GOOD: GateFacts = {
  origin: ORIGIN,
  scanState: 'clean',
  poisonedBy: null,
  target: null,
  targetContentHash: null,
  kind: 'create',
}
const TARGET = { doc_id: 'forge/x', target_content_hash: 'sha256:a', previous_version: 1 }

function failing(facts: Partial<GateFacts>): string[] {
  return gateResults({ ...GOOD, ...facts }, SETTINGS, NOW).flatMap(({ name, passed }) => (passed ? [] : [name]))
}

describe('the gates', () => {
  it('say all six results, each with its reason', () => {
    const results = gateResults(GOOD, SETTINGS, NOW)
    expect(results.map(({ name }) => name)).to.deep.equal([...GATES])
    for (const { passed, reason } of results) {
      expect(passed).to.equal(true)
      expect(reason).to.be.a('string').with.length.greaterThan(3)
    }
    expect(passesAll(results)).to.equal(true)
  })

  it('are no pass when one of them is missing', () => {
    const results = gateResults(GOOD, SETTINGS, NOW)
    for (const name of GATES) expect(passesAll(results.filter((result) => result.name !== name))).to.equal(false)
    expect(passesAll([])).to.equal(false)
  })

  const blocked: [name: string, facts: Partial<GateFacts>, gates: string[]][] = [
    ['no origin', { origin: null }, ['volume', 'diversity', 'freshness']],
    ['too few runs', { origin: { ...ORIGIN, cluster_size: 2 } }, ['volume']],
    ['an unknown number of runs', { origin: { ...ORIGIN, cluster_size: null } }, ['volume']],
    ['runs that are no number', { origin: { ...ORIGIN, cluster_size: Number.NaN } }, ['volume']],
    ['too few agents', { origin: { ...ORIGIN, distinct_agents: 2 } }, ['diversity']],
    ['an unknown number of agents', { origin: { ...ORIGIN, distinct_agents: null } }, ['diversity']],
    ['too few credentials', { origin: { ...ORIGIN, distinct_credentials: 2 } }, ['diversity']],
    [
      'many agents of one credential',
      { origin: { ...ORIGIN, distinct_agents: 9, distinct_credentials: 1 } },
      ['diversity'],
    ],
    [
      'many credentials of two agents',
      { origin: { ...ORIGIN, distinct_agents: 2, distinct_credentials: 9 } },
      ['diversity'],
    ],
    ['an unknown number of credentials', { origin: { ...ORIGIN, distinct_credentials: null } }, ['diversity']],
    ['evidence before the window', { origin: { ...ORIGIN, window_start: '2026-05-06T11:59:59.999Z' } }, ['freshness']],
    ['evidence of tomorrow', { origin: { ...ORIGIN, window_end: '2026-05-21T00:00:00Z' } }, ['freshness']],
    ['evidence without a beginning', { origin: { ...ORIGIN, window_start: null } }, ['freshness']],
    ['unreadable times', { origin: { ...ORIGIN, window_end: 'soon' } }, ['freshness']],
    ['rejected work', { poisonedBy: { docId: 'forge/y', until: new Date(NOW + 1) } }, ['poison']],
    ['a pending scan', { scanState: 'pending' }, ['scan']],
    ['a failed scan', { scanState: 'failed' }, ['scan']],
    ['flagged words', { scanState: 'flagged' }, ['scan']],
    ['critical findings', { scanState: 'quarantined' }, ['scan']],
    ['an update without a target', { kind: 'update' }, ['hash_binding']],
    ['a target that is gone', { kind: 'update', target: TARGET }, ['hash_binding']],
    ['a target that changed', { kind: 'update', target: TARGET, targetContentHash: 'sha256:b' }, ['hash_binding']],
    ['a target as it was seen', { kind: 'update', target: TARGET, targetContentHash: 'sha256:a' }, []],
  ]
  for (const [name, facts, gates] of blocked)
    it(`${gates.length > 0 ? 'block' : 'let through'} ${name}`, () => expect(failing(facts)).to.deep.equal(gates))
})
