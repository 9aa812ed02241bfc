import type { Reading } from '../text/reading.js'
import { lineOf, type Parent, type Pipeline, type Simple, type Word } from './command.js'
import { isInterpreterName, programIndex, runsArgument, runsInput } from './invocations.js'
import { readsPrivate } from './private.js'
import { baseOf, decodes, downloads, savedFile } from './sources.js'

/** The kinds of data: from the network, decoded, or somebody's own. */
type Kind = 'download' | 'decoded' | 'private'

/** Data of a kind, and the command that it comes from. */
export interface Mark {
  readonly kind: Kind
  readonly source: Simple
}

/** A command that runs data as a program. */
export interface Run {
  readonly mark: Mark
  readonly command: Simple
  /** It lay in a file between. */
  readonly isSaved: boolean
}

interface Kept {
  readonly marks: readonly Mark[]
  /** The number of the pipeline that wrote it. */
  readonly at: number
}

/** Data that a substitution writes. */
interface Substituted {
  readonly start: number
  readonly marks: readonly Mark[]
}

const MOST_NAMES = 200
const DEEPEST = 8
/** Bounds how many pipelines behind a download its file is looked for. */
const AHEAD = 12
const CHECKS =
  /\b(?:sha\d{3}sum|shasum|gpg|cosign|minisign|sigstore|b3sum|less|more|vim|nano|diff|md5sum|Get-FileHash|dgst|signify|shellcheck|view|read|review|inspect|check|verify)\b/i
const SAVES =
  /^(?:\S+ ){0,12}(?:openssl|gpg|tar|zip|7z|sort|\S*(?:curl|wget|iwr|irm|invoke-\w+|aria2c|fetch|certutil|base64|base32|xxd|gsutil|start-bitstransfer|bitsadmin))\b/i
const STAGED = /^\/(?:tmp|dev\/shm|var\/tmp)\/|\.(?:tgz|tar|tar\.\w+|zip|gz|7z|b64|txt|enc|dat|bin|log|json)$/

const flows = new WeakMap<Reading, Flow>()

/** Returns how data goes through the commands of a text. */
export function flowOf(reading: Reading): Flow {
  let flow = flows.get(reading)
  if (!flow) flows.set(reading, (flow = new Flow(reading.pipelines)))
  return flow
}

/**
 * Follows data through commands as a shell moves it: along pipes, into files and variables and out of them, and by substitution. Once, in
 * the order of the text.
 */
export class Flow {
  readonly runs: Run[] = []
  readonly #held = new Map<Simple, readonly Mark[]>()
  readonly #outputs = new Map<Pipeline, readonly Mark[]>()
  readonly #substituted = new Map<Simple, Pipeline[]>()
  readonly #files = new Map<string, Kept>()
  readonly #variables = new Map<string, readonly Mark[]>()
  #number = 0

  constructor(pipelines: readonly Pipeline[]) {
    for (const pipeline of pipelines) this.#addToParents(pipeline)
    for (const pipeline of pipelines.toSorted((a, b) => a.commands[0]!.start - b.commands[0]!.start)) {
      this.#number++
      this.#follow(pipeline, 0)
    }
  }

  /** Returns what a command reads itself, and what reaches it by its input, its arguments, and the files and variables it names. */
  heldBy(command: Simple): readonly Mark[] {
    return this.#held.get(command) ?? []
  }

