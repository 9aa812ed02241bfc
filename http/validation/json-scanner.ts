import type { Yielding } from '../../domain/yielding.js'
import { numberLossOf } from '../../domain/exact-numbers.js'
import type { FieldError } from '../errors.js'
import { digitsFrom, hexAt, IS_ESCAPE } from './json-bytes.js'
import { shownLoc, UNSTORABLE_FAULT } from './request-text.js'
import { MAX_BYTES, MAX_FAULTS, MAX_ITEM_FAULTS, MAX_VALUES, newUnit, NUMBER_FAULTS, tooLarge } from './scan-unit.js'

/** Limits of a top-level field of a body or an item, in addition to its schema. */
export interface FieldRule {
  /** Most bytes of its value as JSON; null for no limit. */
  readonly maxBytes: number | null
  /** True when each of its numbers must be kept exactly as it was written. */
  readonly exactNumbers: boolean
}

export type FieldRules = ReadonlyMap<string, FieldRule>

export interface ScanRules {
  readonly fields: FieldRules
  /** Most bytes of the body without its list. */
  readonly mostBytes: number
  /** The list of the body whose items are scanned one by one, and the rules of an item; null where there is none. */
  readonly list: { readonly name: string; readonly most: number; readonly fields: FieldRules } | null
}

/** A value's position in the bytes, and its faults. */
export interface ScannedValue {
  readonly start: number
  readonly end: number
  /** Number of JSON values in it, itself included. */
  readonly values: number
  readonly faults: readonly FieldError[]
}

export interface JsonScan {
  /** The body without the items of the list. */
  readonly body: ScannedValue
  /** The list, from its `[` to after its `]`; null when there is none. `items` has at most one more than the rules allow. */
  readonly list: { readonly start: number; readonly end: number; readonly items: readonly ScannedValue[] } | null
}

/** Most levels of nesting: PostgreSQL's jsonb and JSON.stringify recurse, so a deeper body would exhaust a stack somewhere. */
const MAX_DEPTH = 100
/** More bytes than the longest name shown takes when each of its characters is escaped. */
const MAX_NAME_BYTES = 1_300
/** Bytes scanned between yields: about half a millisecond of work. */
const BYTES_BETWEEN_YIELDS = 65_536

/** The token that may come next. */
type Expected =
  'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'rest of string' | 'nothing'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Scans JSON (RFC 8259) in UTF-8 bytes without creating values, so that a body that is too large, too deep or has too many values is
 * refused before JSON.parse spends time and memory on it: 15 MB of `{},` take JSON.parse 4 s and 1 GB, and this scanner some 0.3 s. It
 * accepts exactly the texts that JSON.parse accepts, and finds where the items of a list begin and end. It also reports what JSON.parse
 * loses, digits of numbers, and what no column can store, U+0000 and lone surrogates, which occur in valid UTF-8 only as escapes. It
 * yields inside of strings too. jsonc-parser's scanner is twice as fast on short tokens, but it builds each string (2.5 s for one of
 * 15 MB of escapes) and works on text, which must be decoded first.
 */
export class JsonScanner {
  #pos: number
  #depth = 0
  #expected: Expected = 'value'
  /** The kind of container at each depth: 1 for an object, 0 for a list. */
  #kinds = new Uint8Array(128)
  /** The start of the current key at each depth, or the current index in a list. */
  readonly #keyOrIndex = new Int32Array(MAX_DEPTH + 4)
  #stringIsKey = false
  #start = -1
  #end = -1

  #unit = newUnit(0, MAX_FAULTS)
  readonly #body = this.#unit
  #inList = false
  #isListNext = false
  #list: { start: number; end: number; items: ScannedValue[] } | null = null

  #field: FieldRule | undefined
  #fieldStart = 0
  /** Bytes up to here that JSON.stringify might not write, and their number at the start of the field. */
  #slack = 0
  #fieldSlack = 0

  constructor(
    private readonly bytes: Buffer,
    private readonly rules: ScanRules,
  ) {
    const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    this.#pos = hasMark ? 3 : 0
  }

