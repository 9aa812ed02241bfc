import { expect } from 'chai'
import {
  HOUR_MS,
  hoursOf,
  placeReasons,
  type PriorityReason,
  priorityReasons,
  type RankedVersion,
} from '../../../domain/skills/priority.js'
import { PENDING_SCAN, type SkillOrigin } from '../../../domain/skills/skill.js'

const HASH = `sha256:${'a'.repeat(64)}`
const PLAIN: RankedVersion = {
  origin: null,
  scan: PENDING_SCAN,
  kind: 'create',
  status: 'staged',
  source: 'agent',
  target: null,
  contentHash: HASH,
  author: { isForge: false, agentId: 'ana' },
  record: { approved: 0, rejected: 0, quarantined: 0 },
  behindHours: 0,
}

/** Tests what each reason for a place in the inbox is worth, and what it says. */
describe('the priority of a skill', () => {
  const only = (given: Partial<RankedVersion>): PriorityReason => {
    const reasons = placeReasons({ ...PLAIN, ...given })
    expect(reasons).to.have.length(1)
    return reasons[0]!
  }
  const origin = (runs: number, agents: number, credentials: number) =>
    ({ cluster_size: runs, distinct_agents: agents, distinct_credentials: credentials }) as SkillOrigin

  it('has no reason but the time where nothing is known', () => {
    expect(placeReasons(PLAIN)).to.deep.equal([])
    const reasons = priorityReasons(PLAIN, { since: new Date(0), deferredAt: null }, 9.5 * 24 * HOUR_MS)
    expect(reasons).to.deep.equal([{ code: 'waiting', message: 'It waits for 9 days.', hours: 228 }])
  })

  for (const [runs, agents, credentials, hours] of [
    [5, 4, 4, 10],
    [40, 4, 4, 40],
    // Forty runs of one credential are as good as five.
    [40, 9, 1, 10],
    [1_000, 100, 100, 96],
    [4, 2, 3, 8],
  ] as const)
    it(`counts ${runs} runs of ${agents} agents by ${credentials} credentials as ${hours} hours`, () =>
      void expect(only({ origin: origin(runs, agents, credentials) }).hours).to.equal(hours))

  it('says what the evidence is', () =>
    void expect(only({ origin: origin(5, 4, 1) })).to.deep.equal({
      code: 'evidence',
      message: '5 runs of 4 agents by 1 credential succeeded in this way.',
      hours: 10,
    }))

  for (const [approved, rejected, quarantined, hours] of [
    [12, 0, 1, 33],
    [1, 0, 0, 12],
    [0, 1, 0, -12],
    [0, 3, 3, -32],
    [2, 1, 1, 0],
    [5_000, 0, 0, 48],
  ] as const)
    it(`counts a record of ${approved}, ${rejected} and ${quarantined} as ${hours} hours`, () => {
      const reason = only({ record: { approved, rejected, quarantined } })
      expect(reason.hours).to.equal(hours)
      expect(reason.message).to.equal(
        `Of its author, ${approved} approved, ${rejected} rejected, ${quarantined} quarantined.`,
      )
    })

  it('is lower by what the scan found, within a limit', () => {
    expect(only({ scan: { ...PENDING_SCAN, warn: 2, critical: 0 } })).to.deep.equal({
      code: 'flags',
      message: 'The scan has 2 flagged passages.',
      hours: -24,
    })
    expect(only({ scan: { ...PENDING_SCAN, warn: 1, critical: 1 } })).to.deep.include({
      message: 'The scan has 1 critical finding and 1 flagged passage.',
      hours: -36,
    })
    expect(only({ scan: { ...PENDING_SCAN, warn: 100, critical: 0 } }).hours).to.equal(-72)
  })

  it('is higher while the same words of the Forge are served without their evidence, and not by what an author writes', () => {
    const target = { doc_id: 'forge/a', target_content_hash: HASH, previous_version: 1 }
    const copy = { kind: 'update', target, source: 'forge' } as const
    expect(only(copy)).to.deep.include({ code: 'served', hours: 72 })
    expect(placeReasons({ ...PLAIN, ...copy, source: 'agent' })).to.deep.equal([])
    expect(placeReasons({ ...PLAIN, ...copy, contentHash: `sha256:${'b'.repeat(64)}` })).to.deep.equal([])
  })

  it('names what weighs most first, and above all that a reviewer deferred it', () => {
    const version = { ...PLAIN, behindHours: 30, origin: origin(4, 4, 4), scan: { ...PENDING_SCAN, warn: 1 } }
    const now = 100 * HOUR_MS
    const reasons = priorityReasons(version, { since: new Date(now - 11 * HOUR_MS), deferredAt: null }, now)
    expect(reasons.map(({ code, hours }) => [code, hours])).to.deep.equal([
      ['share', -30],
      ['flags', -12],
      ['waiting', 11],
      ['evidence', 8],
    ])
    expect(hoursOf(reasons)).to.equal(-23)
    const [first] = priorityReasons(version, { since: new Date(0), deferredAt: new Date(now - HOUR_MS) }, now)
    expect(first).to.deep.equal({
      code: 'deferred',
      message: 'A reviewer deferred it 1 hour ago: it stands behind all that nobody deferred.',
      hours: 0,
    })
  })
})
