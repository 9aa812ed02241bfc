import { setTimeout as sleep } from 'node:timers/promises'
import { SCAN_VERSION, type ScanReport } from '../../../domain/scan/report.js'
import type { ScannableSkill } from '../../../domain/scan/skill.js'
import { serveTasks } from '../../../runtime/threads/serve-tasks.js'
import type { ScanTasks } from '../../../services/skills/scan-thread.js'
import { spin } from '../../support/spin.js'

const CLEAN: ScanReport = {
  version: SCAN_VERSION,
  verdict: 'clean',
  counts: { critical: 0, warn: 0, info: 0 },
  findings: [],
}

let loaded: Promise<void> | undefined

let scans = 0

/** Takes longer than a scan in the tests may have the processor. */
function load(): Promise<void> {
  return (loaded ??= sleep(700))
}

/** Does what the skill's goal says. */
async function scan({ goal, content }: ScannableSkill): Promise<ScanReport> {
  await load()
  scans++
  if (goal === 'hang') for (;;);
  if (goal === 'spin') spin(600)
  if (goal === 'starve') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  if (goal === 'count scans') return { ...CLEAN, counts: { ...CLEAN.counts, info: scans } }
  if (goal === 'throw') throw new RangeError(`cannot read ${content}`)
  if (goal === 'exit') process.exit(3)
  if (goal === 'crash') await crash(new TypeError(`a bug in ${content}`))
  return CLEAN
}

function crash(error: Error): Promise<never> {
  return new Promise(() =>
    setImmediate(() => {
      throw error
    }),
  )
}

serveTasks({ load, scan } satisfies Record<keyof ScanTasks, unknown>)
