import { slipsOf } from '../../runtime/near-word.js'
import type { Route } from './routes.js'

/** Bytes of a path beyond which nothing near it is looked for, nor shown. */
export const MAX_SHOWN_PATH = 100

/** Returns the method and the path of the route that a method and a raw path which are none come nearest to; null for none. */
export function nearRoute(routes: readonly Route[], method: string, path: string): string | null {
  if (path.length > MAX_SHOWN_PATH) return null
  const given = segmentsOf(path)
  const [nearest] = routes
    .map((route) => ({ route, faults: faultsOf(given, route, method) }))
    .filter(({ faults }) => faults < Infinity)
    .sort((a, b) => a.faults - b.faults)
  return nearest ? `${nearest.route.method} ${nearest.route.path}` : null
}

/** Counts slips; among routes with as many, one of the method comes first, and one without parameters. */
function faultsOf(given: readonly string[], route: Route, method: string): number {
  const segments = segmentsOf(route.path)
  if (segments.length !== given.length || segments.length === 0) return Infinity
  let faults = route.method === (method === 'HEAD' ? 'GET' : method) ? 0 : 0.5
  for (const [index, segment] of segments.entries())
    faults += segment.startsWith('{') ? 0.1 : slipsOf(singularOf(given[index]!), singularOf(segment))
  return faults
}

/** Splits a path without what stands before its resource, `/api` and a version. */
function segmentsOf(path: string): string[] {
  const segments = path.toLowerCase().split('/').filter(Boolean)
  const rest = segments[0] === 'api' ? segments.slice(1) : segments
  return /^v\d+$/.test(rest[0] ?? '') ? rest.slice(1) : rest
}

function singularOf(word: string): string {
  return word.replaceAll('_', '-').replace(/ies$/, 'y').replace(/s$/, '')
}
