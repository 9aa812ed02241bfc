import type { Pipeline, Simple, Word } from './command.js'

/** A program and its arguments, wherever in a command it stands. */
export interface Invocation {
  readonly name: string
  readonly args: readonly Word[]
  /** Nothing but prefixes such as `sudo` stands before it. */
  readonly isFirst: boolean
  readonly command: Simple
  readonly start: number
}

const PREFIXES = new Set(
  `sudo doas env nohup time command exec builtin nice ionice stdbuf setsid timeout busybox unbuffer chroot then do else if while
  until ! $ > % # && - * & start unshare fakeroot strace`.split(/\s+/),
)
const ASSIGNMENT = /^[A-Za-z_]\w*=/

/** Returns where in a command its program stands, behind `sudo -u root`, assignments and prompts. */
export function programIndex({ words }: Simple): number {
  let i = 0
  let isPrefixed = false
  for (; i < words.length; i++) {
    const text = words[i]!.text
    if (PREFIXES.has(words[i]!.name) || PREFIXES.has(text)) isPrefixed = true
    else if (!ASSIGNMENT.test(text) && !(isPrefixed && /^(?:-.*|\d+[smh]?|root)$/.test(text))) break
  }
  return i
}

/** Returns the uses of programs of a set in a pipeline, in the order of the text. */
export function invocationsOf(pipeline: Pipeline, programs: ReadonlySet<string>): Invocation[] {
  return pipeline.commands.flatMap((command) => invocationsIn(command, programs))
}

export function invocationsIn(command: Simple, programs: ReadonlySet<string>): Invocation[] {
  const found: Invocation[] = []
  let first = -1
  for (let i = 0; i < command.words.length; i++) {
    const word = command.words[i]!
    const { name } = word
    if (!programs.has(name)) continue
    if (first === -1) first = programIndex(command)
    found.push({ name, args: command.words.slice(i + 1, i + 80), isFirst: i === first, command, start: word.start })
    if (found.length >= 8) break
  }
  return found
}

/** Returns whether one of the arguments is a flag: `short` in a group of letters (`-rf`), or one of the long ones. */
export function hasFlag(args: readonly Word[], short: string, ...long: string[]): boolean {
  return args.some(
    ({ text }) =>
      (short !== '' && /^-[A-Za-z]+$/.test(text) && Array.from(short).some((letter) => text.includes(letter))) ||
      long.some((flag) => text.toLowerCase() === flag || text.toLowerCase().startsWith(`${flag}=`)),
  )
}

/** Programs that show or search their arguments and run nothing. */
const READERS = new Set(
  `echo printf grep egrep fgrep rg ag ack git-grep test [ [[ assert case expect log logger print console.log semgrep yara sed awk cat less head tail jq
  write-host write-output say warn includes contains match search findall indexof`.split(/\s+/),
)
const COMMENTERS = /^(?:git|hg|gh|jira|svn)$/

/** Returns whether the words of a command are data: those of `grep`, or of a message for `git commit -m`. */
function isReader(command: Simple): boolean {
  const name = command.words[programIndex(command)]?.name ?? ''
  if (READERS.has(name)) return true
  if (COMMENTERS.test(name))
    return command.words.some(({ text }) => /^(?:commit|tag|grep|comment|issue|-m|--message|log)$/.test(text))
  return /(?:^|\.)(?:includes|contains|match|matches|test|search|findall|indexof|compile|startswith|log|info|warn|debug|error|print|println|expect|assert\w*|regexp?|re)$/i.test(
    command.callee,
  )
}

/** Returns whether a pipeline stands in a string that its command only shows, or searches for. */
export function isInData(pipeline: Pipeline): boolean {
  for (let parent = pipeline.parent; parent !== null; parent = parent.command.pipeline.parent) {
    if (parent.kind === 'substitution') return false
    if (parent.kind === 'heredoc' && !isInterpreter(parent.command)) return true
    if (parent.kind === 'string' && isReader(parent.command))
      return !flowsIntoInterpreter(parent.command) && !isSubstitutedAndRun(parent.command)
  }
  return false
}

/** `$(printf '…')`, `eval "$(echo …)"` */
function isSubstitutedAndRun(command: Simple): boolean {
  const { parent } = command.pipeline
  return parent?.kind === 'substitution' && runsArgument(parent.command)
}

const SHELLS = `sh bash zsh dash ksh ash fish csh tcsh`
const LANGUAGES = `python python2 python3 perl ruby node nodejs deno bun php lua pwsh powershell iex invoke-expression osascript tclsh rscript`
const INTERPRETERS: ReadonlySet<string> = new Set(`${SHELLS} ${LANGUAGES} source eval . cmd su batch at psh`.split(' '))
const SHELL_NAMES = new Set(SHELLS.split(' '))

