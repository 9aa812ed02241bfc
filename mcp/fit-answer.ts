import { tokenBoundOf } from './token-count.js'

type Content = Readonly<Record<string, unknown>>

/** Most tokens of an answer. Claude Code refuses more than 25,000, by a tokenizer of its own. */
export const MOST_TOKENS = 20_000
/** The rest of it is for the notes on what was cut, and for what the tool adds. */
const MOST_CONTENT_TOKENS = 18_500
/** Most characters of the names of left-out rows in a note. */
const MOST_NAMES = 800

/** An answer within the bound, and how many of its rows it has; null where no row was left out. */
export interface FittedAnswer {
  readonly content: Content
  readonly kept: number | null
  /** Says what was cut, and by which rows to ask for. */
  readonly notes: readonly string[]
}

/** Returns an answer with the first of its rows that fit, or with its texts cut where not even one row does. */
export function fitAnswer(content: Content): FittedAnswer {
  if (fits(content)) return { content, kept: null, notes: [] }
  const list = longestListOf(content)
  const rows = list === null ? [] : (content[list] as readonly unknown[])
  const kept = Math.max(1, countOfFitting(rows, boundOf({ ...content, ...(list !== null && { [list]: [] }) })))
  if (list === null || kept >= rows.length) return { ...cutTexts(content), kept: null }
  const shorter = { ...content, [list]: rows.slice(0, kept) }
  const note = `${rows.length - kept} more of ${list} did not fit into the answer${namesOf(rows.slice(kept))}.`
  const { content: fitted, notes } = fits(shorter) ? { content: shorter, notes: [] } : cutTexts(shorter)
  return { content: fitted, kept, notes: [note, ...notes] }
}

function fits(content: Content): boolean {
  return boundOf(content) <= MOST_CONTENT_TOKENS
}

/** Returns a bound on the tokens of a value as JSON. No token has less than a byte, which spares small answers the count. */
function boundOf(value: unknown): number {
  const text = JSON.stringify(value)
  const bytes = Buffer.byteLength(text)
  return bytes <= MOST_CONTENT_TOKENS / 2 ? bytes : tokenBoundOf(text, MOST_CONTENT_TOKENS)
}

function longestListOf(content: Content): string | null {
  const lists = Object.entries(content).filter(([, value]) => Array.isArray(value) && value.length > 1)
  const sized = lists.map(([key, value]) => [key, JSON.stringify(value).length] as const)
  return sized.sort(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

function countOfFitting(rows: readonly unknown[], beside: number): number {
  let tokens = beside
  for (const [i, row] of rows.entries()) {
    // A comma stands between two rows.
    tokens += tokenBoundOf(JSON.stringify(row), MOST_CONTENT_TOKENS) + 1
    if (tokens > MOST_CONTENT_TOKENS) return i
  }
  return rows.length
}

/** Returns the names of the first rows for a note; of a bulk write, whose rows cannot be asked for, the places of all that failed. */
function namesOf(rows: readonly unknown[]): string {
  if (rows.every((row) => typeof (row as Content).index === 'number')) return failuresAmong(rows as readonly Content[])
  let length = 0
  const names = rows.map((row) => nameOf(row as Content) ?? '')
  const named = names.filter((name) => (length += name.length + 2) <= MOST_NAMES && name !== '')
  return named.length === 0 ? '' : `: ${named.join(', ')}${names.length > named.length ? ', …' : ''}`
}

function failuresAmong(rows: readonly Content[]): string {
  const ranges: [first: number, last: number][] = []
  for (const { index, status } of rows as readonly { readonly index: number; readonly status: unknown }[]) {
    if (status !== 'error') continue
    const range = ranges.at(-1)
    if (range?.[1] === index - 1) range[1] = index
    else ranges.push([index, index])
  }
  const places = ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
  return places.length === 0 ? ', and none of them failed' : `; those that failed have the index ${places.join(', ')}`
}

/** Returns what a row is asked for by. */
function nameOf({ id, collection, doc_id: docId }: Content): string | null {
  if (typeof id === 'string') return id
  if (typeof docId !== 'string') return null
  return typeof collection === 'string' ? `${collection}/${docId}` : docId
}

/** Shortest length that texts are cut to, before lists and objects are. */
const SHORTEST_TEXT = 200

/** Cuts all texts, keys of objects included, to the greatest length with which the content fits, and if none does, what is nested in it to the most entries. */
function cutTexts(content: Content): Pick<FittedAnswer, 'content' | 'notes'> {
  const length = greatest(SHORTEST_TEXT, longestTextOf(content), (most) => fits(clip(content, most, Infinity).content))
  if (length !== null) return noted(clip(content, length, Infinity))
  const entries = greatest(1, longestOf(content), (most) => fits(clip(content, SHORTEST_TEXT, most).content))
  return noted(clip(content, SHORTEST_TEXT, entries ?? 1))
}

/** Returns the greatest number between two for which `holds` is true, as it is for all smaller ones; null for none. */
function greatest(least: number, most: number, holds: (value: number) => boolean): number | null {
  if (!holds(least)) return null
  let [low, high] = [least, Math.max(least, most)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}

interface Clipped {
  readonly content: Content
  /** Where something was cut, and how. */
  readonly cuts: readonly Cut[]
}

interface Cut {
  readonly place: string
  readonly left: string
}

function clip(content: Content, mostCharacters: number, mostEntries: number): Clipped {
  const cuts: Cut[] = []
  const clipped = Object.entries(content).map(([key, value]) => [key, clipValue(value, key)])
  return { content: Object.fromEntries(clipped) as Content, cuts }

  function clipValue(value: unknown, path: string): unknown {
    if (typeof value === 'string') return clipText(value, path)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value)
    if (entries.length > mostEntries) cuts.push({ place: path, left: `${mostEntries} of ${entries.length} entries` })
    const kept = entries
      .slice(0, mostEntries)
      .map(([key, one]): [string, unknown] => [clipText(key, `a key of ${path}`), clipValue(one, `${path}.${key}`)])
    return Array.isArray(value) ? kept.map(([, one]) => one) : Object.fromEntries(kept)
  }

  function clipText(text: string, path: string): string {
    if (text.length <= mostCharacters) return text
    cuts.push({ place: path, left: `${mostCharacters} of ${text.length} characters` })
    // Half of a surrogate pair is no character.
    return `${text.slice(0, mostCharacters).replace(/[\ud800-\udbff]$/, '')}…`
  }
}

/** Cuts that a note names, and most characters of the place of each. */
const MOST_CUTS = 5
const MOST_PLACE = 60

function noted({ content, cuts }: Clipped): Pick<FittedAnswer, 'content' | 'notes'> {
  const named = cuts.slice(0, MOST_CUTS).map(({ place, left }) => `${shownPlace(place)} (${left})`)
  const more = cuts.length > named.length ? `, and ${cuts.length - named.length} more` : ''
  return { content, notes: [`Cut to fit into an answer: ${named.join(', ')}${more}. The whole is in REST's answer.`] }
}

function shownPlace(place: string): string {
  return place.length > MOST_PLACE ? `${place.slice(0, MOST_PLACE)}…` : place
}

function longestTextOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return maximum(Object.entries(value).map(([key, one]) => Math.max(key.length, longestTextOf(one))))
}

function longestOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const values = Object.values(value)
  return Math.max(values.length, maximum(values.map(longestOf)))
}

function maximum(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}
