/** Names the keys of a row that a model reads, as far as they say something. */
export interface LeanRow {
  readonly keys: readonly string[]
  /** Keys whose value is a row again. */
  readonly rows?: Readonly<Record<string, LeanRow>>
  /** Values that go without saying. */
  readonly usual?: Readonly<Record<string, unknown>>
}

/** Names the keys of an answer that a model reads: those of a row, or a page with the keys that it keeps as they are and those that hold rows. */
export type Lean = LeanRow | { readonly page: readonly string[]; readonly rows: Readonly<Record<string, LeanRow>> }

type Content = Readonly<Record<string, unknown>>

/** Returns what a model reads of an answer. */
export function leanContentOf(content: Content, lean: Lean): Content {
  if (!('page' in lean)) return leanRowOf(content, lean)
  const kept = Object.entries(content).filter(([key]) => lean.page.includes(key) || Object.hasOwn(lean.rows, key))
  return Object.fromEntries(
    kept.map(([key, value]) => {
      const row = lean.rows[key]
      return [key, row && Array.isArray(value) ? value.map((one) => leanRowOf(one as Content, row)) : value]
    }),
  )
}

/** Digits after the point of a score: it orders rows, and more of them are tokens that say nothing. */
const SCORE_DIGITS = 3

function leanRowOf(row: Content, { keys, rows = {}, usual = {} }: LeanRow): Content {
  const entries = keys
    .filter((key) => !saysNothing(row[key]) && row[key] !== usual[key])
    .map((key): [string, unknown] => {
      const value = row[key]
      const inner = rows[key]
      if (inner) return [key, leanRowOf(value as Content, inner)]
      return [key, key === 'score' ? Number((value as number).toFixed(SCORE_DIGITS)) : value]
    })
  return Object.fromEntries(entries)
}

/** Returns true for null, an absent value, and an empty object or list. */
function saysNothing(value: unknown): boolean {
  return value == null || (typeof value === 'object' && Object.keys(value).length === 0)
}
