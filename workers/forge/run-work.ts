import type { TextLimits } from '../../domain/forge/distil.js'
import type { CandidateRecord, ForgeResult } from '../../domain/forge/run-record.js'
import type { Window } from '../../domain/forge/traces.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import type { ClaimedRun } from '../../store/forge/runs.js'
import type { JobContext } from '../context.js'
import type { RunRecord } from './run-record.js'
import type { RunModel } from './word-skill.js'

/** A run under way in this worker. */
export interface RunWork {
  readonly context: JobContext
  readonly run: ClaimedRun
  readonly settings: Settings['skills_factory']
  readonly window: Window
  readonly limits: TextLimits
  readonly record: RunRecord
  /** Null without a language model. */
  readonly model: RunModel | null
  /** Aborted when the process stops, or the run belongs to another worker. */
  readonly signal: AbortSignal
  /** Tells whoever looks how far the run is. */
  tell(phase: 'clustering' | 'writing', done: number, of: number): void
  /** Returns the run's result, with what is about to be done. */
  resultWith(candidate: CandidateRecord): ForgeResult
}
