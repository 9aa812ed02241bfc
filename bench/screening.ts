import { type ScreenedFields, screenInSteps, screenPersonalData } from '../domain/personal-data/screen.js'
import { Slices } from '../runtime/slices.js'
import { createTaskThread } from '../runtime/threads/task-thread.js'
import { summarize } from './samples.js'
import type { ScreeningTasks } from './screening-thread.js'

type Fields = Partial<ScreenedFields>
type Screen = (fields: Fields) => Promise<unknown>

const LARGE = 256 * 1024
const MEMORY: Fields = {
  content:
    'The nightly export of billing failed twice, since the pump service was restarted; Ana raised its timeout on Tuesday.',
}
const LARGE_ONES: Readonly<Record<string, Fields>> = {
  '256 KiB of short strings': { data: { list: Array.from({ length: LARGE / 12 }, (_, i) => `word${i % 1_000}`) } },
  '256 KiB of keys': { data: Object.fromEntries(Array.from({ length: LARGE / 14 }, (_, i) => [`key${i}`, 1])) },
  '256 KiB of `[]`': { data: { list: Array.from({ length: LARGE / 3 }, () => []) } },
  'one text of 256 KiB with numbers': {
    content: Array.from({ length: LARGE / 17 }, (_, i) => 4_111_111_111_110_000 + 7 * i).join(' '),
  },
}

/**
 * Measures the screening for personal data in one go, in slices and in a thread: the milliseconds of a memory, of large bodies (and for how long the
 * event loop is blocked in one go), and of a neighbour's memory while a large body is screened.
 */
export async function benchScreening(): Promise<void> {
  const thread = createTaskThread<ScreeningTasks>({
    file: new URL('./screening-thread', import.meta.url),
    workerData: null,
  })
  const ways: Readonly<Record<string, Screen>> = {
    'in one go': async (fields) => screenPersonalData(fields, 'flag'),
    'in slices': (fields) => new Slices().run(screenInSteps(fields, 'flag')),
    'in a thread': (fields) => thread.run('screen', [fields, 'flag', null]),
  }
  const table: Record<string, Record<string, string>> = {}
  for (const [way, screen] of Object.entries(ways)) {
    const note = (row: string, figure: string) => ((table[row] ??= {})[way] = figure)
    for (let i = 0; i < 500; i++) await screen(MEMORY)
    note('a memory', shown(p50Of(await timesOf(screen, MEMORY, 4_000))))
    note('eight memories at once', shown(p50Of(await eightTimes(screen, MEMORY, 4_000))))
    for (const [name, fields] of Object.entries(LARGE_ONES)) {
      await screen(fields)
      const times = await timesOf(screen, fields, 7)
      note(name, `${shown(p50Of(times))} (${shown(await longestBlock(screen, fields))})`)
    }
    note("a neighbour's memory beside them", shown(p50Of(await besideLargeOnes(screen))))
  }
  console.log('screening for personal data, p50 in ms (the event loop is blocked in one go)')
  console.table(table)
  await thread.terminate()
}

async function timesOf(screen: Screen, fields: Fields, times: number): Promise<number[]> {
  const taken: number[] = []
  for (let i = 0; i < times; i++) taken.push(await timeOf(screen, fields))
  return taken
}

async function timeOf(screen: Screen, fields: Fields): Promise<number> {
  const start = performance.now()
  await screen(fields)
  return performance.now() - start
}

async function eightTimes(screen: Screen, fields: Fields, times: number): Promise<number[]> {
  const each = await Promise.all(Array.from({ length: 8 }, () => timesOf(screen, fields, times / 8)))
  return each.flat()
}

/** Returns the longest turn of the event loop while the fields are screened. */
async function longestBlock(screen: Screen, fields: Fields): Promise<number> {
  let [last, longest, isOver] = [performance.now(), 0, false]
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  await new Promise((resolve) => setImmediate(resolve))
  setImmediate(turn)
  await screen(fields)
  await new Promise((resolve) => setImmediate(resolve))
  isOver = true
  return longest
}

async function besideLargeOnes(screen: Screen): Promise<number[]> {
  const waits: number[] = []
  for (const fields of Object.values(LARGE_ONES)) {
    let isOver = false
    const large = screen(fields).then(() => (isOver = true))
    while (!isOver) {
      waits.push(await timeOf(screen, MEMORY))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await large
  }
  return waits
}

function p50Of(times: readonly number[]): number {
  return summarize(times).p50
}

function shown(ms: number): string {
  return ms < 1 ? ms.toFixed(3) : ms.toFixed(1)
}
