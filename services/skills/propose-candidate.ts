import { v7 as uuidv7 } from 'uuid'
import { screenInSteps } from '../../domain/personal-data/screen.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import {
  skillContentHash,
  skillDocId,
  type SkillOrigin,
  type SkillTarget,
  type SkillTexts,
  type SkillVersion,
} from '../../domain/skills/skill.js'
import type { Sketch } from '../../domain/forge/fingerprint.js'
import { Slices } from '../../runtime/slices.js'
import { addSources, lockCited } from '../../store/skills/cites.js'
import { findPoison } from '../../store/skills/poison.js'
import { findWaitingCandidate, type LockedSkill, lockSkill } from '../../store/skills/read-skills.js'
import { insertSkill, insertVersion, type NewVersion } from '../../store/skills/write-skills.js'
import type { Writer } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import { folderOf } from '../../domain/skills/skill-files.js'
import { isSameJson } from '../same-json.js'
import { passGates } from './settle-scan.js'
import { keptFrontMatter } from './written-folder.js'

/** A skill as the Forge found it. */
export interface Candidate extends SkillTexts {
  readonly fleetId: string | null
  readonly fingerprint: string
  readonly sketch: Sketch
  /** Ids of the memories behind its steps and lessons. */
  readonly cites: readonly string[]
  /** Ids of memories that other words of it are taken from. */
  readonly sources: readonly string[]
  readonly origin: SkillOrigin
  readonly evidence: Readonly<Record<string, unknown>>
  /** The active version that it revises; null for a new skill. */
  readonly target: SkillTarget | null
}

export interface CandidateOutcome {
  readonly kind: 'created' | 'refreshed' | 'unchanged' | 'held'
  /** Null when it is held and there is no skill for it. */
  readonly docId: string | null
  /** Why it is held or its version waits; null for none. */
  readonly reason: string | null
}

interface ProposeOptions {
  readonly at: Date
  readonly settings: Settings['skills_factory']
}

/**
 * Stores a candidate as a version that waits for its scan, or refreshes the waiting one of the same work; says why it
 * holds it where the work was rejected, a name is taken or a revision waits. The same candidate again changes nothing
 * but the results of its gates.
 */
export async function proposeCandidate(
  writer: Writer,
  found: Candidate,
  options: ProposeOptions,
): Promise<CandidateOutcome> {
  const screened = await screenCandidate(writer, found)
  if (!screened) return held(null, 'it holds personal data or secrets, which this tenant refuses')
  const { candidate, metadata } = screened
  if ((await lockCited(writer, candidate.cites)) < candidate.cites.length)
    return held(null, 'some of its evidence was deleted meanwhile')
  const known = await findWaitingCandidate(writer, candidate)
  const docId = known ?? candidate.target?.doc_id ?? skillDocId('forge', candidate.slug)
  const skill = await lockSkill(writer, docId)
  const work = { ...candidate, source: 'forge', authorAgentId: null } as const
  const poison = await findPoison(writer, work, options.at, skill?.active ?? null)
  if (poison)
    return held(
      poison.docId,
      `${poison.docId}, the same work, was rejected; its cool-off ends at ${poison.until.toISOString()}`,
    )
  const obstacle = obstacleOf(candidate, docId, skill, known !== null)
  if (obstacle !== null) return held(docId, obstacle)
  const { waiting = null } = skill ?? {}
  if (skill && waiting && saysTheSame(waiting, candidate)) return refreshGates(writer, skill, waiting, options)
  if (waiting && waiting.status !== 'candidate')
    return { kind: 'unchanged', docId, reason: 'a reviewer has it; new evidence waits for the decision' }
  const unnumbered = { ...versionOf(candidate, skill, docId, options.at), systemMetadata: metadata }
  const lastVersion = skill ? skill.lastVersion : await insertSkill(writer, unnumbered)
  if (lastVersion === null) return held(docId, 'another skill of this name was just written')
  const version = { ...unnumbered, version: lastVersion + 1 }
  await insertVersion(writer, version, { replaced: waiting })
  await addSources(writer, version.skillId, candidate.sources)
  return { kind: waiting ? 'refreshed' : 'created', docId, reason: null }
}

