import { SCAN_VERSION } from '../../domain/scan/report.js'
import { enqueueOutdatedScans, type SkillPlace } from '../../store/skills/scan-rows.js'
import type { JobContext } from '../context.js'

const PAGE_SIZE = 500

/** Has active skills scanned again that older rules have judged: what the new ones refuse leaves service. */
export async function rescanSkills({ store }: JobContext, signal: AbortSignal): Promise<void> {
  let after: SkillPlace | null = null
  do {
    const from: SkillPlace | null = after
    after = await store.asSystem((system) => enqueueOutdatedScans(system, SCAN_VERSION, from, PAGE_SIZE))
  } while (after !== null && !signal.aborted)
}
