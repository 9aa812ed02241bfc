import type { Severity } from '../report.js'
import type { FindingCode } from '../finding-codes.js'
import type { Argument, Call, Expression, Func } from './expression.js'
import * as known from './vocabulary.js'
import { LABEL } from './vocabulary.js'

/** A value, as far as it is known. */
interface Value {
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

const NOTHING: Value = { labels: 0, texts: [], path: '', functions: [], secrets: [] }
const MOST_TEXTS = 24
const LONGEST_TEXT = 4_000
/** Only the end of a longer path is kept. */
const LONGEST_PATH = 200
/** A variable is followed through this many assignments in a row that stand in the wrong order. */
const ROUNDS = 3

/** Something that a program does. */
export interface Deed {
  readonly code: FindingCode
  readonly severity: Severity
  /** Completes "It …". */
  readonly says: string
  readonly start: number
  readonly end: number
}

/** Code that a program makes and runs. */
export interface MadeCode {
  readonly text: string
  readonly isShell: boolean
  readonly start: number
}

/** A part of a program, and where it begins in the text that it stands in. */
export interface ProgramPart {
  readonly expression: Expression
  readonly offset: number
}

/** The variables of a function, or of a file. */
class Scope {
  readonly variables = new Map<string, Value>()
  result: Value = NOTHING

  constructor(readonly parent: Scope | null) {}

  find(name: string): Value | undefined {
    for (let scope: Scope | null = this; scope; scope = scope.parent) {
      const value = scope.variables.get(name)
      if (value) return value
    }
    return undefined
  }

  add(name: string, value: Value): void {
    const before = this.variables.get(name)
    this.variables.set(name, before ? merged([before, value], value.path || before.path) : value)
  }
}

/**
 * Follows values through a program, from where they come from to what is done with them. It does not run the program: a variable holds
 * whatever is assigned to it anywhere in its function, and a function of the program gets whatever any call gives it. The work is linear
 * in the program.
 */
export class Flow {
  readonly deeds: Deed[] = []
  readonly made: MadeCode[] = []
  readonly #scopes = new Map<Func, Scope>()
  /** Functions by their names: a method is called on a value whose class is not known. */
  readonly #methods = new Map<string, Func>()
  /** Files that hold what came from the network. */
  readonly #fetched = new Set<string>()
  /** The first values of lists: that of a command is its program. */
  readonly #firsts = new WeakMap<Expression, Value>()
  readonly #reported = new Set<string>()
  #isLast = false
  /** Where the part that is followed now begins. */
  #offset = 0

  /** Follows a program whose parts see the variables of the parts before them. */
  follow(parts: readonly ProgramPart[]): void {
    let scope: Scope | null = null
    const scopes = parts.map(() => (scope = new Scope(scope)))
    for (let round = 1; round <= ROUNDS; round++) {
      this.#isLast = round === ROUNDS
      for (const [i, { expression, offset }] of parts.entries()) {
        this.#offset = offset
        this.#evaluate(expression, scopes[i]!)
      }
    }
  }

  #evaluate(expression: Expression, scope: Scope): Value {
    switch (expression.kind) {
      case 'text':
        return { ...NOTHING, texts: [expression.value.slice(0, LONGEST_TEXT)] }
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
        return this.#assign(expression.to, this.#evaluate(expression.value, scope), scope)
      case 'return': {
        const value = this.#evaluate(expression.value, scope)
        scope.result = merged([scope.result, value])
        return value
      }
      case 'alias':
        scope.add(expression.name, { ...NOTHING, path: expression.path })
        return NOTHING
    }
  }

