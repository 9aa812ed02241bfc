import { foldedTexts, commandsOf, isDecodingBuffer } from './constants.js'
import type { Assign, Argument, Call, Expression, Func } from './expression.js'
import { Scope } from './scope.js'
import { constant, joined, merged, NOTHING, type Value, variablesNamed } from './value.js'
import * as known from './vocabulary.js'
import { LABEL } from './vocabulary.js'

/** Only the end of a longer path is kept. */
const LONGEST_PATH = 200
/** A variable is followed through this many assignments in a row that stand in the wrong order. */
const ROUNDS = 3

/** A part of a program, and where it begins in the text that it stands in. */
export interface ProgramPart {
  readonly expression: Expression
  readonly offset: number
}

/** A call of a program, with what it is given. */
export interface SeenCall {
  readonly call: Call
  readonly callee: Value
  readonly args: readonly Value[]
  /** The callee and the arguments together. */
  readonly all: Value
  /** Holds what a runner runs: the first word of a command in a list, else the first argument. */
  readonly program: Value
  /** True where the callee is a function of the program itself, which is judged by its own calls. */
  readonly isOwn: boolean
  /** Where the part of the program begins in the text that it stands in. */
  readonly offset: number
}

/** Something that a program does without a call: it loads an address, or says what unpacking it runs. */
export interface SeenOther {
  readonly kind: 'loads' | 'unpacks'
  readonly value: Value
  readonly at: Expression
  readonly offset: number
}

/** Says what a program does, with the values that are known once it was followed. */
export interface Seen {
  readonly calls: readonly SeenCall[]
  readonly others: readonly SeenOther[]
  /** Files that hold what came from the network. */
  readonly fetched: ReadonlySet<string>
}

/**
 * Follows the values of a program whose parts see the variables of the parts before them. It does not run the program: a variable holds
 * whatever is assigned to it anywhere in its function, and a function of the program gets whatever any call gives it. The work is linear
 * in the program.
 */
export function followProgram(parts: readonly ProgramPart[]): Seen {
  return new Flow().follow(parts)
}

class Flow {
  #calls: SeenCall[] = []
  #others: SeenOther[] = []
  readonly #fetched = new Set<string>()
  readonly #scopes = new Map<Func, Scope>()
  /** Functions by their names: a method is called on a value whose class is not known. */
  readonly #methods = new Map<string, Func>()
  /** The first values of lists: that of a command is its program. */
  readonly #firsts = new WeakMap<Expression, Value>()
  #round = 0
  /** Where the part that is followed now begins. */
  #offset = 0

