import type { FindingCode } from '../finding-codes.js'
import type { Severity } from '../report.js'
import { commandsOf } from './constants.js'
import type { Expression } from './expression.js'
import type { Seen, SeenCall } from './flow.js'
import { merged, NOTHING, type Value } from './value.js'
import { addressOf, isHostOf, isLocal, issuerOf } from '../rules/hosts.js'
import { givesAccess, isStarted } from '../shell/start-files.js'
import { isDangerousTarget } from '../shell/targets.js'
import * as known from './vocabulary.js'
import { LABEL } from './vocabulary.js'

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

/** Returns what a program does with its values, and the code that it makes. */
export function judgeProgram(seen: Seen): { readonly deeds: readonly Deed[]; readonly made: readonly MadeCode[] } {
  const judge = new Judge(seen.fetched)
  for (const { kind, value, at, offset } of seen.others) judge.judgeOther(kind, value, at, offset)
  for (const call of seen.calls) judge.judgeCall(call)
  return judge
}

class Judge {
  readonly deeds: Deed[] = []
  readonly made: MadeCode[] = []
  readonly #reported = new Set<string>()
  #madeLength = 0
  #offset = 0

  constructor(private readonly fetched: ReadonlySet<string>) {}

  judgeOther(kind: 'loads' | 'unpacks', value: Value, at: Expression, offset: number): void {
    this.#offset = offset
    if (kind === 'loads') this.#sends(value, value, at)
    else if (RUNS_WHEN_LOADED.test(value.path))
      this.#report('shell_encoded_execution', 'critical', 'runs a command when it is unpacked', at)
  }

  judgeCall(seen: SeenCall): void {
    const { call, callee, args, all, isOwn, offset } = seen
    const { path } = callee
    this.#offset = offset
    if (isOwn) return
    if (known.SENDERS.test(path) || (/\.(?:post|put|send|write|end)$/.test(path) && CONNECTION.test(path))) {
      const sent = merged([{ ...NOTHING, labels: callee.labels & ~LABEL.remote, secrets: callee.secrets }, ...args])
      this.#sends(sent, args[0] ?? NOTHING, call)
    }
    if (known.RUNNERS.test(path)) this.#runs(seen)
    if (known.WRITERS.test(path)) this.#writes(seen)
    if (known.DELETERS.test(path)) this.#deletes(seen)
    if (known.READERS.test(path)) this.#reads(seen)
    if (known.LISTENERS.test(path)) this.#report('surveillance', 'warn', 'listens to every key or packet', call)
    if (/(?:^|\.)dup2$/.test(path))
      this.#report('shell_reverse_shell', 'critical', 'gives a shell to another machine', call)
    if (/SetValueEx$|setitemproperty$/i.test(path) && all.texts.some(givesAccess))
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
    const issuers = new Set(sent.secrets.map(issuerOf))
    const hosts = to.texts.map((text) => addressOf(text)?.host ?? '')
    const isIssuers = issuers.size > 0 && [...issuers].every((issuer) => hosts.some((host) => isHostOf(host, issuer)))
    if (isHidden || issuers.size > 2)
      this.#report('exfiltration', 'critical', 'sends secrets of the environment to another machine', at)
    else if (!isIssuers && hosts.some((host) => host !== '' && !isLocal(host)))
      this.#report('exfiltration', 'warn', 'sends a secret to a machine that may not be its own', at)
  }

  #runs({ call, callee, args, program }: SeenCall): void {
    const [first] = call.args
    const value = args[0]
    if (!first || !value) return
    const isShell = !known.EVALUATORS.test(callee.path)
    if (program.labels & LABEL.remote || (!isShell && program.labels & LABEL.inserted))
      this.#report('shell_piped_download', 'critical', 'runs what it downloads', call)
    else if (program.texts.some((text) => this.fetched.has(text)))
      this.#report('shell_piped_download', 'critical', 'downloads a file and runs it', call)
    if (program.labels & LABEL.decoded)
      this.#report('shell_encoded_execution', 'critical', 'runs what it decodes', call)
    if (program.labels & (LABEL.privateFile | LABEL.environment) && CARRIES.test(value.texts.join(' ')))
      this.#report('exfiltration', 'critical', 'hands private data to a program that sends it', call)
    if (!isShell && value.texts.length === 0 && value.functions.length === 0 && first.value.kind !== 'function')
      this.#report('shell_encoded_execution', 'warn', 'runs a text that it is given as code', call)
    if (program.labels & LABEL.cut) this.#report('unread_code', 'warn', 'runs more than can be read', call)
    for (const text of commandsOf(first.value, value))
      this.#make({ text, isShell, start: call.start + this.#offset }, call)
  }

  /** Keeps code that the program makes, once, up to an amount: it is read in turn. */
  #make(code: MadeCode, at: Expression): void {
    if (this.made.some(({ text }) => text === code.text)) return
    this.#madeLength += code.text.length + EACH_MADE
    if (this.#madeLength > MOST_MADE) this.#report('unread_code', 'warn', 'makes more code than can be read', at)
    else this.made.push(code)
  }

  #writes({ call, callee, args, all }: SeenCall): void {
    const targets = [...callee.texts, ...(args[0]?.texts ?? [])].filter((text) => text.length < 400)
    const content = all.texts.join('\n')
    if (targets.some(givesAccess))
      this.#report('shell_persistence', 'critical', 'lets somebody in, or starts itself with the system', call)
    else if (targets.some(isStarted))
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

  #reads({ call, callee, args }: SeenCall): void {
    const labels = [...args.flatMap(({ texts }) => texts), ...callee.texts].map(known.labelsOfFile)
    if (labels.some((label) => label & (LABEL.privateFile | LABEL.conversation)))
      this.#report('exfiltration', 'warn', 'reads files that belong to its user alone', call)
  }

  #deletes({ call, callee, args }: SeenCall): void {
    const target = args[0] ?? callee
    if (target.labels & LABEL.home || target.texts.some(isDangerousTarget))
      this.#report('shell_recursive_delete', 'critical', 'deletes what cannot be replaced', call)
  }

  #report(code: FindingCode, severity: Severity, says: string, at: Expression): void {
    const [start, end] = [at.start + this.#offset, at.end + this.#offset]
    const key = `${code} ${start}`
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    this.deeds.push({ code, severity, says, start, end })
  }
}

/** Bounds the characters of the code that a program makes; each piece counts as more. */
const MOST_MADE = 20_000
const EACH_MADE = 300
const RUNS_WHEN_LOADED = /(?:os\.(?:system|popen)|subprocess\.\w+|eval|exec)$/
const CARRIES = /\b(?:curl|wget|nc|ncat|scp|rsync|sftp|ftp|dig|nslookup|ssh)\b/
const RESTLESS = /\b(?:curl|wget|nc|base64|python3? -c|nohup)\b|\/dev\/tcp|https?:\/\//
const CONNECTION =
  /(?:requests|httpx|axios|Session\(\)|Client\(\)|http\.request\(\)|https\.request\(\)|WebSocket\(\)|XMLHttpRequest\(\)|socket(?:\.socket)?\(\)|createConnection\(\)|net\.connect\(\))/
const SENT = {
  privateFile: 'private files',
  environment: 'the environment',
  conversation: 'what its user said',
  home: 'the files of its user',
  page: 'cookies',
  input: 'keys, the screen, the clipboard or packets',
} as const