  #name(name: string, scope: Scope): Value {
    const found = scope.find(name)
    if (found) return found.path === '' ? { ...found, path: name } : found
    return this.#labelled({ ...NOTHING, path: name })
  }

  #member(base: Value, name: string, scope: Scope): Value {
    if (known.ENVIRONMENT.test(base.path) && /^[A-Z][A-Z0-9_]*$/.test(name))
      return variablesNamed({ ...NOTHING, texts: [name] })
    const path = (base.path === '' ? name : `${base.path}.${name}`).slice(-LONGEST_PATH)
    const own = scope.find(path)
    // What a call made is still of the same file or address when something of it is called.
    const texts = base.path.endsWith('()') ? base.texts : []
    const value = { ...base, texts, functions: [], path, labels: HARMLESS_MEMBER.test(name) ? 0 : base.labels }
    return own ? merged([value, own], path) : this.#labelled(value)
  }

  /** Adds what a name says by itself. The environment as a whole counts where it is used, and not where a variable of it is read. */
  #labelled(value: Value): Value {
    let { labels } = value
    for (const [label, pattern] of known.NAMED) if (pattern.test(value.path)) labels |= LABEL[label]
    if (known.ENVIRONMENT.test(value.path)) labels |= LABEL.environment
    if (/(?:^|\.)(?:Path\.home|homedir|HOME|USERPROFILE)$/.test(value.path)) return { ...value, labels, texts: ['~'] }
    return labels === value.labels ? value : { ...value, labels }
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
    if (expression.name === '__reduce__' && this.#isLast && RUNS_WHEN_LOADED.test(result.path))
      this.#report('shell_encoded_execution', 'critical', 'runs a command when it is unpacked', expression)
    return value
  }

  #assign(to: Expression, value: Value, scope: Scope): Value {
    if (to.kind === 'name') scope.add(to.name, value)
    else if (to.kind === 'group' || to.kind === 'record')
      for (const part of to.kind === 'group' ? to.parts : to.members.map((member) => member.value))
        this.#assign(part, value, scope)
    else if (to.kind === 'member' || to.kind === 'item') {
      const base = this.#evaluate(to.of, scope)
      if (to.kind === 'member' && base.path !== '') this.#outermost(scope).add(`${base.path}.${to.name}`, value)
      if (to.kind === 'member' && to.name === 'src' && this.#isLast) this.#sends(value, value, to)
      let inner: Expression = to.of
      while (inner.kind === 'member' || inner.kind === 'item') inner = inner.of
      const isCredential =
        to.kind === 'item' && to.key.kind !== 'name' && isCredentialKey(this.#evaluate(to.key, scope))
      if (inner.kind === 'name' && to.kind === 'item' && !isCredential)
        scope.add(inner.name, { ...NOTHING, labels: value.labels, secrets: value.secrets })
    }
    return value
  }

  #outermost(scope: Scope): Scope {
    let outer = scope
    while (outer.parent) outer = outer.parent
    return outer
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
    this.#bind(call, callee, args)
    this.#put(call, merged([NOTHING, ...args]), scope)
    if (this.#isLast) this.#judge(call, callee, args, all)
    else this.#note(callee, args)
    return this.#result(call, callee, args, all)
  }

  #withMethod(callee: Expression, value: Value): Value {
    const method = callee.kind === 'member' && value.functions.length === 0 ? this.#methods.get(callee.name) : undefined
    return method ? { ...value, functions: [method] } : value
  }

  /** Adds what a call puts into the value that it is called on: `list.append(x)`. */
  #put({ callee }: Call, all: Value, scope: Scope): void {
    if (callee.kind !== 'member' || !known.PUTTERS.test(callee.name)) return
    let inner: Expression = callee.of
    while (inner.kind === 'member' || inner.kind === 'item') inner = inner.of
    if (inner.kind === 'name') scope.add(inner.name, { ...NOTHING, labels: all.labels, secrets: all.secrets })
  }

  /** Gives the arguments to functions of the program, and to those that are handed over what they are called with. */
  #bind({ callee }: Call, value: Value, args: readonly Value[]): void {
    for (const func of value.functions) this.#give(func, args)
    const isListener =
      known.LISTENERS.test(value.path) ||
      (/addEventListener$|\.on$/.test(value.path) && args[0]?.texts.some((text) => known.KEY_EVENT.test(text)))
    const handed: Value = isListener
      ? { ...NOTHING, labels: LABEL.input }
      : {
          ...NOTHING,
          labels: callee.kind === 'member' ? value.labels | this.#sourceOf(value) : value.labels,
          secrets: value.secrets,
          texts: value.texts,
        }
    for (const { functions } of args) for (const func of functions) this.#give(func, [handed, handed])
  }

  #give(func: Func, args: readonly Value[]): void {
    const scope = this.#scopes.get(func)
    if (!scope) return
    const parameters = func.parameters[0] === 'self' ? func.parameters.slice(1) : func.parameters
    for (const [i, name] of parameters.entries()) if (args[i]) scope.add(name, { ...args[i]!, path: '' })
  }

  #sourceOf({ path }: Value): number {
    return known.SOURCES.reduce((labels, { label, call }) => (call.test(path) ? labels | LABEL[label] : labels), 0)
  }

  #result(call: Call, callee: Value, args: readonly Value[], all: Value): Value {
    const { path } = callee
    const first = args[0] ?? NOTHING
    if (known.READS_VARIABLE.test(path))
      return path.endsWith('toObject') ? { ...NOTHING, labels: LABEL.environment } : variablesNamed(first)
    if (path === 'getattr' && args[1]?.texts.length === 1)
      return { ...NOTHING, path: `${first.path}.${args[1].texts[0]}` }
    if (/^(?:__import__|import|require|importlib\.import_module)$/.test(path) && first.texts.length === 1)
      return { ...NOTHING, path: first.texts[0]!.replace(/^node:/, '') }
    if (known.CLEANERS.test(path)) return { ...NOTHING, path: `${path}()` }
    const source = this.#sourceOf(callee)
    if (source & LABEL.remote) return { ...NOTHING, labels: LABEL.remote, path: `${path}()` }
    if (source) return { ...NOTHING, labels: source, path: `${path}()` }
    const folded = foldedTexts(call, path, callee, args)
    const decodes = known.DECODERS.some(([pattern]) => pattern.test(path)) || isDecodingBuffer(path, args)
    let labels = all.labels | (decodes ? LABEL.decoded : 0) | (known.ENCODERS.test(path) ? LABEL.encoded : 0)
    // Whoever decodes what came from elsewhere reads a message.
    if (decodes && labels & LABEL.remote) labels &= ~LABEL.decoded
    if (known.RUNNERS.test(path) && call.args[0])
      for (const command of commandsOf(call.args[0].value, first)) labels |= known.labelsOfOutput(command)
    if (known.READERS.test(path)) labels |= labelsOfFiles([...args.flatMap(({ texts }) => texts), ...callee.texts])
    const results = callee.functions.map((func) => this.#scopes.get(func)?.result ?? NOTHING)
    if (results.length > 0) return { ...merged(results), path: `${path}()` }
    const texts =
      folded ?? (KEEPS_TEXT.test(path) ? uniqueTexts([...callee.texts, ...args.flatMap((arg) => arg.texts)]) : [])
    return { labels, texts, path: `${path}()`, functions: [], secrets: all.secrets }
  }

  /** Notes which files are filled from the network. */
  #note(callee: Value, args: readonly Value[]): void {
    const targets = [...callee.texts, ...(args[0]?.texts ?? [])]
    if (known.WRITERS.test(callee.path) && args.some(({ labels }) => labels & LABEL.remote))
      for (const target of targets) this.#fetched.add(target)
    if (/urlretrieve$|downloadfile$|wget\.download$/.test(callee.path))
      for (const target of args[1]?.texts ?? []) this.#fetched.add(target)
  }

  #judge(call: Call, callee: Value, args: readonly Value[], all: Value): void {
    const { path } = callee
    if (known.SENDERS.test(path) || (/\.(?:post|put|send|write|end)$/.test(path) && isConnection(path))) {
      const sent = merged([{ ...NOTHING, labels: callee.labels & ~LABEL.remote, secrets: callee.secrets }, ...args])
      this.#sends(sent, args[0] ?? NOTHING, call)
    }
    if (known.RUNNERS.test(path)) this.#runs(call, path, args)
    if (known.WRITERS.test(path)) this.#writes(call, callee, args, all)
    if (known.DELETERS.test(path)) this.#deletes(call, callee, args)
    if (known.READERS.test(path)) this.#reads(call, callee, args)
    if (known.LISTENERS.test(path)) this.#report('surveillance', 'warn', 'listens to every key or packet', call)
    if (/(?:^|\.)dup2$/.test(path))
      this.#report('shell_reverse_shell', 'critical', 'gives a shell to another machine', call)
    if (/SetValueEx$|setitemproperty$/i.test(path) && all.texts.some((text) => known.TRUSTED.test(text)))
      this.#report('shell_persistence', 'critical', 'starts itself with the system', call)
  }

  #sends(sent: Value, to: Value, at: Expression): void {
    const { labels } = sent
    const what = Object.entries(SENT).find(([label]) => labels & LABEL[label as keyof typeof SENT])?.[1]
    if (what) {
      this.#report('exfiltration', 'critical', `sends ${what} to another machine`, at)
      return
    }
    if (!(labels & (LABEL.secret | LABEL.settingsFile))) return
    const isHidden = (labels & (LABEL.encoded | LABEL.decoded)) !== 0
    const vendors = new Set(sent.secrets.map(vendorOf))
    const hosts = to.texts.map((text) => /^https?:\/\/([^/?#]+)/i.exec(text)?.[1]?.toLowerCase() ?? '')
    const isOwn = vendors.size > 0 && [...vendors].every((vendor) => hosts.some((host) => host.includes(vendor)))
    if (isHidden || vendors.size > 2)
      this.#report('exfiltration', 'critical', 'sends secrets of the environment to another machine', at)
    else if (!isOwn && hosts.some((host) => host !== '' && !LOCAL.test(host)))
      this.#report('exfiltration', 'warn', 'sends a secret to a machine that may not be its own', at)
  }

  #runs(call: Call, path: string, args: readonly Value[]): void {
    const [first] = call.args
    const value = args[0]
    if (!first || !value) return
    const program = this.#firsts.get(first.value) ?? value
    if (program.labels & LABEL.remote) this.#report('shell_piped_download', 'critical', 'runs what it downloads', call)
    else if (program.texts.some((text) => this.#fetched.has(text)))
      this.#report('shell_piped_download', 'critical', 'downloads a file and runs it', call)
    if (program.labels & LABEL.decoded)
      this.#report('shell_encoded_execution', 'critical', 'runs what it decodes', call)
    if (program.labels & (LABEL.privateFile | LABEL.environment) && CARRIES.test(value.texts.join(' ')))
      this.#report('exfiltration', 'critical', 'hands private data to a program that sends it', call)
    const isShell = !known.EVALUATORS.test(path)
    if (!isShell && value.texts.length === 0 && value.functions.length === 0 && first.value.kind !== 'function')
      this.#report('shell_encoded_execution', 'warn', 'runs a text that it is given as code', call)
    for (const text of commandsOf(first.value, value)) this.#make({ text, isShell, start: call.start + this.#offset })
  }

  /** Keeps code that the program makes, once, up to an amount: it is read in turn. */
  #make(code: MadeCode): void {
    const left = MOST_MADE - this.made.reduce((sum, { text }) => sum + text.length + EACH_MADE, 0)
    if (code.text.length <= left && !this.made.some(({ text }) => text === code.text)) this.made.push(code)
  }

  #writes(call: Call, callee: Value, args: readonly Value[], all: Value): void {
    const targets = [...callee.texts, ...(args[0]?.texts ?? [])].filter((text) => text.length < 400)
    const content = all.texts.join('\n')
    if (targets.some((target) => known.TRUSTED.test(target)))
      this.#report('shell_persistence', 'critical', 'lets somebody in, or starts itself with the system', call)
    else if (targets.some((target) => known.STARTED.test(target)))
      this.#report(
        'shell_persistence',
        all.labels & (LABEL.remote | LABEL.decoded) || RESTLESS.test(content) ? 'critical' : 'warn',
        'installs something that starts by itself',
        call,
      )
    if (callee.labels & LABEL.home && all.labels & LABEL.encoded)
      this.#report('harmful_instruction', 'critical', 'encrypts the files of its user', call)
    if (args.some(({ labels }) => labels & LABEL.input))
      this.#report('surveillance', 'warn', 'records keys, the screen, the clipboard or packets', call)
  }

  #reads(call: Call, callee: Value, args: readonly Value[]): void {
    const files = [...args.flatMap(({ texts }) => texts), ...callee.texts]
    if (labelsOfFiles(files) & (LABEL.privateFile | LABEL.conversation))
      this.#report('exfiltration', 'warn', 'reads files that belong to its user alone', call)
  }

  #deletes(call: Call, callee: Value, args: readonly Value[]): void {
    const target = args[0] ?? callee
    if (target.labels & LABEL.home || target.texts.some((text) => known.DELETED.test(text)))
      this.#report('shell_recursive_delete', 'critical', 'deletes what cannot be replaced', call)
  }

  #report(code: FindingCode, severity: Severity, says: string, at: Expression): void {
    const [start, end] = [at.start + this.#offset, at.end + this.#offset]
    const key = `${code} ${start}`
    if (!this.#isLast || this.#reported.has(key)) return
    this.#reported.add(key)
    this.deeds.push({ code, severity, says, start, end })
  }
}

