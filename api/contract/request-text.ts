import type { FieldError } from '../../runtime/errors.js'

/** Postgres' jsonb and JSON.stringify recurse: what is nested deeper would exhaust a stack somewhere. */
const DEEPEST_NESTING = 100

const UNSTORABLE = /[\0\p{Surrogate}]/u
const ESCAPED_UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F])/
const MOST_LISTED = 100

/**
 * What no column can hold, wherever it stands in a parsed body: U+0000 and lone surrogates, in values and keys; numbers too
 * large for JSON to give back; deeper nesting than `DEEPEST_NESTING`. `text` is the body as it came: valid UTF-8 holds such
 * characters only as escapes, so most bodies' strings are never searched. What stands under the field `apart` is checked for
 * depth alone, since each of its items is refused on its own.
 */
export function bodyFaults(body: unknown, text: string, apart: string | null): FieldError[] {
  return faultsOf(body, ['body'], { strings: ESCAPED_UNSTORABLE.test(text), numbers: true }, apart)
}

/** The same for one item that is refused on its own. */
export function itemFaults(item: unknown, loc: readonly string[]): FieldError[] {
  return faultsOf(item, [...loc], { strings: true, numbers: true }, null)
}

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text)
}

export const UNSTORABLE_FAULT = {
  type: 'string_unicode',
  msg: 'Holds U+0000 or half of a surrogate pair, which no text may.',
} as const

interface Checks {
  readonly strings: boolean
  readonly numbers: boolean
}

const DEPTH_ALONE: Checks = { strings: false, numbers: false }

function faultsOf(root: unknown, path: string[], checks: Checks, apart: string | null): FieldError[] {
  const faults: FieldError[] = []
  walk(root, checks)
  return faults

  function walk(value: unknown, at: Checks): void {
    if (typeof value === 'string') {
      if (at.strings && !isStorable(value)) add(UNSTORABLE_FAULT)
    } else if (typeof value === 'number') {
      if (at.numbers && !Number.isFinite(value)) add({ type: 'finite_number', msg: 'Is a number too large to keep.' })
    } else if (typeof value === 'object' && value !== null) {
      if (path.length > DEEPEST_NESTING)
        add({ type: 'too_deep', msg: `Is nested deeper than ${DEEPEST_NESTING} levels.` })
      else if (Array.isArray(value)) walkList(value, at)
      else walkObject(value as Record<string, unknown>, at)
    }
  }

  function walkList(list: readonly unknown[], at: Checks): void {
    for (let index = 0; index < list.length && faults.length < MOST_LISTED; index++) {
      path.push(String(index))
      walk(list[index], at)
      path.pop()
    }
  }

  function walkObject(object: Record<string, unknown>, at: Checks): void {
    for (const key of Object.keys(object)) {
      if (faults.length >= MOST_LISTED) return
      const below = path.length === 1 && key === apart ? DEPTH_ALONE : at
      path.push(key)
      if (at.strings && !isStorable(key)) add(UNSTORABLE_FAULT)
      else walk(object[key], below)
      path.pop()
    }
  }

  function add(fault: Pick<FieldError, 'type' | 'msg'>): void {
    faults.push({ loc: path.map((key) => key.replace(/[\0\p{Surrogate}]/gu, '\ufffd')), ...fault })
  }
}
