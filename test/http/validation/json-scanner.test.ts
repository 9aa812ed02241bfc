import { expect } from 'chai'
import fc from 'fast-check'
import { runToEnd } from '../../../domain/yielding.js'
import { type JsonScan, JsonScanner, type ScanRules } from '../../../http/validation/json-scanner.js'
import { MAX_BYTES, MAX_VALUES } from '../../../http/validation/scan-unit.js'

const FIELDS = new Map([['data', { maxBytes: 100, exactNumbers: true }]])
const RULES: ScanRules = { fields: FIELDS, mostBytes: MAX_BYTES, list: { name: 'items', most: 5, fields: FIELDS } }

function scan(text: string | Buffer): JsonScan | null {
  return runToEnd(new JsonScanner(Buffer.from(text as string), RULES).scan())
}

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

function slice(text: string, { start, end }: { start: number; end: number }): unknown {
  return JSON.parse(Buffer.from(text).toString('utf8', start, end))
}

function faultsOf(text: string): string[] {
  const { body, list } = scan(text)!
  return [body, ...(list?.items ?? [])].flatMap(({ faults }) =>
    faults.map(({ loc, type }) => `${loc.join('.')} ${type}`),
  )
}

/** Arbitrary JSON: any escapes, any white space, repeated names, and special names. */
const space = fc.stringMatching(/^[ \n\r\t]{0,3}$/)
const character = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 3 }).map((text) => JSON.stringify(text).slice(1, -1)) },
  fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.integer({ min: 0, max: 0xffff }).map((code) => `\\u${code.toString(16).padStart(4, '0')}`),
  fc.constantFrom('\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '{', '}', '[', ']', ',', ':', '/*', '//'),
)
const string = fc.array(character, { maxLength: 4 }).map((parts) => `"${parts.join('')}"`)
const name = fc.oneof(
  string,
  fc.constantFrom(
    '"items"',
    '"\\u0069tems"',
    '"it\\u0065ms"',
    '"__proto__"',
    '"data"',
    '"d\\u0061ta"',
    '""',
    '"constructor"',
  ),
)
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? '-0' : String(value))),
  fc.constantFrom('-0', '0.0', '1E+2', '1e-400', '1e400', '9007199254740993', '12345678901234567890.0'),
)
const { json } = fc.letrec<{ json: string; list: string; object: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(string, number, fc.constantFrom('true', 'false', 'null')),
    tie('list'),
    tie('object'),
  ),
  list: fc
    .array(fc.tuple(space, tie('json'), space), { maxLength: 4 })
    .chain((items) =>
      space.map((inner) => (items.length > 0 ? `[${items.map((parts) => parts.join('')).join(',')}]` : `[${inner}]`)),
    ),
  object: fc
    .array(fc.tuple(space, name, space, fc.constant(':'), space, tie('json'), space), { maxLength: 4 })
    .map((fields) => `{${fields.map((parts) => parts.join('')).join(',')}}`),
}))
/** A body, which has a list of items more often than not. */
const body = fc.oneof(
  json,
  fc
    .tuple(space, fc.array(fc.tuple(name, json), { maxLength: 2 }), fc.array(json, { maxLength: 7 }), space)
    .map(([gap, fields, items, more]) => {
      const members = [
        ...fields.map(([key, value]) => `${key}${gap}:${value}`),
        `${gap}"items":${more}[${items.join(`${more},`)}${gap}]`,
      ]
      return `${gap}{${members.join(',')}}${more}`
    }),
)
/** Nearly JSON: something is removed, inserted, doubled or cut off. */
const broken = fc
  .tuple(
    body,
    fc.nat(),
    fc.nat(5),
    fc.constantFrom('', ',', '"', '\\', '{', ']', '0', '-', '.', 'e', '\0', '\u00a0', '\ufeff', '\u2028', 'u00', '1'),
  )
  .map(([text, at, length, put]) => {
    const from = at % (text.length + 1)
    return text.slice(0, from) + put + text.slice(from + length)
  })

describe('scanning JSON', () => {
  it('accepts exactly the texts that JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.oneof(body, broken, broken, fc.string()), (text) => {
        fc.pre(Buffer.from(text).toString() === text && text.trim() !== '' && !text.startsWith('\ufeff'))
        expect(scan(text) !== null).to.equal(parsed(text) !== null)
      }),
      { numRuns: 3_000 },
    )
  })

  it('finds the items that JSON.parse finds, and nothing else', () => {
    fc.assert(
      fc.property(body, (text) => {
        const found = scan(text)!
        const value = JSON.parse(text) as { items?: unknown } | null
        expect(slice(text, found.body)).to.deep.equal(value)
        const isTwice = found.body.faults.some(({ type }) => type === 'repeated')
        const isList =
          typeof value === 'object' &&
          value !== null &&
          !Array.isArray(value) &&
          Array.isArray(Object.getOwnPropertyDescriptor(value, 'items')?.value)
        if (!isTwice) expect(found.list !== null).to.equal(isList)
        if (isTwice || !found.list) return
        const items = (value as { items: unknown[] }).items
        expect(found.list.items.map((item) => slice(text, item))).to.deep.equal(items.slice(0, 6))
        expect(slice(text, found.list)).to.deep.equal(items)
        const bytes = Buffer.from(text)
        const rest = `${bytes.toString('utf8', 0, found.list.start)}[]${bytes.toString('utf8', found.list.end)}`
        expect(JSON.parse(rest)).to.deep.equal({ ...value, items: [] })
      }),
      { numRuns: 2_000 },
    )
  })

  it('does so wherever it yields', () => {
    for (const unit of ['x', '\\n', '\\ud83d\\ude00', 'é', '1,', ' '])
      for (const shift of [0, 1, 2, 3, 5, 11]) {
        const filled = unit.repeat(Math.ceil(140_000 / unit.length))
        const value = unit === '1,' ? `[${filled}1]` : unit === ' ' ? `[${filled}]` : `"${filled}"`
        const text = `{"pad":"${'p'.repeat(shift)}","items":[{"content":${value}},{"last":true}]}`
        const items = scan(text)!.list!.items.map((item) => slice(text, item))
        expect(items).to.deep.equal((JSON.parse(text) as { items: unknown[] }).items)
        expect(scan(text.slice(0, -3))).to.equal(null)
      }
  })

  it('skips one byte order mark', () => {
    expect(scan('\ufeff{"items":[1]}')!.list!.items).to.have.length(1)
    expect(scan('\ufeff\ufeff{}')).to.equal(null)
  })

  it('tells an empty text from one that is not JSON', () => {
    for (const text of ['', ' ', '\n\t\r ', '\ufeff']) expect(scan(text)!.body.start).to.equal(-1)
    for (const text of ['{', ',', '\u00a0', '[]]', '{"a":1}}', '{}{}', '1 2']) expect(scan(text), text).to.equal(null)
  })

  it('accepts or refuses nesting of any depth as JSON.parse does', () => {
    const deep = `${'['.repeat(300_000)}${']'.repeat(300_000)}`
    expect(faultsOf(deep)).to.deep.equal([`body${'.0'.repeat(100)} too_deep`])
    expect(scan(deep.slice(0, -1))).to.equal(null)
    expect(scan(`${deep}]`)).to.equal(null)
  })

  const refused: [what: string, text: string, faults: string[]][] = [
    ['U+0000', '{"a":["x","\\u0000"]}', ['body.a.1 string_unicode']],
    ['half a surrogate pair', '{"a":"\\ud83d\\n\\ude00"}', ['body.a string_unicode', 'body.a string_unicode']],
    ['U+0000 in a name', '{"b":{"a\\u0000":1}}', ['body.b.a\ufffd string_unicode']],
    ['a list given twice', '{"items":[1],"\\u0069tems":[2]}', ['body.items repeated']],
    ['a number too large for a double, anywhere', '{"a":[1,-1e999]}', ['body.a.1 finite_number']],
    ['an integer of more digits than are kept', '{"data":{"id":9007199254740993}}', ['body.data.id exact_number']],
    ['a number too small', '{"data":[1,1e-400]}', ['body.data.1 nonzero_number']],
    [
      'such an integer in an item',
      '{"items":[{"data":{"id":9007199254740993}}]}',
      ['body.items.0.data.id exact_number'],
    ],
    ['a field with too many bytes', `{"data":["${'x'.repeat(97)}"]}`, ['body.data too_large']],
    ['such a field in an item', `{"items":[{"a":1,"data":[${'1,'.repeat(50)}1]}]}`, ['body.items.0.data too_large']],
    ['too many values', `{"a":1,"b":[${'0,'.repeat(MAX_VALUES)}0]}`, ['body.b too_many_values']],
    [
      'an item with too many values',
      `{"items":[{},{"b":[${'0,'.repeat(MAX_VALUES)}0]}]}`,
      ['body.items.1.b too_many_values'],
    ],
    ['an item with too many bytes', `{"items":["${'x'.repeat(MAX_BYTES)}"]}`, ['body.items.0 too_large']],
    ['a body with too many bytes', `{"a":"${'x'.repeat(MAX_BYTES)}"}`, ['body too_large']],
    [
      'an item nested too deeply',
      `{"items":[0,${'['.repeat(101)}${']'.repeat(101)}]}`,
      [`body.items.1${'.0'.repeat(100)} too_deep`],
    ],
  ]
  for (const [what, text, faults] of refused)
    it(`refuses ${what}, with its location`, () => expect(faultsOf(text)).to.deep.equal(faults))

  const taken: [what: string, text: string][] = [
    ['both halves of a surrogate pair as escapes', '{"a":"\\ud83d\\ude00"}'],
    ['any finite number elsewhere', '{"weight":1e-400,"items":[{"id":9007199254740993}]}'],
    ['a field at its byte limit, with white space', `{"data":[${' '.repeat(500)}"${'x'.repeat(96)}"]}`],
    ['a field of escapes at its byte limit', `{"data":["${'\\u0078'.repeat(96)}"]}`],
    ['the largest number of values', `{"b":[${'0,'.repeat(MAX_VALUES - 3)}0]}`],
    [
      'items that are each within the limits',
      `{"items":[[${'0,'.repeat(MAX_VALUES - 2)}0],{"a":"${'x'.repeat(MAX_BYTES - 8)}"}]}`,
    ],
    ['an item nested as deep as a body of its own', `{"items":[${'['.repeat(100)}${']'.repeat(100)}]}`],
    ['white space of any length around it', `${' '.repeat(MAX_BYTES)}{}${' '.repeat(MAX_BYTES)}`],
  ]
  for (const [what, text] of taken) it(`accepts ${what}`, () => expect(faultsOf(text)).to.deep.equal([]))

  it('cuts a long name, and lists at most ten faults of an item', () => {
    const text = `{"items":[{"${'n'.repeat(5_000)}":[${'"\\u0000",'.repeat(50)}0]}]}`
    const [item] = scan(text)!.list!.items
    expect(item!.faults).to.have.length(10)
    expect(item!.faults[9]!.loc).to.deep.equal(['body', 'items', '0', `${'n'.repeat(200)}…`, '9'])
  })

  it('cuts a path of long names', () => {
    const name = (letter: string) => letter.repeat(200)
    const text = `{"${name('a')}":{"${name('b')}":{"${name('c')}":{"d":"\\u0000"}}}}`
    expect(scan(text)!.body.faults[0]!.loc).to.deep.equal(['body', name('a'), name('b'), '…'])
  })

  it('does not throw when a fault is in a name that is not JSON', () => {
    for (const text of ['{"a\\u0000\\x":1}', '{"a\\ud800', '{"\\u0000\n":1}']) expect(scan(text)).to.equal(null)
  })

  it('returns one item more than the list may have, however many there are', () => {
    expect(scan(`{"items":[${'{},'.repeat(1_000)}{}]}`)!.list!.items).to.have.length(6)
  })

  it('does not search items beyond the allowed number for faults', () => {
    const { items } = scan(`{"items":[${'1e9999,'.repeat(5)}1e9999]}`)!.list!
    expect(items.map(({ faults }) => faults.length)).to.deep.equal([1, 1, 1, 1, 1, 0])
  })
})
