import { DAY_MS } from '../text/time-reference.js'
import type { Settings } from '../settings/settings.gen.js'
import type { GateResult, ScanState, SkillOrigin, SkillTarget } from './skill.js'

/** Facts that the gates look at. A figure that is missing or unreadable blocks. */
export interface GateFacts {
  readonly origin: SkillOrigin | null
  readonly scanState: ScanState
  /** Why the fingerprint is in the poison table; null when it is not. */
  readonly poisonedBy: { readonly docId: string; readonly until: Date } | null
  readonly target: SkillTarget | null
  /** Hash of the version that the target serves now; null when there is none. */
  readonly targetContentHash: string | null
  readonly kind: 'create' | 'update'
}

type ForgeSettings = Settings['skills_factory']['forge']

/** Names of the six gates, in the order in which they are shown. */
export const GATES = ['volume', 'diversity', 'freshness', 'poison', 'scan', 'hash_binding'] as const
type Gate = (typeof GATES)[number]

/** Returns the result of every gate for a candidate at `now`, in Unix milliseconds. */
export function gateResults(facts: GateFacts, settings: ForgeSettings, now: number): GateResult[] {
  const judged: Record<Gate, string | null> = {
    volume: shortOf(facts.origin?.cluster_size, settings.min_cluster_size, 'runs'),
    diversity:
      shortOf(facts.origin?.distinct_agents, settings.min_distinct_agents, 'agents') ??
      (facts.origin?.distinct_credentials === undefined
        ? null
        : shortOf(facts.origin.distinct_credentials, settings.min_distinct_agents, 'credentials')),
    freshness: freshnessFault(facts.origin, settings.freshness_window_days, now),
    poison:
      facts.poisonedBy &&
      `${facts.poisonedBy.docId} was rejected; its cool-off ends at ${facts.poisonedBy.until.toISOString()}`,
    scan: scanFault(facts.scanState),
    hash_binding: bindingFault(facts),
  }
  const passes: Record<Gate, string> = {
    volume: `${facts.origin?.cluster_size} runs`,
    diversity: diversityOf(facts.origin),
    freshness: `all evidence is of the last ${settings.freshness_window_days} days`,
    poison: 'nothing like it was rejected',
    scan: 'the scan is clean',
    hash_binding: facts.kind === 'update' ? 'the target is as the candidate saw it' : 'it replaces nothing',
  }
  return GATES.map((name) => ({ name, passed: judged[name] === null, reason: judged[name] ?? passes[name] }))
}

function diversityOf(origin: SkillOrigin | null): string {
  const agents = `${origin?.distinct_agents} agents`
  return origin?.distinct_credentials == null ? agents : `${agents}, ${origin.distinct_credentials} credentials`
}

/** Returns whether all six gates passed: fewer results are no pass. */
export function passesAll(results: readonly GateResult[]): boolean {
  return GATES.every((name) => results.some((result) => result.name === name && result.passed))
}

/** Returns whether every gate passed but that of the scan. */
export function passesButScan(results: readonly GateResult[]): boolean {
  return passesAll(results.map((result) => (result.name === 'scan' ? { ...result, passed: true } : result)))
}

function scanFault(state: ScanState): string | null {
  if (state === 'clean') return null
  return state === 'flagged' ? 'the scan flagged it: a reviewer decides' : `the scan's state is ${state}`
}

function shortOf(count: number | null | undefined, least: number, what: string): string | null {
  if (!Number.isSafeInteger(count)) return `the number of ${what} is not known`
  return count! >= least ? null : `${count} ${what}, ${least} are needed`
}

function freshnessFault(origin: SkillOrigin | null, days: number, now: number): string | null {
  const start = Date.parse(origin?.window_start ?? '')
  const end = Date.parse(origin?.window_end ?? '')
  if (Number.isNaN(start) || Number.isNaN(end) || start > end) return 'the times of the evidence are not known'
  if (end > now) return 'some evidence has a time in the future'
  return start >= now - days * DAY_MS ? null : `the oldest evidence is older than ${days} days`
}

function bindingFault({ kind, target, targetContentHash }: GateFacts): string | null {
  if (kind === 'create') return null
  if (!target) return 'the revision names no target'
  return target.target_content_hash === targetContentHash ? null : 'the target has changed since'
}