/** Returns whether a program runs code that it is given. */
export function isInterpreterName(name: string): boolean {
  return INTERPRETERS.has(name) || /^python3?\.\d+$/.test(name)
}

function isInterpreter(command: Simple): boolean {
  const name = command.words[programIndex(command)]?.name ?? ''
  return isInterpreterName(name) || name === 'ssh' || name === 'crontab'
}

/** Returns whether what is piped into the command is run by it. */
export function runsInput(command: Simple): boolean {
  const words = command.words.slice(programIndex(command))
  const name = words[0]?.text === '.' ? '.' : (words[0]?.name ?? '')
  const args = words.slice(1)
  if (
    name === 'xargs' ||
    name === 'ssh' ||
    name === 'docker' ||
    name === 'kubectl' ||
    name === 'tee' ||
    name === 'parallel' ||
    name === 'podman' ||
    name === 'wsl'
  )
    return args.some(
      (word, i) => SHELL_NAMES.has(word.name) && !args.slice(i + 1).some(({ text }) => /\.\w+$/.test(text)),
    )
  if (name === 'crontab') return args.length === 0 || args.some(({ text }) => text === '-')
  if (!isInterpreterName(name)) return false
  const inline = args.findIndex(({ text }) => INLINE_CODE.test(text))
  if (inline !== -1 && SHELL_NAMES.has(args[inline + 1]?.name ?? '')) return true
  if (inline !== -1)
    return (
      SHELL_NAMES.has(name)
        ? /\b(?:cat|eval|source)\b|stdin|\$\(\)/
        : /\b(?:exec|eval|compile|system|Function)\b.{0,40}(?:stdin|STDIN|input|readFileSync\(0|<>)/i
    ).test(
      args
        .slice(inline + 1)
        .map(({ text }) => text)
        .join(' '),
    )
  if (args.some(({ text }) => text === '-m' || /^-(?=[a-z]{0,8}[pn])[a-z]{1,9}$/.test(text)) && !SHELL_NAMES.has(name))
    return false
  if (name === 'at' || name === 'su') return args.length <= 4
  const operand = args.find(({ text }) => !text.startsWith('-') && text !== '+')
  return (
    operand === undefined ||
    /^\/dev\/(?:stdin|fd\/0)$/.test(operand.text) ||
    !/[./\\]\w/.test(operand.text) ||
    args.some(({ text }) => text === '-s' || text === '-')
  )
}

/** Returns whether a command runs what is substituted into it: `eval $(…)`, `sh -c "$(…)"`, `bash <(…)`, or `$(…)` alone. */
export function runsArgument(command: Simple): boolean {
  const at = programIndex(command)
  const first = command.words[at]?.text ?? ''
  if (/^\$(?:\(\)|\{?\w+\}?$)/.test(first)) return !TESTS.test(command.words[at + 1]?.text ?? '')
  const name = first === '.' ? '.' : (command.words[at]?.name ?? '')
  if (name === 'ssh' || name === 'env') return command.words.slice(at + 1).some((word) => INTERPRETERS.has(word.name))
  if (!isInterpreterName(name)) {
    return command.words.some(
      (word, i) => INTERPRETERS.has(word.name) && /^(?:-c|\$\(\))$/.test(command.words[i + 1]?.text ?? ''),
    )
  }
  const args = command.words.slice(at + 1)
  const substituted = args.findIndex(({ text }) => text.includes('$'))
  if (substituted === -1) return name === 'eval' || name === 'iex' || name === 'invoke-expression'
  return (
    /^(?:eval|source|\.|iex|invoke-expression)$/.test(name) ||
    args.slice(0, substituted).every(({ text }) => /^[-+]/.test(text)) ||
    args.some(({ text }) => /^-\w*[ce]$/i.test(text))
  )
}

/** Operators between what is compared, which is not run: `[ "$size" -gt 100 ]`. */
const TESTS = /^(?:-(?:eq|ne|gt|ge|lt|le|ef|nt|ot)|[!=]?=|=~|[<>])$/

const INLINE_CODE = /^-(?:[a-z]*[ce]|r|command|c|E)$/

/** Returns whether what a command writes is run further along its pipeline. */
function flowsIntoInterpreter(command: Simple): boolean {
  const at = command.pipeline.commands.indexOf(command)
  return command.pipeline.commands.slice(at + 1).some(runsInput)
}