/** Bounds the characters of the code that a program makes; each piece counts as more. */
const MOST_MADE = 20_000
const EACH_MADE = 300
const HARMLESS_MEMBER = /^(?:length|status|statusCode|status_code|ok|ok\?|name|size|type|constructor|reason)$/
const RUNS_WHEN_LOADED = /(?:os\.(?:system|popen)|subprocess\.\w+|eval|exec)$/
const CARRIES = /\b(?:curl|wget|nc|ncat|scp|rsync|sftp|ftp|dig|nslookup|ssh)\b/
const RESTLESS = /\b(?:curl|wget|nc|base64|python3? -c|nohup)\b|\/dev\/tcp|https?:\/\//
const LOCAL = /^(?:localhost|127\.|0\.0\.0\.0|\[?::1|10\.|192\.168\.|host\.docker)/
const KEEPS_TEXT =
  /(?:^|\.)(?:Path|PurePath|str|String|expanduser|expandvars|abspath|realpath|resolve|normpath|expand_path|decode|encode|toString|strip|trim|File\.open|open|io\.open|glob|iglob|rglob|walk|listdir|scandir|readdirSync|URI|URL|as_posix|absolute|bytes|Buffer\.from|dirname|fileURLToPath|format|lower|upper|list|sorted|items|values|split|join|replace|concat)$/
const SENT = {
  privateFile: 'private files',
  environment: 'the environment',
  conversation: 'what its user said',
  home: 'the files of its user',
  page: 'cookies',
  input: 'keys, the screen, the clipboard or packets',
} as const

function vendorOf(name: string): string {
  return name.split('_')[0]!.toLowerCase()
}

function isConnection(path: string): boolean {
  return /(?:requests|httpx|axios|Session\(\)|Client\(\)|http\.request\(\)|https\.request\(\)|WebSocket\(\)|XMLHttpRequest\(\)|socket(?:\.socket)?\(\)|createConnection\(\)|net\.connect\(\))/.test(
    path,
  )
}

function isCredentialKey({ texts }: Value): boolean {
  return texts.some((text) => known.CREDENTIALS.test(text))
}

/** Returns the value of variables of the environment by their names. */
function variablesNamed({ texts }: Value): Value {
  const secrets = texts.filter((text) => known.SECRET_NAME.test(text))
  if (texts.some((text) => /^(?:HOME|USERPROFILE)$/.test(text))) return { ...NOTHING, texts: ['~'] }
  if (secrets.length === 0) return NOTHING
  const isMany = new Set(secrets.map(vendorOf)).size > 2
  return { ...NOTHING, labels: isMany ? LABEL.environment : LABEL.secret, secrets: secrets.slice(0, 8) }
}

function labelsOfFiles(texts: readonly string[]): number {
  return texts.reduce((labels, text) => labels | known.labelsOfFile(text), 0)
}

function merged(values: readonly Value[], path = ''): Value {
  if (values.length === 1) return path === '' ? values[0]! : { ...values[0]!, path }
  let labels = 0
  const functions: Func[] = []
  for (const value of values) {
    labels |= value.labels
    for (const func of value.functions) if (functions.length < 8 && !functions.includes(func)) functions.push(func)
  }
  return {
    labels,
    texts: uniqueTexts(values.flatMap(({ texts }) => texts)),
    path: path || (values.find((value) => value.path !== '')?.path ?? ''),
    functions,
    secrets: uniqueTexts(values.flatMap(({ secrets }) => secrets)).slice(0, 8),
  }
}

function uniqueTexts(texts: readonly string[]): string[] {
  return [...new Set(texts)].slice(0, MOST_TEXTS)
}

/** Returns a text made of values. What begins with a constant is chosen by the program, wherever the rest comes from. */
function joined(values: readonly Value[]): Value {
  const all = merged(values)
  const isAnchored = (values[0]?.texts.length ?? 0) > 0 && values[0]!.texts.every((text) => /\S{2}/.test(text))
  return {
    ...all,
    path: '',
    functions: [],
    texts:
      values.length === 0
        ? ['']
        : productOf(
            values.map(({ texts }) => texts),
            '',
          ),
    labels: isAnchored ? all.labels & ~LABEL.remote : all.labels,
  }
}

/** Returns the texts that parts make, one after another; a part that is not known is left out. */
function productOf(parts: readonly (readonly string[])[], separator: string): string[] {
  let made = ['']
  for (const texts of parts) {
    if (texts.length === 0) continue
    made = made.flatMap((before) => texts.map((text) => (before === '' ? text : before + separator + text)))
    made = made.filter((text) => text.length <= LONGEST_TEXT).slice(0, MOST_TEXTS)
  }
  return made.length === 1 && made[0] === '' ? [] : made
}

/** Returns whether a call is `Buffer.from(text, "base64")`. */
function isDecodingBuffer(path: string, args: readonly Value[]): boolean {
  return (
    /(?:^|\.)Buffer\.from$/.test(path) &&
    (args[1]?.texts.some((text) => /^(?:base64|base64url|hex)$/.test(text)) ?? false)
  )
}

/** Returns what a call of a known function makes of constants; null where it is not known. */
function foldedTexts(call: Call, path: string, callee: Value, args: readonly Value[]): string[] | null {
  const first = args[0]?.texts ?? []
  if (/(?:^|\.)path\.(?:join|resolve)$|^join-path$|(?:^|\.)(?:joinpath|File\.join)$/.test(path))
    return productOf([...(path.endsWith('joinpath') ? [callee.texts] : []), ...args.map(({ texts }) => texts)], '/')
  if (/(?:^|\.)expanduser$|(?:^|\.)homedir$|Path\.home$|Dir\.home$/.test(path))
    return first.length > 0 ? first.slice() : ['~']
  for (const [pattern, decode] of known.DECODERS)
    if (pattern.test(path)) return decode ? [...first, ...callee.texts].slice(0, 4).map(decode) : []
  if (isDecodingBuffer(path, args))
    return first.map((text) => Buffer.from(text, args[1]!.texts[0] as BufferEncoding).toString('latin1'))
  if (/(?:^|\.)(?:chr|fromCharCode|fromCodePoint)$/.test(path))
    return args.every(({ texts }) => texts.length === 1)
      ? [args.map(({ texts }) => String.fromCodePoint(Math.min(0x10ffff, Number(texts[0]) || 32))).join('')]
      : []
  if (/(?:^|\.)join$/.test(path) && call.args.length <= 1) return joinedList(call, callee)
  if (/(?:^|\.)format$/.test(path)) return callee.texts.slice(0, 4).map((template) => filled(template, call, args))
  return null
}

/** Fills the places of a template: `{}`, `{0}`, `{name}`, `%s`, `%(name)s`. One whose value is not known stays. */
function filled(template: string, call: Call, args: readonly Value[]): string {
  let next = 0
  let left = LONGEST_TEXT
  return template
    .replace(/\{(\w{0,40})[^{}]{0,20}\}|%\((\w{1,40})\)s|%s/g, (place, key?: string, name?: string) => {
      const wanted = name ?? key ?? ''
      const index = /^\d{1,2}$/.test(wanted)
        ? Number(wanted)
        : wanted === ''
          ? next++
          : call.args.findIndex((arg) => arg.name === wanted)
      const text = left > 0 ? (args[index]?.texts[0] ?? place) : ''
      left -= text.length
      return text
    })
    .slice(0, LONGEST_TEXT)
}

/** Returns what `"".join(["a", "b"])` and `["a", "b"].join("")` make. */
function joinedList(call: Call, callee: Value): string[] | null {
  const argument = call.args[0]?.value
  const list =
    argument?.kind === 'group'
      ? argument
      : call.callee.kind === 'member' && call.callee.of.kind === 'group'
        ? call.callee.of
        : null
  const separator =
    list === argument ? (callee.texts[0] ?? '') : argument?.kind === 'joined' ? (constantOf(argument) ?? '') : ','
  if (!list || list.kind !== 'group') return null
  const parts = list.parts.map(constantOf)
  return parts.every((part) => part !== null) ? [parts.join(separator).slice(0, LONGEST_TEXT)] : null
}

/** Returns the text of an expression of constants only. */
function constantOf(expression: Expression): string | null {
  if (expression.kind === 'text') return expression.value
  if (expression.kind !== 'joined') return null
  const parts = expression.parts.map(constantOf)
  return parts.every((part) => part !== null) ? parts.join('') : null
}

/** Returns the commands that an argument of a runner spells: a text, or a list of words. */
function commandsOf(expression: Expression, value: Value): string[] {
  if (expression.kind !== 'group') return value.texts.slice(0, 4)
  const words = expression.parts.map(constantOf).map((word) => word ?? 'x')
  return [words.map((word) => (/[\s"']/.test(word) ? `'${word.replaceAll("'", '')}'` : word)).join(' ')]
}
