import { adviceFor } from '../../domain/scan/finding-codes.js'
import { aboutWhole, type ScanReport, SCAN_VERSION } from '../../domain/scan/report.js'
import type { SkillStatus, SkillVersion } from '../../domain/skills/skill.js'
import { activate } from '../../services/skills/publish.js'
import { type Candidate, proposeCandidate } from '../../services/skills/propose-candidate.js'
import { settleScan } from '../../services/skills/settle-scan.js'
import { DEFAULT_SETTINGS, type Settings } from '../../domain/settings/settings.gen.js'
import { fingerprintOf, sketchOf } from '../../domain/forge/fingerprint.js'
import { type LockedSkill, lockSkill } from '../../store/skills/read-skills.js'
import { lockSettings, replaceSettings } from '../../store/tenants/settings.js'
import type { Store } from '../../store/store.js'

export const SCANNED_CLEAN: ScanReport = {
  version: SCAN_VERSION,
  verdict: 'clean',
  counts: { critical: 0, warn: 0, info: 0 },
  findings: [],
}
export const SCANNED_BAD: ScanReport = {
  version: SCAN_VERSION,
  verdict: 'quarantined',
  counts: { critical: 1, warn: 0, info: 0 },
  findings: [
    {
      code: 'secret',
      severity: 'critical',
      message: 'It holds a key.',
      advice: adviceFor('secret'),
      ...aboutWhole('content'),
      line: 1,
      column: 1,
    },
  ],
}

export const SCANNED_FLAGGED: ScanReport = {
  version: SCAN_VERSION,
  verdict: 'flagged',
  counts: { critical: 0, warn: 1, info: 0 },
  findings: [
    {
      code: 'prompt_concealment',
      severity: 'warn',
      message: 'It tells the agent to keep something from its user.',
      advice: 'Say why.',
      field: 'content',
      line: 1,
      column: 1,
      quote: 'When the work',
    },
  ],
}

export const OPTED_IN: Settings['skills_factory'] = { ...DEFAULT_SETTINGS.skills_factory, enabled: true }

/** Returns a candidate that passes every gate at `at`, when its evidence exists. */
export function candidateOf(slug: string, at: Date, given: Partial<Candidate> = {}): Candidate {
  const shared = {
    domain: slug,
    names: [slug],
    steps: [
      [slug, 'open'],
      [slug, 'turn', 'key'],
      [slug, 'close'],
    ],
  }
  return {
    name: slug,
    slug,
    description: `When the work involves ${slug}.`,
    summary: null,
    content: `When the work involves ${slug}.\n\n## Steps\n\n1. Open ${slug}.\n2. Turn the key of ${slug}.\n3. Close ${slug}.\n`,
    domain: slug,
    goal: null,
    tags: [slug],
    fleetId: 'red',
    fingerprint: fingerprintOf(shared),
    sketch: sketchOf(shared),
    cites: [],
    sources: [],
    origin: {
      agent_id: null,
      run_id: null,
      cluster_size: 4,
      distinct_agents: 4,
      distinct_credentials: 4,
      window_start: new Date(at.getTime() - 3_600_000).toISOString(),
      window_end: at.toISOString(),
    },
    evidence: { runs: 4 },
    target: null,
    ...given,
  }
}

/** The acts on skills of one tenant, each in a transaction of its own. */
export function skillsOf(store: Store, tenantId: string, at: () => Date) {
  const propose = (candidate: Candidate, settings = OPTED_IN) =>
    store.transact({ tenantId }, (writer) => proposeCandidate(writer, candidate, { at: at(), settings }))
  const look = (docId: string): Promise<LockedSkill | null> =>
    store.transact({ tenantId }, (writer) => lockSkill(writer, docId))
  const settle = (version: SkillVersion, report: ScanReport = SCANNED_CLEAN) =>
    store.transact({ tenantId }, (writer) => settleScan(writer, version, report, at()))
  /** Makes the version that waits active, as a reviewer would. */
  const approve = (docId: string): Promise<SkillVersion> =>
    store.transact({ tenantId }, async (writer) => {
      const skill = (await lockSkill(writer, docId))!
      return activate(writer, skill, skill.waiting!, { reason: null, at: at() })
    })
  return {
    propose,
    look,
    settle,
    optIn: (change: Partial<Settings['skills_factory']> = {}) =>
      store.transact({ tenantId }, async (writer) => {
        await lockSettings(writer)
        await replaceSettings(writer, { skills_factory: { enabled: true, ...change } }, at())
      }),
    /** Returns the status of the version that waits, or of the one that is served. */
    statusOf: async (docId: string): Promise<SkillStatus | null> => {
      const skill = await look(docId)
      return (skill?.waiting ?? skill?.active)?.status ?? null
    },
    /** Stores a candidate and makes it active, as a reviewer would. */
    activate: async (candidate: Candidate): Promise<SkillVersion> => {
      const { docId } = await propose(candidate)
      await settle((await look(docId!))!.waiting!)
      return approve(docId!)
    },
    approve,
  }
}
