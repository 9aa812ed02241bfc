import type { Severity } from '../report.js'
import { parseShell } from '../shell/parse.js'
import { invocationsIn, programIndex } from '../shell/invocations.js'
import { lineOf } from '../shell/command.js'
import { PRIVATE, readsPrivate } from '../shell/private.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { DOWNLOADERS } from '../shell/sources.js'
import { rangeOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/*
 * A harness runs some of a skill by itself when it loads it, before a model or a person reads it. Claude Code replaces `!` and a command in
 * backticks, and a fence that is opened with an exclamation mark, by what the command writes; it does so wherever they stand, in code and
 * under warnings too. It runs the commands of `hooks` in the front matter, and grants `allowed-tools` without asking.
 */

const INLINE = /(?<=^|[\s([{"'>|*_:-])!`([^`\n]{1,400})`/gm
const FENCED = /^[ \t>]{0,8}(?:`{3,}|~{3,})!([^`\n]{0,200})\n([^]{1,2000}?)^[ \t>]{0,8}(?:`{3,}|~{3,})/gm
/** Programs that tell about a project, and change nothing. */
const INSPECTS =
  /^(?:git (?:status|diff|log|show|branch|rev-parse|remote|ls-files|describe|config (?:--get )?user\.\w+|symbolic-ref|merge-base|stash list|worktree list)|gh (?:pr|issue|repo|run) (?:view|diff|list|status|checks)|ls|pwd|date|tree|find|wc|head|tail|cat|grep|rg|sort|uniq|echo|basename|dirname|which|command|uname|jq|cut|tr|sed|test|true|node (?:-v|--version)|npm (?:-v|--version|ls|list)|python3? (?:-V|--version)|go version|cargo --version|tsc --version)\b/

const runAtLoad: Rule = {
  code: 'harness_command',
  severity: 'critical',
  says: 'has a command that a harness runs when it loads the skill, before anybody reads it',
  isCertain: true,
  *find(reading: Reading): Iterable<Match> {
    for (const found of [...reading.text.matchAll(INLINE), ...reading.text.matchAll(FENCED)]) {
      const severity = judgeCommand(`${found[1]}\n${found[2] ?? ''}`)
      if (severity !== null) yield { ...rangeOf(found), severity }
    }
  },
}

/** Returns nothing for what only looks at the project, and a warning for what may do anything. */
function judgeCommand(text: string): Severity | null {
  const commands = parseShell(text, 0, text.length, { isCode: true, isRow: false }).flatMap(
    (pipeline) => pipeline.commands,
  )
  const isGrave = commands.some(
    (command) =>
      readsPrivate(command) ||
      invocationsIn(command, DOWNLOADERS).length > 0 ||
      /^(?:env|set|printenv|eval|ba?sh|sh|zsh|rm|nc|sudo|ssh|chmod|base64|crontab|osascript|security)$/.test(
        command.words[programIndex(command)]?.name ?? '',
      ),
  )
  if (isGrave || PRIVATE.test(text)) return 'critical'
  const plain = commands.every(
    (command) =>
      INSPECTS.test(lineOf(command)) &&
      command.redirects.every(({ target }) => target === '/dev/null' || /^&?\d$/.test(target)),
  )
  return plain ? null : 'warn'
}

const HOOKS =
  /^hooks[ \t]{0,4}:(?=[^\n]{0,400}\bcommand\b|(?:[^\n]{0,400}\n){1,40}?[ \t-]{1,40}["']?command["']?[ \t]{0,4}:)/m
const GRANTS = /^allowed-tools[ \t]{0,4}:[^\n]{0,400}|^(?:permission-?mode|permissions)[ \t]{0,4}:[^\n]{0,200}/im
const SECOND = /^\s{0,40}---[ \t]*\n([^]{1,8000}?)\n---[ \t]*(?:\n|$)/

/** Front matter that gives a harness something to run: its own, and one that the content brings along. */
const frontMatter: Rule = {
  code: 'harness_command',
  severity: 'critical',
  says: 'has a front matter that makes a harness run commands, or grants tools without asking',
  isCertain: true,
  *find(reading: Reading, field = ''): Iterable<Match> {
    if (field === 'front_matter') {
      const hooks = HOOKS.exec(reading.text)
      if (hooks) yield { ...matchedLine(hooks), severity: 'warn' }
    } else if (field === 'content') {
      const second = SECOND.exec(reading.text)
      const offset = second ? second[0].indexOf(second[1]!) : 0
      for (const pattern of [HOOKS, GRANTS]) {
        const found = second && pattern.exec(second[1]!)
        if (found) yield { start: offset + found.index, end: offset + matchedLine(found).end }
      }
    } else if (/^front_matter\.hooks\..*command$/.test(field))
      yield { start: 0, end: reading.text.length, severity: 'warn' }
  },
}

function matchedLine(found: RegExpExecArray): Span {
  return { start: found.index, end: found.index + Math.max(found[0].length, 6) }
}

export const HARNESS_RULES: readonly Rule[] = [runAtLoad, frontMatter]
