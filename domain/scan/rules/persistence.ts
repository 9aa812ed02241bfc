import { invocationsOf, isInData } from '../shell/invocations.js'
import type { Pipeline } from '../shell/command.js'
import type { Reading } from '../text/reading.js'
import type { Severity } from '../report.js'
import { rangeOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/** Comes back by itself: whatever downloads, decodes, connects, hides, or starts again and again. */
const RESTLESS =
  /\b(?:curl|wget|nc|ncat|base64|nohup|iwr|irm|powershell|certutil|mshta)\b|\/dev\/(?:tcp|shm)|https?:\/\/|(?:^|[\s"'/])\/(?:var\/)?tmp\/|\/\.(?!local\/|config\/(?!\.)|bashrc|bash_|zshrc|zprofile|zshenv|profile|nvm|cargo|pyenv|rbenv|oh-my|asdf|sdkman|deno|bun|npm|ssh|git|fzf|krew|poetry|dotnet|volta|rvm|kube|yarn|gem|cabal|ghcup|opam|rye|fly|foundry|composer|pulumi|tfenv|nix|aliases|inputrc|vim|tmux|zsh|bash|\.)[\w-]{1,40}(?:\/|\s|["']|$)|@reboot|\*(?:\/1)? \* \* \* \*|python3? -c|\beval\b(?! ["`]?\$\((?:direnv|ssh-agent|starship|zoxide|pyenv|rbenv|nodenv|fnm|mise|brew|\/opt|\/home|dircolors|thefuck|mcfly|atuin|fzf|hub|register|goenv|jenv|conda|luarocks|opam|lesspipe|gh|kubectl|op|navi|keychain))|LD_PRELOAD|PROMPT_COMMAND|alias (?:sudo|ssh|su|passwd|git|npm|ls|cd)=|trap .{0,60}DEBUG|history -c|HISTFILE|sudo\s?\(\)/i
/** Things that people write into their shell's start files. */
const ORDINARY =
  /export \w+=|\balias \w|source |eval "?\$\(|\bPATH\b|set -o|bindkey|autoload|compinit|completion|\[ -|\[\[ |nvm|setopt|shopt|ulimit|^#|EDITOR|LANG\b/

interface Place {
  readonly path: RegExp
  /** Judges what is written there, by the text of the command. */
  readonly judge: (text: string) => Severity | null
}

const literalKey = /\bssh-(?:rsa|ed25519|dss)\s+[A-Za-z0-9+/]{8,}|ecdsa-sha2-\w+\s+[A-Za-z0-9+/]{8,}|AAAA[BC]3Nza/

const PLACES: readonly Place[] = [
  {
    path: /authorized_keys2?$/,
    judge: (text) =>
      literalKey.test(text) || /curl|wget|base64|https?:/i.test(text) || /\$\w*(?:ATTACKER|EVIL)/.test(text)
        ? 'critical'
        : /\.pub\b/.test(text)
          ? 'info'
          : 'warn',
  },
  {
    path: /(?:^|[/\\~])\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login|bash_logout|zlogin|kshrc|tcshrc|cshrc)$|\/etc\/(?:profile(?:\.d\/.*)?|bash\.bashrc|zsh\/.*|environment)$|config\.fish$|^\$PROFILE|profile\.ps1$/i,
    judge: (text) => (RESTLESS.test(text) ? 'critical' : ORDINARY.test(text) ? null : 'warn'),
  },
  {
    path: /^\/etc\/(?:cron.*|anacrontab)$|\/var\/spool\/cron\/.*/,
    judge: (text) => (RESTLESS.test(text) ? 'critical' : 'warn'),
  },
  { path: /^\/etc\/sudoers(?:\.d\/.*)?$/, judge: (text) => (/NOPASSWD:\s*ALL/i.test(text) ? 'critical' : 'warn') },
  { path: /^\/etc\/(?:passwd|shadow|ld\.so\.preload|pam\.d\/.*|group)$/, judge: () => 'critical' },
  {
    path: /^\/etc\/(?:rc\.local|init\.d\/.*|inittab)$|\/(?:systemd\/(?:system|user)|autostart|LaunchAgents|LaunchDaemons)\/[^/]+$/i,
    judge: (text) => (RESTLESS.test(text) ? 'critical' : null),
  },
  { path: /\.git\/hooks\/[\w-]+$/, judge: (text) => (RESTLESS.test(text) ? 'critical' : null) },
  { path: /Start Menu\\Programs\\Startup|shell:startup/i, judge: () => 'critical' },
  {
    path: /\.ssh\/(?:rc|config)$/,
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
      const first = pipeline.commands[0]!
      const span = { start: first.start, end: Math.max(first.start + 1, pipeline.commands.at(-1)!.end) }
      for (const path of new Set(writtenPaths(pipeline).slice(0, MOST_PATHS))) {
        const text = reading.text.slice(
          Math.max(0, span.start - 4),
          Math.min(span.start + LONGEST_WRITE, endOfWrite(reading, span.end)),
        )
        const severity = PLACES.find((place) => place.path.test(path))?.judge(text) ?? null
        if (severity !== null) yield { ...span, severity, isData: isInData(pipeline) }
      }
      const severity = judgeScheduled(reading, pipeline)
      if (severity !== null) yield { ...span, severity, isData: isInData(pipeline) }
    }
    for (const [pattern, severity] of SPELLED)
      for (const found of reading.text.matchAll(pattern)) yield { ...rangeOf(found), severity }
  },
}

function writtenPaths(pipeline: Pipeline): string[] {
  const paths: string[] = []
  for (const { redirects } of pipeline.commands)
    for (const { operator, target } of redirects) if (operator.startsWith('>')) paths.push(target)
  for (const { name, args } of invocationsOf(pipeline, WRITERS)) {
    const operands = args.map(({ text }) => text).filter((text) => !text.startsWith('-'))
    if (name === 'tee' || name.endsWith('-content') || name === 'out-file' || name === 'sc' || name === 'ac')
      paths.push(...operands)
    else if (name === 'sed' && args.some(({ text }) => text.startsWith('-i'))) paths.push(operands.at(-1) ?? '')
    else paths.push(operands.at(-1) ?? '')
  }
  return paths.map((path) => path.slice(0, 200))
}

/** Returns where the text of a write ends: that of a here-document stands after its command. */
function endOfWrite(reading: Reading, end: number): number {
  return /<<-?\s*["']?\w+/.test(reading.text.slice(Math.max(0, end - 200), end + 24)) ? end + 600 : end
}

const SCHEDULERS = new Set([
  'crontab',
  'schtasks',
  'reg',
  'new-itemproperty',
  'set-itemproperty',
  'register-scheduledtask',
  'useradd',
  'net',
  'usermod',
  'adduser',
  'at',
  'launchctl',
])

function judgeScheduled(reading: Reading, pipeline: Pipeline): Severity | null {
  for (const { name, args, command } of invocationsOf(pipeline, SCHEDULERS)) {
    const line = args.map(({ text }) => text).join(' ')
    const whole = reading.text.slice(pipeline.commands[0]!.start, Math.max(command.end, command.start))
    const around = reading.text.slice(Math.max(0, command.start - 240), command.end + 1)
    switch (name) {
      case 'crontab':
        if (!/(?:^|\s)-(?:\s|$)|^$/.test(line) && !/\/tmp|http/.test(line)) continue
        return line === '' && pipeline.commands.length === 1
          ? null
          : RESTLESS.test(pipeline.commands.length > 1 && whole.length > 30 ? whole : around)
            ? 'critical'
            : 'info'
      case 'schtasks':
      case 'register-scheduledtask':
        if (/\/create|-action|-taskname/i.test(line))
          return RESTLESS.test(line) || /onlogon|minute|\\temp\\|appdata|\.vbs|hidden/i.test(line) ? 'critical' : 'info'
        continue
      case 'reg':
      case 'new-itemproperty':
      case 'set-itemproperty':
        if (/CurrentVersion\\(?:Run|RunOnce|Winlogon)/i.test(line)) return 'critical'
        continue
      case 'useradd':
      case 'adduser':
        if (/(?:^|\s)(?:-u\s?0|--uid[ =]0|-o)\b/.test(line)) return 'critical'
        continue
      case 'net':
        if (/^localgroup administrators \S+ \/add/i.test(line)) return 'critical'
        continue
      default:
        continue
    }
  }
  return null
}

const SPELLED: readonly (readonly [RegExp, Severity])[] = [
  [/\bALL\s?=\s?\((?:ALL|root)(?::ALL)?\)\s?NOPASSWD:\s?ALL\b/g, 'critical'],
  [/\bALL=NOPASSWD:\s?ALL\b/g, 'critical'],
  [
    /\bchmod\s+(?:u\+s|\+s|[246]7\d\d|ug\+s)\s+\S{0,30}\/(?:ba|z|da)?sh\b|\bcp\s+\/bin\/(?:ba|da)?sh\s+\S{1,60}\s{0,3}(?:;|&&|\n)\s{0,3}chmod\s{1,3}(?:u?\+s|[46]7\d\d)/g,
    'critical',
  ],
  [
    /\bopen\(\s*["'][^"'\n]{0,80}(?:authorized_keys|\.bashrc|\.zshrc|\.profile|crontab|rc\.local|sudoers)["'][^)\n]{0,40}["'][aw]\+?["']/g,
    'critical',
  ],
  [
    /\bopen\(\s*os\.path\.expanduser\(["'][^"'\n]{0,80}(?:authorized_keys|\.bashrc|\.zshrc|\.profile)["']\)\s*,\s*["'][aw]/g,
    'critical',
  ],
  [
    /\b(?:appendFileSync|writeFileSync|appendFile)\([^)\n]{0,100}(?:authorized_keys|\.bashrc|\.zshrc|\.profile|crontab)/g,
    'critical',
  ],
  [/\bgit config --global core\.hooksPath\s+\/(?:tmp|dev)/g, 'critical'],
]

export const PERSISTENCE_RULES: readonly Rule[] = [writesStartFile]
