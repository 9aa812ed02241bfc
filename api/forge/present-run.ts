import {
  CANDIDATE_OUTCOMES,
  type CandidateOutcome,
  type ModelRecord,
  type RunModelUse,
} from '../../domain/forge/run-record.js'
import type { components } from '../../contract/types.js'
import type { ForgeRun } from '../../store/forge/runs.js'

type Summary = components['schemas']['ForgeRunSummary']
type Run = components['schemas']['ForgeRun']

const NO_OUTCOMES = Object.fromEntries(CANDIDATE_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
  CandidateOutcome,
  number
>

/** Returns a run as a list shows it. */
export function presentRunSummary(run: ForgeRun): Summary {
  const { parts = [], outcomes, unlisted, model } = run.result
  const { phase, done, of } = run.progress
  return {
    run_id: run.runId,
    tenant_id: run.tenantId,
    state: run.state,
    trigger: run.trigger,
    slot: run.slot?.toISOString() ?? null,
    dry_run: run.dryRun,
    requested_at: run.requestedAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
    attempts: run.attempts,
    progress: run.state === 'running' && phase ? { phase, done: done ?? 0, of: of ?? 0 } : null,
    error: run.error,
    traces: parts.reduce((sum, { traces }) => sum + traces, 0),
    clusters: parts.reduce((sum, { clusters }) => sum + clusters, 0),
    outcomes: { ...NO_OUTCOMES, ...outcomes },
    unlisted: unlisted ?? 0,
    model: model ? presentModel(model) : null,
  }
}

function presentModel({ outages: _, ...use }: ModelRecord): RunModelUse {
  return use
}

/** Returns a run with its parts and candidates. */
export function presentRun(run: ForgeRun): Run {
  const { parts = [], candidates = [] } = run.result
  return {
    ...presentRunSummary(run),
    parts: parts.map((part) => ({ ...part, unfit: [...part.unfit] })),
    candidates: [...candidates],
  }
}
