/** Actions of functions and their objects: as in a function's name, and in the words of somebody who has not seen the name. */
export interface Word {
  readonly name: string
  readonly said: string
}

export const VERBS: readonly Word[] = [
  { name: 'reconcile', said: 'squares up' },
  { name: 'hydrate', said: 'fills in' },
  { name: 'dedupe', said: 'throws out repeated' },
  { name: 'redact', said: 'blacks out parts of' },
  { name: 'merge', said: 'joins' },
  { name: 'resolve', said: 'looks up' },
  { name: 'prune', said: 'thins out' },
  { name: 'quote', said: 'puts a price on' },
  { name: 'flush', said: 'writes out' },
  { name: 'decode', said: 'reads the raw form of' },
]

export const NOUNS: readonly Word[] = [
  { name: 'payout', said: 'transfers to merchants' },
  { name: 'cart', said: 'shopping baskets' },
  { name: 'session', said: 'logins' },
  { name: 'ledger entry', said: 'bookings' },
  { name: 'webhook', said: 'callbacks' },
  { name: 'invoice line', said: 'rows of a bill' },
  { name: 'coupon', said: 'vouchers' },
  { name: 'stock level', said: 'counts of what is on the shelf' },
  { name: 'exchange rate', said: 'currency prices' },
  { name: 'parcel', said: 'shipments' },
  { name: 'profile', said: 'user records' },
  { name: 'manifest', said: 'packing lists' },
]

/** A problem of a function, and how one asks for it: in its words, or by its consequences. */
export interface Finding {
  readonly noted: string
  readonly asked: readonly string[]
}

export const FINDINGS: readonly Finding[] = [
  {
    noted: '`{fn}` in `{file}` catches the rejection and [returns an empty list].',
    asked: ['hides rejections', 'swallows errors so that nobody notices'],
  },
  {
    noted: 'Calling `{fn}` twice [adds the amount again]; nothing is checked first (`{file}`).',
    asked: ['must not be called twice', 'is unsafe to repeat'],
  },
  {
    noted: '`{fn}` (`{file}`) [keeps the row lock while it asks the provider].',
    asked: ['holds row locks too long', 'makes everyone else wait during network traffic'],
  },
  {
    noted: '`{fn}` [cuts off after 255 characters], see `{file}`.',
    asked: ['cuts texts off', 'loses the tail of something long'],
  },
  {
    noted: '`{fn}` in `{file}` [reads the whole table into memory].',
    asked: ['needs too much memory', 'dies with our largest customers'],
  },
  {
    noted: '`{fn}` [sorts the array that it was given] in place (`{file}`).',
    asked: ['modifies arrays in place', 'has a side effect on its input'],
  },
  {
    noted: "`{file}`: `{fn}` takes [midnight of the server's zone].",
    asked: ['uses the wrong time zone', 'gets the day wrong for users far away'],
  },
  {
    noted: '`{fn}` [tries again on 422], which can never succeed (`{file}`).',
    asked: ['tries again for nothing', 'insists on hopeless requests'],
  },
  {
    noted: '`{fn}` in `{file}` [never removes its abort listener].',
    asked: ['leaves listeners behind', 'leaks a little with each call'],
  },
  {
    noted: '`{fn}` [adds cents as floats], `{file}`.',
    asked: ['calculates with floats', 'is off by tiny sums'],
  },
  {
    noted: '`{fn}` (`{file}`) [reads, then writes, without a version check].',
    asked: ['writes without looking at the version', 'lets simultaneous edits overwrite one another'],
  },
  {
    noted: '`{fn}` [relies on the key order of a map]; `{file}`.',
    asked: ['relies on the order of keys', 'depends on luck for its sequence'],
  },
  {
    noted: '`{fn}` in `{file}` [sends one query for each row].',
    asked: ['sends too many queries', 'hammers the database in a loop'],
  },
  {
    noted: '`{fn}` [logs the authorisation header] (`{file}`).',
    asked: ['logs headers', 'gives credentials away'],
  },
  {
    noted: '`{file}`: `{fn}` [falls back to US dollars] when the field is missing.',
    asked: ['assumes dollars', 'believes that everyone is American'],
  },
  {
    noted: '`{fn}` [compiles its pattern on every call], `{file}`.',
    asked: ['compiles patterns needlessly', 'redoes the same preparation each time'],
  },
]

/** Errors with their location, as pasted from a terminal. */
export const TRACES: readonly { readonly error: string; readonly typed: string }[] = [
  {
    error: "TypeError: Cannot read properties of undefined (reading 'currency')",
    typed: "cannot read 'currency' of undefined",
  },
  { error: 'RangeError: Invalid time value', typed: 'the invalid time value exception' },
  { error: 'error: deadlock detected (40P01)', typed: 'the 40P01 error' },
  { error: 'SyntaxError: Unexpected token < in JSON at position 0', typed: 'HTML where JSON was expected' },
  { error: 'Error: write EPIPE', typed: 'a broken pipe' },
  { error: 'RangeError: Maximum call stack size exceeded', typed: 'a stack overflow' },
  { error: 'error: duplicate key value violates unique constraint', typed: 'a row that already exists' },
  { error: 'Error: Timeout of 30000ms exceeded', typed: 'something that takes more than half a minute' },
]

export const FOLLOW_UPS = [
  'Wrote a failing case for it, {dozens} lines, waits for review by {someone}.',
  'Same pattern in {few} other places, list in note {thousands}.',
  '{someone} says it was on purpose; comment {thousands}.',
] as const