/**
 * Applies the tenant's policy on personal data to the words of a candidate, which memories may hold that were stored
 * under another one. Returns null when the policy refuses them.
 */
async function screenCandidate(
  writer: Writer,
  candidate: Candidate,
): Promise<{ candidate: Candidate; metadata: SkillVersion['systemMetadata'] } | null> {
  const { slug, name, description, summary, content, domain, goal, tags, evidence } = candidate
  const { memory } = await readSettings(writer)
  const data = { name, description, summary, content, domain, goal, tags, steps: evidence.steps ?? null }
  const { fields, faults, pii } = await new Slices().run(screenInSteps({ docId: slug, data }, memory.pii_policy))
  if (faults.length > 0) return null
  const { steps, ...texts } = fields.data
  return {
    candidate: { ...candidate, ...texts, evidence: steps === null ? evidence : { ...evidence, steps } },
    metadata: pii === null ? {} : { pii },
  }
}

function held(docId: string | null, reason: string): CandidateOutcome {
  return { kind: 'held', docId, reason }
}

/** Returns why a candidate cannot take this place; null when it can. */
function obstacleOf({ target }: Candidate, docId: string, skill: LockedSkill | null, isKnown: boolean): string | null {
  if (target && skill?.active?.contentHash !== target.target_content_hash) return 'its target has changed'
  if (!skill || isKnown) return null
  if (skill.waiting) return `another version of ${docId} waits`
  if (!target && skill.active) return `${docId} is another skill`
  return null
}

function saysTheSame(waiting: SkillVersion, candidate: Candidate): boolean {
  const { contentHash, origin, evidence, cites, fingerprint } = waiting
  return (
    contentHash === skillContentHash(candidate) &&
    fingerprint === candidate.fingerprint &&
    isSameJson([...cites].sort(), [...candidate.cites].sort()) &&
    isSameJson(origin, candidate.origin) &&
    isSameJson(evidence, candidate.evidence)
  )
}

/** Judges an unchanged candidate that was scanned by the gates once more: settings, the time and the poison table may have changed. */
async function refreshGates(
  writer: Writer,
  skill: LockedSkill,
  waiting: SkillVersion,
  { at, settings }: ProposeOptions,
): Promise<CandidateOutcome> {
  const { docId } = waiting
  if (waiting.status !== 'candidate' || !['clean', 'flagged'].includes(waiting.scan.state))
    return { kind: 'unchanged', docId, reason: null }
  const { status, gates } = await passGates(writer, skill, waiting, { settings, at })
  const failed = gates.filter(({ passed }) => !passed).map(({ name, reason }) => `${name}: ${reason}`)
  return { kind: status === 'candidate' ? 'unchanged' : 'refreshed', docId, reason: failed.join('; ') || null }
}

function versionOf(
  candidate: Candidate,
  skill: LockedSkill | null,
  docId: string,
  at: Date,
): Omit<NewVersion, 'systemMetadata' | 'version'> {
  const revised = candidate.target ? (skill?.active ?? null) : null
  return {
    ...candidate,
    // So do the files of what somebody wrote.
    ...folderOf(keptFrontMatter(revised, candidate, []), revised?.files ?? []),
    // A revision keeps the name of the skill that it revises.
    slug: skill?.slug ?? candidate.slug,
    skillId: skill?.id ?? uuidv7({ msecs: at.getTime() }),
    docId,
    status: 'candidate',
    source: 'forge',
    kind: candidate.target ? 'update' : 'create',
    contentHash: skillContentHash(candidate),
    overruled: null,
    reason: null,
    authorAgentId: null,
    authorKeyId: null,
    createdAt: at,
  }
}
