import type { Reading } from '../text/reading.js'
import { rangeOf, rangesOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/** The distance at which the two halves of a reverse shell may stand apart: a connection, and a shell on it. */
const REACH = 500

const CONNECTS =
  /\/dev\/(?:tcp|udp)\/|\/inet\/tcp\/|\bztcp\b|socket\.socket|\bsocket\s*\(\s*(?:S|PF_INET|AF_INET)|net\.(?:connect|Socket|createConnection|Dial)|require\(['"]net['"]\)|fsockopen|TCPSocket\.(?:new|open)|IO::Socket|TCPClient|stream_socket_client|new Socket\(|create_connection/gi
const GIVES_SHELL =
  /dup2|[<>]&\$|\|&|pty\.spawn|\/bin\/(?:ba|z|da|k)?sh\b|\b(?:ba|z|k)?sh -i\b|cmd(?:\.exe)?["']?\s*[,\])]|cmd\.exe|child_process|proc_open|0<?>&1|<&\s?\d|Invoke-Expression|\biex\b|subprocess|exec\.Command|>&\s?\/dev\/(?:tcp|udp)|shell_exec|\$_|ProcessBuilder|while read|popen/i
/** A shell joins what is a file by its redirections: one that stands near it may only look whether a port listens. */
const JOINS_SHELL = /[<>]&\$|\|&|\b(?:ba|z|k)?sh -i\b|0<?>&1|<&\s?\d|>&\s?\/dev\/(?:tcp|udp)|while read/i

/** Gives a shell on this machine to whoever is at the other end of a connection. */
const reverseShell: Rule = {
  code: 'shell_reverse_shell',
  severity: 'critical',
  says: 'opens a shell to another machine',
  *find(reading: Reading): Iterable<Match> {
    const { text } = reading
    for (const found of text.matchAll(CONNECTS)) {
      const around = text.slice(Math.max(0, found.index - REACH / 2), found.index + REACH)
      if ((found[0].startsWith('/dev/') ? JOINS_SHELL : GIVES_SHELL).test(around)) yield rangeOf(found)
    }
    yield* rangesOf(reading, NETCAT)
    for (const found of rangesOf(reading, MAKES_PAYLOAD)) yield { ...found, severity: 'warn' }
    for (const found of text.matchAll(FIFO)) {
      const after = text.slice(found.index, found.index + REACH)
      if (/\b(?:nc|ncat|netcat|openssl s_client|telnet|socat)\b/.test(after) && /\b(?:ba|z|k|da)?sh\b/.test(after))
        yield rangeOf(found)
    }
  },
}

const NETCAT =
  /\b(?:nc|ncat|netcat|nc\.traditional|nc\.exe)\b[^\n|;&]{0,80}?\s(?:-[a-z]*[ec]\s*["']?(?:\/\S{0,20}\/)?(?:ba|z|k|da)?(?:sh|cmd|powershell)|--(?:sh-)?exec\b)|\bsocat\b[^\n]{0,120}?\b(?:exec|system):|\b(?:ba|z|k)?sh -i\b[^\n|]{0,60}\|\s*(?:nc|ncat|netcat|telnet|openssl)\b|\b(?:telnet|openssl s_client)\b[^\n|]{0,80}\|\s*\/bin\/\w*sh\b/gi
/** Makes a program that would open one. */
const MAKES_PAYLOAD = /\bmsfvenom -p\b/gi
const FIFO = /\bmkfifo\b|\bmknod \S{1,40} p\b/g

const forkBomb: Rule = {
  code: 'shell_fork_bomb',
  severity: 'critical',
  says: 'starts processes without end',
  *find(reading: Reading): Iterable<Match> {
    yield* rangesOf(reading, ...FORK_BOMBS)
  },
}

const FORK_BOMBS = [
  /(?<![\w.:])([\w.:]{1,20})\s{0,3}\(\)\s{0,3}\{\s{0,3}\1\s{0,3}\|\s{0,3}\1\s{0,3}&\s{0,3};?\s{0,3}\}\s{0,3};?\s{0,3}\1/g,
  /%0\s?\|\s?%0/g,
  /\bwhile\b[ (]{1,3}(?:true|1|:)[): ;]{1,4}(?:do\s{1,4})?\s{0,8}(?:os\.)?fork\(?/gi,
  /\bfork while fork\b|\bfork\(\) (?:while|until) 1\b/g,
  /\bfor\s?\(;;\)\s?\{?\s?fork\(\)/g,
  /\bloop\s?(?:do|\{)\s?fork\b/g,
]

export const EXECUTION_RULES: readonly Rule[] = [reverseShell, forkBomb]