  follow(parts: readonly ProgramPart[]): Seen {
    let scope: Scope | null = null
    const scopes = parts.map(() => (scope = new Scope(scope)))
    for (this.#round = 1; this.#round <= ROUNDS; this.#round++) {
      this.#calls = []
      this.#others = []
      for (const [i, { expression, offset }] of parts.entries()) {
        this.#offset = offset
        this.#evaluate(expression, scopes[i]!)
      }
    }
    return { calls: this.#calls, others: this.#others, fetched: this.#fetched }
  }

  #evaluate(expression: Expression, scope: Scope): Value {
    switch (expression.kind) {
      case 'text':
        return constant(expression.value)
      case 'name':
        return this.#name(expression.name, scope)
      case 'member':
        return this.#member(this.#evaluate(expression.of, scope), expression.name, scope)
      case 'item':
        return this.#item(expression.of, expression.key, scope)
      case 'call':
        return this.#call(expression, scope)
      case 'joined':
        return joined(expression.parts.map((part) => this.#evaluate(part, scope)))
      case 'test':
        for (const part of expression.parts) this.#evaluate(part, scope)
        return NOTHING
      case 'group': {
        const values = expression.parts.map((part) => this.#evaluate(part, scope))
        if (values[0]) this.#firsts.set(expression, values[0])
        return merged(values)
      }
      case 'record':
        return merged(expression.members.map((member) => this.#argument(member, scope)))
      case 'function':
        return this.#function(expression, scope)
      case 'assign':
        return this.#assign(expression, scope)
      case 'return': {
        const value = this.#evaluate(expression.value, scope)
        scope.result = merged([scope.result, value])
        return value
      }
      case 'alias':
        scope.add(expression.name, { ...NOTHING, path: expression.path })
        return NOTHING
      case 'outer':
        for (const name of expression.names) scope.declareOuter(name)
        return NOTHING
    }
  }

  #name(name: string, scope: Scope): Value {
    const found = scope.find(name)
    if (found) return found.path === '' ? { ...found, path: name } : found
    return labelled({ ...NOTHING, path: name })
  }

  #member(base: Value, name: string, scope: Scope): Value {
    if (known.ENVIRONMENT.test(base.path) && /^[A-Z][A-Z0-9_]*$/.test(name)) return variablesNamed(constant(name))
    const path = (base.path === '' ? name : `${base.path}.${name}`).slice(-LONGEST_PATH)
    const own = scope.find(path)
    // What a call made is still of the same file or address when something of it is called.
    const texts = base.path.endsWith('()') ? base.texts : []
    const value = { ...base, texts, functions: [], path, labels: HARMLESS_MEMBER.test(name) ? 0 : base.labels }
    return own ? merged([value, own], path) : labelled(value)
  }

  #item(of: Expression, key: Expression, scope: Scope): Value {
    const base = this.#evaluate(of, scope)
    const at = this.#evaluate(key, scope)
    if (known.ENVIRONMENT.test(base.path)) return variablesNamed(at)
    if (
      /^(?:globals\(\)|locals\(\)|window|globalThis|global|self|process|__builtins__)$/.test(base.path) &&
      at.texts.length === 1
    )
      return this.#member({ ...base, path: /^(?:process|self)$/.test(base.path) ? base.path : '' }, at.texts[0]!, scope)
    return { ...base, path: at.texts.length === 1 ? `${base.path}.${at.texts[0]}` : base.path }
  }

  #function(expression: Func, scope: Scope): Value {
    let own = this.#scopes.get(expression)
    if (!own) this.#scopes.set(expression, (own = new Scope(scope)))
    const value: Value = { ...NOTHING, functions: [expression] }
    if (expression.name !== null) {
      scope.add(expression.name, { ...value, path: expression.name })
      this.#methods.set(expression.name, expression)
    }
    const result = this.#evaluate(expression.body, own)
    if (expression.name === '__reduce__') this.#note('unpacks', result, expression)
    return value
  }

  #note(kind: SeenOther['kind'], value: Value, at: Expression): void {
    this.#others.push({ kind, value, at, offset: this.#offset })
  }