  /** Data of a substitution reaches its command, and the one whose string or here-document it stands in: `sh -c "$(…)"`. */
  #addToParents(pipeline: Pipeline): void {
    if (pipeline.parent?.kind !== 'substitution') return
    let parent: Parent | null = pipeline.parent
    for (; parent; parent = parent.command.pipeline.parent) {
      const known = this.#substituted.get(parent.command)
      if (known) known.push(pipeline)
      else this.#substituted.set(parent.command, [pipeline])
    }
  }

  #follow(pipeline: Pipeline, depth: number): readonly Mark[] {
    const known = this.#outputs.get(pipeline)
    if (known) return known
    this.#outputs.set(pipeline, [])
    let piped: readonly Mark[] = []
    for (const command of pipeline.commands) {
      const substituted = depth < DEEPEST ? (this.#substituted.get(command) ?? []) : []
      const given = substituted.map((child) => ({
        start: child.commands[0]!.start,
        marks: this.#follow(child, depth + 1),
      }))
      piped = this.#pass(command, piped, given)
    }
    if (CHECKS.test(pipeline.commands.map(lineOf).join(' '))) this.#forgetDownloads()
    this.#outputs.set(pipeline, piped)
    return piped
  }

  /** Returns what a command writes for the next one. */
  #pass(command: Simple, piped: readonly Mark[], substituted: readonly Substituted[]): readonly Mark[] {
    const proofs = command.words.filter((word, i) => isProof(word, command.words[i - 1]))
    const line = command.words
      .filter((word) => !proofs.includes(word))
      .map(({ text }) => text)
      .join(' ')
    const given = substituted
      .filter(({ start }) => !proofs.some((proof) => proof.start <= start && start < proof.end))
      .flatMap(({ marks }) => marks)
    const named = this.#marksOfVariables(line)
    const input = command.redirects.filter(({ operator }) => operator.startsWith('<')).map(({ target }) => target)
    const redirected = input.flatMap((target) => [...this.#marksOfVariables(target), ...this.#marksOfFiles(target)])
    this.#run(command, [...piped, ...redirected], [...given, ...named])
    const own = this.#own(command)
    const held = distinct([...own, ...piped, ...redirected, ...given, ...named, ...this.#marksOfFiles(line)])
    if (held.length === 0) return held
    this.#held.set(command, held)
    return this.#keep(command, held)
  }

  #own(command: Simple): Mark[] {
    const marks: Mark[] = []
    if (downloads(command)) marks.push({ kind: 'download', source: command })
    if (decodes(command)) marks.push({ kind: 'decoded', source: command })
    if (readsPrivate(command)) marks.push({ kind: 'private', source: command })
    return marks
  }

  #run(command: Simple, input: readonly Mark[], given: readonly Mark[]): void {
    const runnable = (marks: readonly Mark[]) => marks.filter(({ kind }) => kind !== 'private')
    if (runnable(input).length > 0 && runsInput(command)) {
      for (const mark of runnable(input)) this.runs.push({ mark, command, isSaved: false })
      return
    }
    const { parent } = command.pipeline
    const isNamed = parent?.kind === 'string' && command.words.length === 1
    // A string that names a file or a variable is no command, unless an interpreter is given it.
    if (isNamed && !isInterpreterName(parent.command.words[programIndex(parent.command)]?.name ?? '')) return
    if (runnable(given).length > 0 && (runsArgument(command) || runsInput(command)))
      for (const mark of runnable(given)) this.runs.push({ mark, command, isSaved: false })
    for (const [file, { marks, at }] of this.#files)
      if (this.#number - at <= AHEAD && runnable(marks).length > 0 && runsFile(command, file))
        for (const mark of runnable(marks)) this.runs.push({ mark, command, isSaved: true })
  }

  /** Remembers the files and variables that a command writes; returns what is left for its output. */
  #keep(command: Simple, held: readonly Mark[]): readonly Mark[] {
    const kept = { marks: held, at: this.#number }
    for (const { text } of command.words) {
      const name = /^(\w{1,40})\+?=/.exec(text)?.[1]
      if (name !== undefined) this.#setVariable(name, held)
    }
    for (const { operator, target } of command.redirects) if (operator.startsWith('>')) this.#setFile(target, kept)
    const saved = SAVES.test(lineOf(command)) ? savedFile(command) : null
    if (saved !== null) this.#setFile(saved, kept)
    const name = command.words[programIndex(command)]?.name ?? ''
    if (name === 'tee' || held.some(({ kind }) => kind === 'private')) {
      const operands = command.words.slice(1).filter(({ text }) => !text.startsWith('-'))
      for (const [i, { text }] of operands.entries()) {
        const isTarget = i === operands.length - 1 && /^(?:cp|mv|tee|install|rsync)$/.test(name)
        if (isTarget || STAGED.test(text)) this.#setFile(text, kept)
        // What lies in a folder goes where the folder goes.
        const folder = isTarget ? /^\$\{?(\w+)/.exec(text)?.[1] : undefined
        if (folder !== undefined) this.#setVariable(folder, held)
        else if (isTarget && text.startsWith('/tmp/')) this.#setFile(text.replace(/\/[^/]*$/, ''), kept)
      }
    }
    return saved !== null && downloads(command) ? held.filter(({ source }) => source !== command) : held
  }

  #setVariable(name: string, marks: readonly Mark[]): void {
    if (this.#variables.size < MOST_NAMES) this.#variables.set(name, marks)
  }

  #setFile(path: string, kept: Kept): void {
    if (path.length < 120 && path !== '/dev/null' && path !== '/tmp' && this.#files.size < MOST_NAMES)
      this.#files.set(isStaged(path, kept) ? plain(path).replace(/\.\w{1,5}$/, '') : plain(path), kept)
  }

  #marksOfFiles(line: string): Mark[] {
    if (this.#files.size === 0) return []
    const found: Mark[] = []
    const text = plain(line)
    for (const [path, { marks }] of this.#files) if (path.length >= 4 && text.includes(path)) found.push(...marks)
    return found
  }

  #marksOfVariables(line: string): Mark[] {
    if (this.#variables.size === 0) return []
    const found: Mark[] = []
    for (const [, name] of line.matchAll(/\$\{?(\w{1,40})/g)) found.push(...(this.#variables.get(name!) ?? []))
    return found
  }

  #forgetDownloads(): void {
    for (const [file, { marks }] of this.#files)
      if (marks.every(({ kind }) => kind === 'download')) this.#files.delete(file)
  }
}

/** Returns a path with its substitutions as the parser writes those without quotes. */
function plain(path: string): string {
  return path.includes('$(') ? path.replace(/\$\([^()]{0,200}\)/g, '$()') : path
}

const PROOF = /^["']?(?:authorization|x-api-key|api-key|private-token|cookie|x-[\w-]{0,40}(?:key|token))\b/i

/** Returns whether a word is what a request proves who it is with: that goes where it belongs. */
export function isProof({ text }: Word, before: Word | undefined): boolean {
  if (before === undefined || !before.text.startsWith('-')) return false
  return (
    /^(?:-u|--user|--oauth2-bearer)$/.test(before.text) ||
    (/^(?:-H|--header|-Headers)$/i.test(before.text) && PROOF.test(text))
  )
}

/** Returns whether private data lies ready under a name: it goes out under the same one, whatever ending that has. */
function isStaged(path: string, { marks }: Kept): boolean {
  return /^\/tmp\/[^.]{6}/.test(path) && marks.some(({ kind }) => kind === 'private')
}

/** Returns the first mark of each kind: what stands nearest. */
function distinct(marks: readonly Mark[]): readonly Mark[] {
  return marks.length < 2 ? marks : marks.filter((mark, i) => marks.findIndex(({ kind }) => kind === mark.kind) === i)
}

const STARTERS =
  /^python3?(?:\.\d+)?$|^(?:start|start-process|rundll32|regsvr32|msiexec|installer|mshta|wscript|cscript|open|&)$/

/** Returns whether a command runs a file: by its path, or with an interpreter. */
function runsFile(command: Simple, path: string): boolean {
  const file = baseOf(path)
  const words = command.words.slice(programIndex(command))
  const isFile = ({ text }: Word) => text === path || (file !== null && baseOf(text) === file)
  if (words[0] && isFile(words[0])) return /[./\\$]/.test(words[0].text)
  const name = words[0]?.text === '.' ? '.' : (words[0]?.name ?? '')
  if (!isInterpreterName(name) && !STARTERS.test(name) && !isInterpreterName(words[1]?.name ?? '')) return false
  const operand = words.slice(1).find((word) => !/^[-/]\w*$/.test(word.text) && !isInterpreterName(word.name))
  return operand !== undefined && isFile(operand)
}
