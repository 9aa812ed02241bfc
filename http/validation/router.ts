import type { Route } from './routes.js'

export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly rawParams: Readonly<Record<string, string>> }
  | { readonly kind: 'method'; readonly allow: string }
  /** `because` says why, where more is known than that there is none. */
  | { readonly kind: 'none'; readonly because?: string }

interface PathItem {
  readonly expression: RegExp
  readonly literalLength: number
  /** Parameters that may contain slashes. */
  readonly slashed: number
  readonly names: readonly string[]
  readonly byMethod: Map<string, Target>
}

/** The route of a method of a path, and how its parameters are read. */
interface Target extends Pick<PathItem, 'expression' | 'names'> {
  readonly route: Route
}

/** Finds the route of a method and a raw path. Literal paths are looked up in a map; expressions are compiled once. */
export class Router {
  readonly #literal = new Map<string, PathItem>()
  readonly #templates: PathItem[] = []

  constructor(routes: readonly Route[]) {
    for (const path of new Set(routes.map((route) => trimSlash(route.path)))) {
      const item = pathItemOf(
        path,
        routes.filter((route) => trimSlash(route.path) === path),
      )
      if (item.names.length === 0) this.#literal.set(path, item)
      else this.#templates.push(item)
    }
    // A path with more literal text is the more specific one, and one within another's value before all: a skill may have a file `versions`.
    this.#templates.sort((a, b) => b.slashed - a.slashed || b.literalLength - a.literalLength)
    this.#reachLiterals()
  }

  /** Finds the route of a request. `path` is percent-encoded, with or without a trailing slash. HEAD matches where GET does. */
  match(method: string, path: string): Match {
    const trimmed = trimSlash(path)
    const wanted = method === 'HEAD' ? 'GET' : method
    const literal = this.#literal.get(trimmed)
    const items = literal ? [literal] : this.#templates.filter(({ expression }) => expression.test(trimmed))
    if (items.length === 0) return { kind: 'none' }
    // A value with slashes may look like a longer path: `/skills-inbox/agent/approve` is the skill `agent/approve`.
    const target = items.find(({ byMethod }) => byMethod.has(wanted))?.byMethod.get(wanted)
    if (!target) return { kind: 'method', allow: allowOf(items[0]!) }
    const { route, expression, names } = target
    const values = expression.exec(trimmed) ?? []
    return { kind: 'route', route, rawParams: Object.fromEntries(names.map((name, i) => [name, values[i + 1]!])) }
  }

  #reachLiterals(): void {
    for (const { expression, byMethod } of this.#templates)
      for (const [path, literal] of this.#literal)
        if (expression.test(path))
          for (const [method, target] of byMethod)
            if (target.route.reachesLiterals && !literal.byMethod.has(method)) literal.byMethod.set(method, target)
  }
}

function allowOf({ byMethod }: PathItem): string {
  return [...byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

function trimSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function pathItemOf(path: string, routes: readonly Route[]): PathItem {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!)
  const literals = path.split(/\{[^}]+\}/).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const slashed = names.filter((name) => routes.some(({ slashedParameters }) => slashedParameters.includes(name)))
  // Of several, the last takes what the others need not have.
  const values = names.map((name) => (!slashed.includes(name) ? '([^/]+)' : name === slashed.at(-1) ? '(.+)' : '(.+?)'))
  const expression = new RegExp(`^${literals.map((literal, i) => literal + (values[i] ?? '')).join('')}$`)
  const byMethod = new Map(routes.map((route) => [route.method, { route, expression, names }]))
  return { expression, literalLength: literals.join('').length, slashed: slashed.length, names, byMethod }
}
