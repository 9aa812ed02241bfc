import type { TextLimits } from '../../domain/forge/distilled.js'
import type { Window } from '../../domain/forge/traces.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import type { ClaimedRun } from '../../store/forge/runs.js'
import type { JobContext } from '../context.js'
import type { PlannedSkill } from './plan-part.js'
import type { RunRecord } from './run-record.js'
import type { RunTime } from './run-time.js'
import type { RunModel } from './word-skill.js'

/** A run that has its turn in this worker. */
export interface RunWork {
  readonly context: JobContext
  readonly run: ClaimedRun
  readonly settings: Settings['skills_factory']
  readonly window: Window
  readonly limits: TextLimits
  readonly record: RunRecord
  readonly time: RunTime
  /** Null without a language model. */
  readonly model: RunModel | null
  /** Aborted when the process stops, or the run belongs to another worker. */
  readonly signal: AbortSignal
  /** Tells whoever looks how far the run is. */
  tell(phase: 'clustering' | 'writing', done: number, of: number): void
  /**
   * Stores the record and the skills that are to be written: a part is done, and another worker would go on behind it. Returns true when
   * the turn is over, because a run of another tenant waits; the run belongs to no worker then.
   */
  keep(chosen: readonly PlannedSkill[]): Promise<boolean>
  /** Does what `keep` does if a run of another tenant waits, else nothing: a skill is done, and its own transaction has stored it. */
  pass(chosen: readonly PlannedSkill[]): Promise<boolean>
}