  /** Scans the bytes. Returns null when they are not JSON. A body of white space only starts and ends at -1. */
  *scan(): Yielding<JsonScan | null> {
    while (this.#pos < this.bytes.length) {
      const until = Math.min(this.bytes.length, this.#pos + BYTES_BETWEEN_YIELDS)
      if (!this.#scanTo(until)) return null
      yield
    }
    if (this.#expected !== 'nothing' && this.#start >= 0) return null
    const { values, faults } = this.#body
    const list = this.#list
    const beside = this.#end - this.#start - (list ? list.end - list.start : 0)
    const { mostBytes } = this.rules
    if (beside > mostBytes)
      faults.push({
        loc: ['body'],
        ...tooLarge(list ? `The body without ${this.rules.list!.name}` : 'The body', mostBytes),
      })
    return { body: { start: this.#start, end: this.#end, values, faults }, list }
  }

  /** The byte that could not be read on from: the start of a token, or in a string its end as far as it was read. */
  get position(): number {
    return this.#pos
  }

  /** Reads tokens until one ends at or after `until`. Returns false when the bytes are not JSON. */
  #scanTo(until: number): boolean {
    const { bytes } = this
    while (this.#pos < until) {
      if (this.#expected === 'rest of string') {
        if (!this.#readString(until)) return false
        continue
      }
      const byte = bytes[this.#pos]!
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
        this.#pos++
        this.#slack++
      } else if (!this.#readToken(byte)) return false
    }
    return true
  }

  #readToken(byte: number): boolean {
    switch (this.#expected) {
      case 'colon':
        if (byte !== 0x3a) return false
        this.#expected = 'value'
        this.#pos++
        return true
      case 'comma or end':
        if (byte === 0x2c) return this.#readComma()
        return (byte === 0x7d || byte === 0x5d) && this.#close(byte)
      case 'key or end':
        if (byte === 0x7d) return this.#close(byte)
        return byte === QUOTE && this.#beginKey()
      case 'key':
        return byte === QUOTE && this.#beginKey()
      case 'value or end':
        if (byte === 0x5d) return this.#close(byte)
        return this.#readValue(byte)
      case 'value':
        return this.#readValue(byte)
      default:
        return false
    }
  }

  #readComma(): boolean {
    this.#pos++
    if (this.#kinds[this.#depth] === 1) this.#expected = 'key'
    else {
      if (this.#depth < this.#keyOrIndex.length) this.#keyOrIndex[this.#depth]!++
      this.#expected = 'value'
    }
    return true
  }

  #readValue(byte: number): boolean {
    this.#beginValue()
    switch (byte) {
      case 0x7b:
        return this.#open(1)
      case 0x5b:
        return this.#open(0)
      case QUOTE:
        this.#stringIsKey = false
        return this.#beginString()
      case 0x74:
        return this.#readWord('true')
      case 0x66:
        return this.#readWord('false')
      case 0x6e:
        return this.#readWord('null')
      default:
        return this.#readNumber()
    }
  }

  #beginValue(): void {
    if (this.#start < 0) this.#start = this.#pos
    if (this.#inList && this.#depth === 2) this.#beginItem()
    const unit = this.#unit
    if (++unit.values === MAX_VALUES + 1) {
      const msg = `May hold at most ${MAX_VALUES} values.`
      this.#fault({ type: 'too_many_values', msg, ctx: { max_values: MAX_VALUES } }, unit.depth)
    }
    if (this.#depth !== unit.depth) return
    this.#fieldStart = this.#pos
    this.#fieldSlack = this.#slack
  }

  /** Ends a value; `#pos` is after it. */
  #endValue(): boolean {
    const unit = this.#unit
    if (this.#depth === unit.depth && this.#field) this.#endField(this.#field)
    if (this.#inList && this.#depth === 2) this.#endItem()
    if (this.#depth === 0) this.#end = this.#pos
    this.#expected = this.#depth === 0 ? 'nothing' : 'comma or end'
    return true
  }

  #open(kind: 0 | 1): boolean {
    if (this.#isListNext && kind === 0 && this.#depth === 1) {
      this.#list = { start: this.#pos, end: -1, items: [] }
      this.#inList = true
    }
    this.#isListNext = false
    const unit = this.#unit
    if (this.#depth + 1 - (unit.depth - 1) > MAX_DEPTH && !unit.isTooDeep) {
      this.#fault({ type: 'too_deep', msg: `May be nested at most ${MAX_DEPTH} levels deep.` })
      unit.isTooDeep = true
    }
    this.#depth++
    if (this.#depth >= this.#kinds.length) {
      const kinds = new Uint8Array(this.#kinds.length * 2)
      kinds.set(this.#kinds)
      this.#kinds = kinds
    }
    this.#kinds[this.#depth] = kind
    if (this.#depth < this.#keyOrIndex.length) this.#keyOrIndex[this.#depth] = 0
    this.#pos++
    this.#expected = kind === 1 ? 'key or end' : 'value or end'
    return true
  }

  #close(byte: number): boolean {
    if (this.#depth === 0 || this.#kinds[this.#depth] !== (byte === 0x7d ? 1 : 0)) return false
    this.#pos++
    if (this.#inList && this.#depth === 2) {
      this.#inList = false
      this.#list!.end = this.#pos
    }
    this.#depth--
    return this.#endValue()
  }

  #beginKey(): boolean {
    if (this.#depth < this.#keyOrIndex.length) this.#keyOrIndex[this.#depth] = this.#pos
    this.#stringIsKey = true
    return this.#beginString()
  }

  #beginString(): boolean {
    this.#pos++
    this.#expected = 'rest of string'
    return true
  }

  /** Reads a string up to its closing quote, or to `until`. */
  #readString(until: number): boolean {
    const { bytes } = this
    let pos = this.#pos
    while (pos < until) {
      const byte = bytes[pos]!
      if (byte === QUOTE) {
        this.#pos = pos + 1
        return this.#endString()
      }
      if (byte < 0x20) return this.#stopAt(pos)
      if (byte === BACKSLASH) {
        const next = this.#readEscape(pos)
        if (next < 0) return this.#stopAt(pos)
        pos = next
      } else pos++
    }
    this.#pos = pos
    return true
  }

  #stopAt(pos: number): false {
    this.#pos = pos
    return false
  }

  #endString(): boolean {
    if (!this.#stringIsKey) return this.#endValue()
    if (this.#depth === this.#unit.depth) this.#beginField()
    this.#expected = 'colon'
    return true
  }

  /** Returns the position after the escape sequence at `pos`, where a surrogate pair counts as one; -1 when it is invalid. */
  #readEscape(pos: number): number {
    const { bytes } = this
    const letter = bytes[pos + 1]
    if (letter !== 0x75) {
      this.#slack++
      return letter !== undefined && IS_ESCAPE[letter] === 1 ? pos + 2 : -1
    }
    const unit = hexAt(bytes, pos + 2)
    if (unit < 0) return -1
    this.#slack += 5
    if (unit === 0 || (unit >= 0xdc00 && unit <= 0xdfff)) this.#fault(UNSTORABLE_FAULT)
    if (unit < 0xd800 || unit > 0xdbff) return pos + 6
    const low = bytes[pos + 6] === BACKSLASH && bytes[pos + 7] === 0x75 ? hexAt(bytes, pos + 8) : -1
    if (low < 0xdc00 || low > 0xdfff) {
      this.#fault(UNSTORABLE_FAULT)
      return pos + 6
    }
    this.#slack += 5
    return pos + 12
  }

  #readWord(word: 'true' | 'false' | 'null'): boolean {
    for (let i = 1; i < word.length; i++) if (this.bytes[this.#pos + i] !== word.charCodeAt(i)) return false
    this.#pos += word.length
    return this.#endValue()
  }

  #readNumber(): boolean {
    const { bytes } = this
    const start = this.#pos
    let pos = bytes[start] === 0x2d ? start + 1 : start
    const whole = digitsFrom(bytes, pos)
    if (whole === pos || (bytes[pos] === 0x30 && whole > pos + 1)) return false
    pos = whole
    const hasFraction = bytes[pos] === 0x2e
    if (hasFraction) {
      const fraction = digitsFrom(bytes, pos + 1)
      if (fraction === pos + 1) return false
      pos = fraction
    }
    const hasExponent = bytes[pos] === 0x65 || bytes[pos] === 0x45
    if (hasExponent) {
      pos++
      if (bytes[pos] === 0x2b || bytes[pos] === 0x2d) pos++
      const power = digitsFrom(bytes, pos)
      if (power === pos) return false
      pos = power
    }
    this.#pos = pos
    this.#slack += pos - start - 1
    // Up to 15 digits without an exponent are always exact, and a fraction that does not end in 0 is no integer.
    const isPlain = !hasExponent && (pos - start <= 15 || (hasFraction && bytes[pos - 1] !== 0x30 && pos - start < 300))
    if (!isPlain) this.#checkNumber(start)
    return this.#endValue()
  }

  #checkNumber(start: number): void {
    const { faults, most, values } = this.#unit
    const length = this.#pos - start
    // Skips what is refused anyway: a number of so many bytes is part of a value that is too large.
    if (faults.length >= most || values > MAX_VALUES || length > MAX_BYTES) return
    const isExact = this.#field?.exactNumbers === true
    const loss = numberLossOf(this.bytes.toString('latin1', start, this.#pos))
    if (loss !== null && (isExact || loss === 'overflow')) this.#fault(NUMBER_FAULTS[loss])
  }

  #beginField(): void {
    const { list, fields } = this.rules
    const isBody = this.#unit === this.#body
    const name = this.#fieldName(this.#keyOrIndex[this.#depth]!)
    this.#field = (isBody ? fields : list!.fields).get(name)
    this.#isListNext = isBody && name === list?.name
    if (this.#isListNext && this.#list) this.#fault({ type: 'repeated', msg: 'Is given more than once.' })
  }

  /** Returns the key between `start` and here, cut at `MAX_NAME_BYTES`: no field has a longer name. */
  #fieldName(start: number): string {
    const raw = this.bytes.toString('utf8', start + 1, Math.min(this.#pos - 1, start + 1 + MAX_NAME_BYTES))
    return raw.includes('\\') ? this.#nameAt(start) : raw
  }

  #endField({ maxBytes }: FieldRule): void {
    this.#field = undefined
    const least = this.#pos - this.#fieldStart - (this.#slack - this.#fieldSlack)
    if (maxBytes === null || least <= maxBytes) return
    this.#fault({ type: 'too_large', msg: `May have at most ${maxBytes} bytes as JSON.`, ctx: { max_bytes: maxBytes } })
  }

  /** Begins an item. Items beyond the allowed number are not searched for faults: the request is refused anyway. */
  #beginItem(): void {
    const isTooMany = this.#list!.items.length >= this.rules.list!.most
    this.#unit = newUnit(this.#pos, isTooMany ? 0 : MAX_ITEM_FAULTS, 3)
    this.#field = undefined
  }

  #endItem(): void {
    const { start, values, faults } = this.#unit
    if (this.#pos - start > MAX_BYTES) this.#fault(tooLarge('The item'), 2)
    const { items } = this.#list!
    if (items.length <= this.rules.list!.most) items.push({ start, end: this.#pos, values, faults })
    this.#unit = this.#body
    this.#field = undefined
  }

  /** Records a fault of the value that is being read, or of the container at depth `levels`. */
  #fault(fault: Omit<FieldError, 'loc'>, levels = this.#depth): void {
    const { faults, most, isTooDeep } = this.#unit
    if (faults.length >= most || isTooDeep) return
    faults.push({ loc: shownLoc(this.#path(levels)), ...fault })
  }

  *#path(levels: number): Generator<string> {
    yield 'body'
    for (let level = 1; level <= levels; level++)
      yield this.#kinds[level] === 1 ? this.#nameAt(this.#keyOrIndex[level]!) : String(this.#keyOrIndex[level])
  }

  /** Returns the key that begins at `start`; a long one is cut. */
  #nameAt(start: number): string {
    const { bytes } = this
    let end = start + 1
    while (bytes[end] !== QUOTE && end - start < MAX_NAME_BYTES) {
      if (bytes[end] === BACKSLASH) end += bytes[end + 1] === 0x75 ? 6 : 2
      else end++
      while ((bytes[end]! & 0xc0) === 0x80) end++
    }
    try {
      return JSON.parse(`${bytes.toString('utf8', start, end)}"`) as string
    } catch {
      // The key is not complete yet and not JSON; the scan will fail on it.
      return '\ufffd'
    }
  }
}
