import type { Severity } from '../report.js'
import { type Pipeline, spanOf } from '../shell/command.js'
import { invocationsOf, isInData } from '../shell/invocations.js'
import * as files from '../shell/start-files.js'
import type { Reading } from '../text/reading.js'
import { rangesOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/** Comes back by itself: whatever downloads, decodes, connects, hides, or starts again and again. */
const RESTLESS =
  /\b(?:curl|wget|nc|ncat|base64|nohup|iwr|irm|powershell|certutil|mshta)\b|\/dev\/(?:tcp|shm)|https?:\/\/|(?:^|[\s"'/])\/(?:var\/)?tmp\/|\/\.(?!local\/|config\/(?!\.)|bashrc|bash_|zshrc|zprofile|zshenv|profile|nvm|cargo|pyenv|rbenv|oh-my|asdf|sdkman|deno|bun|npm|ssh|git|fzf|krew|poetry|dotnet|volta|rvm|kube|yarn|gem|cabal|ghcup|opam|rye|fly|foundry|composer|pulumi|tfenv|nix|aliases|inputrc|vim|tmux|zsh|bash|\.)[\w-]{1,40}(?:\/|\s|["']|$)|@reboot|\*(?:\/1)? \* \* \* \*|python3? -c|\beval\b(?! ["`]?\$\((?:direnv|ssh-agent|starship|zoxide|pyenv|rbenv|nodenv|fnm|mise|brew|\/opt|\/home|dircolors|thefuck|mcfly|atuin|fzf|hub|register|goenv|jenv|conda|luarocks|opam|lesspipe|gh|kubectl|op|navi|keychain))|LD_PRELOAD|PROMPT_COMMAND|alias (?:sudo|ssh|su|passwd|git|npm|ls|cd)=|trap .{0,60}(?:DEBUG|EXIT)|history -c|HISTFILE|sudo\s?\(\)|\b(?:shutdown|poweroff|halt|reboot|logout)\b/i

interface Place {
  readonly path: RegExp
  /** Judges what is written there, by the text of the command. */
  readonly judge: (text: string) => Severity | null
}

const restless = (otherwise: Severity | null) => (text: string) => (RESTLESS.test(text) ? 'critical' : otherwise)
const LOGIN_KEY =
  /\bssh-(?:rsa|ed25519|dss)\s+[A-Za-z0-9+/]{8,}|ecdsa-sha2-\w+\s+[A-Za-z0-9+/]{8,}|AAAA[BC]3Nza|curl|wget|base64|https?:|\$\w*(?:ATTACKER|EVIL)/i

const PLACES: readonly Place[] = [
  {
    path: files.LOGIN_KEYS,
    judge: (text) => (LOGIN_KEY.test(text) ? 'critical' : /\.pub\b/.test(text) ? 'info' : 'warn'),
  },
  { path: files.PROFILES, judge: restless(null) },
  { path: files.SCHEDULES, judge: restless('warn') },
  { path: files.SUDOERS, judge: (text) => (/NOPASSWD:\s*ALL/i.test(text) ? 'critical' : 'warn') },
  { path: files.ACCOUNTS, judge: () => 'critical' },
  { path: files.SERVICES, judge: restless('warn') },
  { path: files.GIT_HOOKS, judge: restless(null) },
  { path: files.AUTOSTART, judge: () => 'critical' },
  {
    path: files.SSH_SETTINGS,
    judge: (text) => (/ProxyCommand|\|\s*sh\b|curl|wget|LocalCommand/i.test(text) ? 'critical' : null),
  },
]

/** The writes of one command are judged for this many paths, and in this many characters. */
const MOST_PATHS = 20
const LONGEST_WRITE = 4_000
const WRITERS = new Set('tee cp mv ln install add-content set-content out-file ac sc sed'.split(' '))

const writesStartFile: Rule = {
  code: 'shell_persistence',
  severity: 'critical',
  says: 'installs something that starts by itself or lets somebody in',
  *find(reading: Reading): Iterable<Match> {
    for (const pipeline of reading.pipelines) {
      const span = spanOf(pipeline)
      for (const path of new Set(writtenPaths(pipeline).slice(0, MOST_PATHS))) {
        const end = pipeline.commands.find(({ heredoc }) => heredoc)?.heredoc?.end ?? span.end
        const text = reading.text.slice(Math.max(0, span.start - 4), Math.min(span.start + LONGEST_WRITE, end))
        const severity = PLACES.find((place) => place.path.test(path))?.judge(text) ?? null
        if (severity !== null) yield { ...span, severity, isData: isInData(pipeline) }
      }
      const severity = judgeScheduled(reading, pipeline)
      if (severity !== null) yield { ...span, severity, isData: isInData(pipeline) }
    }
    yield* rangesOf(reading, ...SPELLED)
  },
}

function writtenPaths(pipeline: Pipeline): string[] {
  const paths: string[] = []
  for (const { redirects } of pipeline.commands)
    for (const { operator, target } of redirects) if (operator.startsWith('>')) paths.push(target)
  for (const { name, args } of invocationsOf(pipeline, WRITERS)) {
    const operands = args.map(({ text }) => text).filter((text) => !text.startsWith('-'))
    if (/^(?:tee|.*-content|out-file|sc|ac)$/.test(name)) paths.push(...operands)
    else if (name !== 'sed' || args.some(({ text }) => text.startsWith('-i'))) paths.push(operands.at(-1) ?? '')
  }
  return paths.map((path) => path.slice(0, 200))
}

/** Programs that make something start by itself or let somebody in, judged by their arguments and by what stands around them. */
const SCHEDULERS: ReadonlyMap<string, (line: string, around: string) => Severity | null> = new Map([
  ['crontab', (line, around) => (/(?:^|\s)-(?:\s|$)|\/tmp|http/.test(line) ? restless('warn')(around) : null)],
  ['schtasks', judgeTask],
  ['register-scheduledtask', judgeTask],
  ['reg', judgeRegistry],
  ['new-itemproperty', judgeRegistry],
  ['set-itemproperty', judgeRegistry],
  ['useradd', judgeAccount],
  ['adduser', judgeAccount],
  ['net', (line) => (/^localgroup administrators \S+ \/add/i.test(line) ? 'critical' : null)],
  ['git', judgeGitSetting],
  ['export', (line) => (/\bLD_PRELOAD=(?:\/tmp|\/dev\/shm|\S{0,80}\/\.|\.\/|\$)/.test(line) ? 'critical' : null)],
])
const SCHEDULER_NAMES = new Set(SCHEDULERS.keys())

function judgeScheduled(reading: Reading, pipeline: Pipeline): Severity | null {
  for (const { name, args, command } of invocationsOf(pipeline, SCHEDULER_NAMES)) {
    const { start, end } = spanOf(pipeline)
    const isWhole = pipeline.commands.length > 1 && end - start > 30
    const around = isWhole
      ? reading.text.slice(start, end)
      : reading.text.slice(Math.max(0, command.start - 240), command.end + 1)
    const severity = SCHEDULERS.get(name)!(args.map(({ text }) => text).join(' '), around)
    if (severity !== null) return severity
  }
  return null
}

function judgeTask(line: string): Severity | null {
  if (!/\/create|-action|-taskname/i.test(line)) return null
  return RESTLESS.test(line) || /onlogon|minute|\\temp\\|appdata|\.vbs|hidden/i.test(line) ? 'critical' : 'warn'
}

function judgeRegistry(line: string): Severity | null {
  return /CurrentVersion\\(?:Run|RunOnce|Winlogon)/i.test(line) ? 'critical' : null
}

function judgeAccount(line: string): Severity | null {
  return /(?:^|\s)(?:-u\s?0|--uid[ =]0|-o)\b/.test(line) ? 'critical' : null
}

/** Git runs what these settings name, in every repository. */
function judgeGitSetting(line: string): Severity | null {
  if (/^config\b.*\bcredential\.(?:\S+\.)?helper\s!/.test(line))
    return /curl|wget|\bnc\b|https?:|>>?\s?\S|base64/.test(line) ? 'critical' : null
  if (/^config\b.*--(?:global|system)\b.*\bcore\.hooksPath\s\S/.test(line))
    return /\s\/(?:tmp|dev|var\/tmp)|\/\.(?!config|git)/.test(line) ? 'critical' : 'warn'
  if (
    /^config\b.*\b(?:core\.(?:sshCommand|pager|editor|fsmonitor)|alias\.\w+)\s.*(?:curl|wget|\bnc\b|base64|https?:)/.test(
      line,
    )
  )
    return 'critical'
  return null
}

const SPELLED: readonly RegExp[] = [
  /\bALL\s?=\s?(?:\((?:ALL|root)(?::ALL)?\)\s?)?NOPASSWD:\s?ALL\b/g,
  /\bchmod\s+(?:u\+s|\+s|[246]7\d\d|ug\+s)\s+\S{0,30}\/(?:ba|z|da)?sh\b|\bcp\s+\/bin\/(?:ba|da)?sh\s+\S{1,60}\s{0,3}(?:;|&&|\n)\s{0,3}chmod\s{1,3}(?:u?\+s|[46]7\d\d)/g,
  /\btrap\s+["']?[^\n]{0,40}(?:curl|wget|nc)[^\n]{0,80}\b(?:EXIT|DEBUG)\b/g,
  // An editor that runs a command when it starts, or writes.
  /\bsilent!?\s+(?:call\s+system\(|execute\s+['"]!|!)[^\n]{0,80}\b(?:curl|wget|nc|https?:)/g,
]

export const PERSISTENCE_RULES: readonly Rule[] = [writesStartFile]
