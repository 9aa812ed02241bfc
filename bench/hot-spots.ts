import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { round } from './samples.js'

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  /** Microseconds between samples. */
  readonly timeDeltas: readonly number[]
}

interface HotSpot {
  readonly function: string
  readonly location: string
  /** Milliseconds in the function itself; `totalMs` includes all that it calls. */
  readonly selfMs: number
  readonly totalMs: number
}

/**
 * Returns the functions of the profiles in `directory` (node --cpu-prof) that took most time themselves, without the
 * first `skipMs`. On a shared machine time also passes in a function that waits for a core: compare the figures, do not
 * add them up.
 */
function readHotSpots(directory: string, skipMs: number): HotSpot[] {
  const spots = new Map<string, { function: string; location: string; selfMs: number; totalMs: number }>()
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.cpuprofile')))
    addProfile(spots, JSON.parse(readFileSync(join(directory, file), 'utf8')) as CpuProfile, skipMs)
  return [...spots.values()].sort((a, b) => b.selfMs - a.selfMs)
}

function addProfile(
  spots: Map<string, { function: string; location: string; selfMs: number; totalMs: number }>,
  profile: CpuProfile,
  skipMs: number,
) {
  const self = new Map<number, number>()
  let now = 0
  profile.samples.forEach((id, i) => {
    const ms = (profile.timeDeltas[i] ?? 0) / 1000
    now += ms
    if (now > skipMs) self.set(id, (self.get(id) ?? 0) + ms)
  })
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const isChild = new Set(profile.nodes.flatMap((node) => node.children ?? []))

  // A function that calls itself counts once in its total: for the outermost of its frames.
  const visit = (id: number, above: ReadonlySet<string>): number => {
    const node = nodes.get(id)!
    const { functionName, url, lineNumber } = node.callFrame
    const location = `${shortenUrl(url)}:${lineNumber + 1}`
    const key = `${functionName} ${location}`
    const own = self.get(id) ?? 0
    const below = above.has(key) ? above : new Set(above).add(key)
    const total = (node.children ?? []).reduce((sum, child) => sum + visit(child, below), own)
    const spot = spots.get(key) ?? { function: functionName || '(anonymous)', location, selfMs: 0, totalMs: 0 }
    spot.selfMs += own
    if (!above.has(key)) spot.totalMs += total
    spots.set(key, spot)
    return total
  }
  for (const node of profile.nodes) if (!isChild.has(node.id)) visit(node.id, new Set())
}

function shortenUrl(url: string): string {
  const [, dependency] = /^.*\/node_modules\/(.*)$/.exec(url) ?? []
  return dependency === undefined ? url.replace(/^.*\/dist\//, '') || 'node' : `npm:${dependency}`
}

/** Prints the hottest functions as tables, in microseconds for each of `requests`. */
export function printHotSpots(directory: string, requests: number, skipMs: number): void {
  const spots = readHotSpots(directory, skipMs)
  const perRequest = (ms: number) => round((ms * 1000) / requests, 1)
  const rows = (chosen: readonly HotSpot[]) =>
    chosen.map((spot) => ({
      function: spot.function,
      location: spot.location,
      'self µs': perRequest(spot.selfMs),
      'total µs': perRequest(spot.totalMs),
    }))
  console.log(`hot spots of ${requests} requests, by own time`)
  console.table(rows(spots.slice(0, 25)))
  console.log('and by total time, of the service')
  const own = spots.filter(({ location }) => !location.startsWith('npm:') && !location.startsWith('node'))
  console.table(rows([...own].sort((a, b) => b.totalMs - a.totalMs).slice(0, 30)))
}
