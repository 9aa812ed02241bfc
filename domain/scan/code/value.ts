import type { Func } from './expression.js'
import { issuerOf } from '../rules/hosts.js'
import { LABEL, SECRET_NAME } from './vocabulary.js'

/** A value, as far as it is known. */
export interface Value {
  /** A set of `LABEL`. */
  readonly labels: number
  /** Constants that it can be. */
  readonly texts: readonly string[]
  /** Tells how it is reached: `os.environ`, `requests.Session()`; '' for what has no name. */
  readonly path: string
  readonly functions: readonly Func[]
  /** Names of secrets in it. */
  readonly secrets: readonly string[]
}

export const NOTHING: Value = { labels: 0, texts: [], path: '', functions: [], secrets: [] }
const MOST_TEXTS = 24
export const LONGEST_TEXT = 4_000
const MOST_FUNCTIONS = 8
const MOST_SECRETS = 8

/** Returns the value of a constant. */
export function constant(text: string): Value {
  return text.length > LONGEST_TEXT
    ? { ...NOTHING, texts: [text.slice(0, LONGEST_TEXT)], labels: LABEL.cut }
    : { ...NOTHING, texts: [text] }
}

/** Returns what may be any of some values. */
export function merged(values: readonly Value[], path = ''): Value {
  if (values.length === 1) return path === '' ? values[0]! : { ...values[0]!, path }
  let labels = 0
  const functions: Func[] = []
  for (const value of values) {
    labels |= value.labels
    for (const func of value.functions)
      if (functions.length < MOST_FUNCTIONS && !functions.includes(func)) functions.push(func)
  }
  const texts = new Set(values.flatMap((value) => value.texts))
  return {
    labels: texts.size > MOST_TEXTS ? labels | LABEL.cut : labels,
    texts: [...texts].slice(0, MOST_TEXTS),
    path: path || (values.find((value) => value.path !== '')?.path ?? ''),
    functions,
    secrets: [...new Set(values.flatMap(({ secrets }) => secrets))].slice(0, MOST_SECRETS),
  }
}

/**
 * Returns a text made of values, one after another. What begins with a constant is chosen by the program, wherever the rest comes from: it
 * is what is put into it that came from the network.
 */
export function joined(values: readonly Value[]): Value {
  const all = merged(values)
  const isAnchored = (values[0]?.texts.length ?? 0) > 0 && values[0]!.texts.every((text) => /\S{2}/.test(text))
  const made = productOf(
    values.map(({ texts }) => texts),
    '',
  )
  let { labels } = all
  if (isAnchored && labels & LABEL.remote) labels = (labels & ~LABEL.remote) | LABEL.inserted
  if (made.isCut) labels |= LABEL.cut
  return { ...all, path: '', functions: [], texts: values.length === 0 ? [''] : made.texts, labels }
}

/** Returns the texts that parts make, one after another; a part that is not known is left out. `isCut` tells that there are more. */
export function productOf(
  parts: readonly (readonly string[])[],
  separator: string,
): { readonly texts: string[]; readonly isCut: boolean } {
  let made = ['']
  let isCut = false
  for (const texts of parts) {
    if (texts.length === 0) continue
    const all = made.flatMap((before) => texts.map((text) => (before === '' ? text : before + separator + text)))
    made = all.filter((text) => text.length <= LONGEST_TEXT).slice(0, MOST_TEXTS)
    isCut ||= made.length < all.length
  }
  return { texts: made.length === 1 && made[0] === '' ? [] : made, isCut }
}

/** Returns the value of variables of the environment by their names. */
export function variablesNamed({ texts }: Value): Value {
  const secrets = texts.filter((text) => SECRET_NAME.test(text))
  if (texts.some((text) => /^(?:HOME|USERPROFILE)$/.test(text))) return { ...NOTHING, texts: ['~'] }
  if (secrets.length === 0) return NOTHING
  const isMany = new Set(secrets.map(issuerOf)).size > 2
  return { ...NOTHING, labels: isMany ? LABEL.environment : LABEL.secret, secrets: secrets.slice(0, MOST_SECRETS) }
}