  #assign(expression: Assign & Expression, scope: Scope): Value {
    const value = this.#evaluate(expression.value, scope)
    if (expression.how === 'adds' && expression.to.kind === 'name') return this.#addTo(expression.to.name, value, scope)
    this.#give(expression.to, value, scope, expression.how === 'declares')
    return value
  }

  /** Adds to the end of a variable: in the first round the constants are put together, in the order in which they stand. */
  #addTo(name: string, value: Value, scope: Scope): Value {
    const before = scope.find(name)
    const { texts, ...rest } = value
    const isWhole = !((before?.labels ?? 0) & LABEL.cut)
    if (this.#round === 1 && isWhole)
      scope.replace(name, { ...joined([before ?? NOTHING, value]), path: before?.path ?? '' })
    else scope.addWhereFound(name, { ...rest, texts: before ? [] : texts })
    return scope.find(name) ?? value
  }

  /** Gives a value to what an assignment names. */
  #give(to: Expression, value: Value, scope: Scope, isDeclared: boolean): void {
    if (to.kind === 'name') {
      if (isDeclared) scope.add(to.name, value)
      else scope.addWhereFound(to.name, value)
    } else if (to.kind === 'group' || to.kind === 'record') {
      const parts = to.kind === 'group' ? to.parts : to.members.map((member) => member.value)
      for (const part of parts) this.#give(part, value, scope, isDeclared)
    } else if (to.kind === 'member') {
      const base = this.#evaluate(to.of, scope)
      if (base.path !== '') scope.outermost.add(`${base.path}.${to.name}`, value)
      if (to.name === 'src') this.#note('loads', value, to)
    } else if (to.kind === 'item') {
      this.#evaluate(to.of, scope)
      if (to.key.kind === 'name' || !isCredentialKey(this.#evaluate(to.key, scope))) putInto(to.of, value, scope)
    }
  }

  /** Evaluates an argument; one that says who asks carries nothing. */
  #argument({ name, value }: Argument, scope: Scope): Value {
    const evaluated = this.#evaluate(value, scope)
    return name !== null && known.CREDENTIALS.test(name)
      ? { ...evaluated, labels: evaluated.labels & ~(LABEL.secret | LABEL.settingsFile), secrets: [] }
      : evaluated
  }

  #call(call: Call, scope: Scope): Value {
    const callee = this.#withMethod(call.callee, this.#evaluate(call.callee, scope))
    const args = call.args.map((argument) => this.#argument(argument, scope))
    const all = merged([{ ...callee, texts: [], functions: [], path: '' }, ...args])
    const isOwn = callee.functions.some(({ name }) => name !== null && name === callee.path)
    this.#bind(call, callee, args)
    if (call.callee.kind === 'member' && known.PUTTERS.test(call.callee.name))
      putInto(call.callee.of, merged([NOTHING, ...args]), scope)
    this.#noteFetched(callee, args)
    const first = call.args[0]
    const program = (first && this.#firsts.get(first.value)) ?? args[0] ?? NOTHING
    this.#calls.push({ call, callee, args, all, program, isOwn, offset: this.#offset })
    const own = callee.functions.map((func) => this.#scopes.get(func)?.result ?? NOTHING)
    if (isOwn) return { ...merged(own), path: `${callee.path}()` }
    const result = resultOf(call, callee, args, all)
    return own.length > 0 ? merged([result, ...own], result.path) : result
  }

  #withMethod(callee: Expression, value: Value): Value {
    const method = callee.kind === 'member' && value.functions.length === 0 ? this.#methods.get(callee.name) : undefined
    return method ? { ...value, functions: [method] } : value
  }

  /** Gives the arguments to functions of the program, and to those that are handed over what they are called with. */
  #bind({ callee, args: given }: Call, value: Value, args: readonly Value[]): void {
    for (const func of value.functions) this.#bindTo(func, args, given)
    const isListener =
      known.LISTENERS.test(value.path) ||
      (/addEventListener$|\.on$/.test(value.path) && args[0]?.texts.some((text) => known.KEY_EVENT.test(text)))
    const handed: Value = isListener
      ? { ...NOTHING, labels: LABEL.input }
      : {
          ...NOTHING,
          labels: callee.kind === 'member' ? value.labels | labelsOfSource(value) : value.labels,
          secrets: value.secrets,
          texts: value.texts,
        }
    for (const { functions } of args) for (const func of functions) this.#bindTo(func, [handed, handed], [])
  }

  /** Gives arguments to the parameters of a function, by name or by position. */
  #bindTo(func: Func, args: readonly Value[], given: readonly Argument[]): void {
    const scope = this.#scopes.get(func)
    if (!scope) return
    const parameters = /^(?:self|cls)$/.test(func.parameters[0] ?? '') ? func.parameters.slice(1) : func.parameters
    let next = 0
    for (const [i, value] of args.entries()) {
      const name = given[i]?.name ?? null
      const named = name === null ? -1 : parameters.findIndex((parameter) => parameter.replace(/^\$/, '') === name)
      const parameter = parameters[named === -1 ? next++ : named]
      if (parameter !== undefined) scope.add(parameter, { ...value, path: '' })
    }
  }

  /** Notes which files are filled from the network. */
  #noteFetched({ path, texts }: Value, args: readonly Value[]): void {
    const isFilled = known.WRITERS.test(path) && args.some(({ labels }) => labels & LABEL.remote)
    if (isFilled) for (const target of [...texts, ...(args[0]?.texts ?? [])]) this.#fetched.add(target)
    if (/urlretrieve$|downloadfile$|wget\.download$/.test(path))
      for (const target of args[1]?.texts ?? []) this.#fetched.add(target)
  }
}

