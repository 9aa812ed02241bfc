import { createHash } from 'node:crypto'
import type { Sketch } from '../forge/fingerprint.js'
import type { PiiRecord } from '../personal-data/screen.js'
import type { Finding, Verdict } from '../scan/report.js'
import type { Overruling } from './overruling.js'
import type { ScanFailure } from './scan-failure.js'
import type { SkillFolder } from './skill-files.js'

export const SKILLS_COLLECTION = 'skills'

const SKILL_STATUSES = ['candidate', 'staged', 'active', 'rejected', 'quarantined', 'stale', 'deprecated'] as const
export type SkillStatus = (typeof SKILL_STATUSES)[number]

/** Statuses of the one version of a skill that waits for a review, for its scan or for its gates. */
export const WAITING_STATUSES = ['candidate', 'staged', 'quarantined'] as const satisfies readonly SkillStatus[]

export function isWaiting(status: SkillStatus): boolean {
  return (WAITING_STATUSES as readonly SkillStatus[]).includes(status)
}

export type SkillSource = 'agent' | 'manual' | 'forge' | 'imported'
export type SkillKind = 'create' | 'update'
export type ScanState = Verdict | 'pending' | 'failed'

/** The fields of a skill that its author gives. */
export interface SkillTexts {
  readonly name: string
  /** Has no prefix of its source. */
  readonly slug: string
  readonly description: string
  readonly summary: string | null
  readonly content: string
  readonly domain: string
  readonly goal: string | null
  readonly tags: readonly string[]
}

/** The version that a revision is about. */
export interface SkillTarget {
  readonly doc_id: string
  readonly target_content_hash: string
  readonly previous_version: number
}

/** The runs that a skill comes from; null where there is nothing to count, which no gate passes. */
export interface SkillOrigin {
  readonly agent_id: string | null
  readonly run_id: string | null
  readonly cluster_size: number | null
  readonly distinct_agents: number | null
  /** Credentials behind them; absent where only agents were counted. */
  readonly distinct_credentials?: number | null
  /** ISO 8601. */
  readonly window_start: string | null
  readonly window_end: string | null
}

/** The verdict of the scan; counts are null until there is one. */
export interface SkillScan {
  readonly state: ScanState
  readonly scanned_at: string | null
  readonly critical: number | null
  readonly warn: number | null
  readonly info: number | null
  readonly findings: readonly Finding[]
  /** Why the last attempt gave no verdict; null when it did, and before there was one. */
  readonly failure: ScanFailure | null
}

export interface GateResult {
  readonly name: string
  readonly passed: boolean
  readonly reason: string
}

/** A version of a skill. */
export interface SkillVersion extends SkillTexts, SkillFolder {
  readonly skillId: string
  readonly docId: string
  readonly fleetId: string | null
  readonly version: number
  readonly status: SkillStatus
  readonly source: SkillSource
  readonly kind: SkillKind
  readonly target: SkillTarget | null
  readonly origin: SkillOrigin | null
  readonly evidence: Readonly<Record<string, unknown>> | null
  readonly systemMetadata: { readonly pii?: PiiRecord }
  readonly contentHash: string
  readonly fingerprint: string
  readonly sketch: Sketch
  /** Ids of the memories behind its steps, by id. */
  readonly cites: readonly string[]
  readonly scan: SkillScan
  /** Version of the rules that judged; null until they have. */
  readonly scanRules: string | null
  /** Who let it through in spite of critical findings; null for nobody. */
  readonly overruled: Overruling | null
  readonly gates: readonly GateResult[]
  /** Why it is in the inbox again, or has its status; null for none. */
  readonly reason: string | null
  readonly deferredAt: Date | null
  readonly authorAgentId: string | null
  /** Credential by which its author wrote it; null for what is without a share of the inbox. */
  readonly authorKeyId: string | null
  /** Creation of the skill, and of this version. */
  readonly skillCreatedAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Returns the target of a revision of this version. */
export function targetOf({ docId, contentHash, version }: SkillVersion): SkillTarget {
  return { doc_id: docId, target_content_hash: contentHash, previous_version: version }
}

/** Returns whether a version may take the place of the active one: it revises that content, or nothing is active. */
export function revisesActive({ target }: Pick<SkillVersion, 'target'>, active: SkillVersion | null): boolean {
  return active === null || target?.target_content_hash === active.contentHash
}

/** The texts of a version that a reviewer reads. */
export type ReadTexts = SkillTexts & Pick<SkillFolder, 'folderHash'>

/** Returns whether two versions say the same in every text, front matter and files included. */
export function hasSameTexts(a: ReadTexts, b: ReadTexts): boolean {
  if (a.folderHash !== b.folderHash) return false
  const keys = ['name', 'description', 'summary', 'content', 'domain', 'goal'] as const
  return keys.every((key) => a[key] === b[key]) && JSON.stringify(a.tags) === JSON.stringify(b.tags)
}

/** Returns a digest over all that a reviewer reads of a version: its texts, and its folder where it has more than content. */
export function skillTextsHash(version: ReadTexts): string {
  const { name, description, summary, content, domain, goal, tags, folderHash } = version
  const texts = [name, description, summary, content, domain, goal, tags, ...(folderHash === null ? [] : [folderHash])]
  return `sha256:${createHash('sha256').update(JSON.stringify(texts)).digest('hex')}`
}

/** Prefixes of a `doc_id` by source; people's and imported skills have none. */
const PREFIXES: Readonly<Record<SkillSource, string>> = { agent: 'agent/', forge: 'forge/', manual: '', imported: '' }

/** Returns the `doc_id` of a skill: its slug behind the prefix of its source. */
export function skillDocId(source: SkillSource, slug: string): string {
  return PREFIXES[source] + slug
}

/** Returns true for a first segment of a `doc_id` that is a source's, and is followed by the slug. */
export function isSourcePrefix(segment: string): boolean {
  return Object.values(PREFIXES).includes(`${segment}/`)
}

const SLUG = /^[a-z0-9][a-z0-9._-]{0,99}$/

export function isSlug(text: string): boolean {
  return SLUG.test(text)
}

/** Returns `sha256:` and the hex digest over description and content. */
export function skillContentHash({ description, content }: Pick<SkillTexts, 'description' | 'content'>): string {
  return `sha256:${createHash('sha256')
    .update(JSON.stringify([description, content]))
    .digest('hex')}`
}

/** The scan of a version that nobody has judged. */
export const PENDING_SCAN: SkillScan = {
  state: 'pending',
  scanned_at: null,
  critical: null,
  warn: null,
  info: null,
  findings: [],
  failure: null,
}