const HARMLESS_MEMBER = /^(?:length|status|statusCode|status_code|ok|ok\?|name|size|type|constructor|reason)$/
const KEEPS_TEXT =
  /(?:^|\.)(?:Path|PurePath|str|String|expanduser|expandvars|abspath|realpath|resolve|normpath|expand_path|decode|encode|toString|strip|trim|File\.open|open|io\.open|glob|iglob|rglob|walk|listdir|scandir|readdirSync|URI|URL|as_posix|absolute|bytes|Buffer\.from|dirname|fileURLToPath|format|lower|upper|list|sorted|items|values|split|join|replace|concat)$/

/** Adds what is put into a value to the variable that holds it: `list.append(x)`, `record["key"] = x`. */
function putInto(holder: Expression, { labels, secrets }: Value, scope: Scope): void {
  let inner = holder
  while (inner.kind === 'member' || inner.kind === 'item') inner = inner.of
  if (inner.kind === 'name') scope.addWhereFound(inner.name, { ...NOTHING, labels, secrets })
}

/** Adds what a name says by itself. The environment as a whole counts where it is used, and not where a variable of it is read. */
function labelled(value: Value): Value {
  let { labels } = value
  for (const [label, pattern] of known.NAMED) if (pattern.test(value.path)) labels |= LABEL[label]
  if (known.ENVIRONMENT.test(value.path)) labels |= LABEL.environment
  if (/(?:^|\.)(?:Path\.home|homedir|HOME|USERPROFILE)$/.test(value.path)) return { ...value, labels, texts: ['~'] }
  return labels === value.labels ? value : { ...value, labels }
}

function isCredentialKey({ texts }: Value): boolean {
  return texts.some((text) => known.CREDENTIALS.test(text))
}

function labelsOfSource({ path }: Value): number {
  return known.SOURCES.reduce((labels, { label, call }) => (call.test(path) ? labels | LABEL[label] : labels), 0)
}

/** Returns what a call of a known function gives. */
function resultOf(call: Call, callee: Value, args: readonly Value[], all: Value): Value {
  const { path } = callee
  const first = args[0] ?? NOTHING
  if (known.READS_VARIABLE.test(path))
    return path.endsWith('toObject') ? { ...NOTHING, labels: LABEL.environment } : variablesNamed(first)
  if (path === 'getattr' && args[1]?.texts.length === 1)
    return { ...NOTHING, path: `${first.path}.${args[1].texts[0]}` }
  if (/^(?:__import__|import|require|importlib\.import_module)$/.test(path) && first.texts.length === 1)
    return { ...NOTHING, path: first.texts[0]!.replace(/^node:/, '') }
  if (known.CLEANERS.test(path)) return { ...NOTHING, path: `${path}()` }
  const source = labelsOfSource(callee)
  if (source) return { ...NOTHING, labels: source & LABEL.remote || source, path: `${path}()` }
  const folded = foldedTexts(call, path, callee, args)
  const decodes = known.DECODERS.some(([pattern]) => pattern.test(path)) || isDecodingBuffer(path, args)
  let labels = all.labels | (decodes ? LABEL.decoded : 0) | (known.ENCODERS.test(path) ? LABEL.encoded : 0)
  // Whoever decodes what came from elsewhere reads a message.
  if (decodes && labels & LABEL.remote) labels &= ~LABEL.decoded
  if (known.RUNNERS.test(path) && call.args[0])
    for (const command of commandsOf(call.args[0].value, first)) labels |= known.labelsOfOutput(command)
  if (known.READERS.test(path))
    for (const file of [...args.flatMap(({ texts }) => texts), ...callee.texts]) labels |= known.labelsOfFile(file)
  const kept = KEEPS_TEXT.test(path) ? merged([{ ...NOTHING, texts: callee.texts }, ...args]) : NOTHING
  return {
    labels: folded ? labels : labels | (kept.labels & LABEL.cut),
    texts: folded ?? kept.texts,
    path: `${path}()`,
    functions: [],
    secrets: all.secrets,
  }
}
