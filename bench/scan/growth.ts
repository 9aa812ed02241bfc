import { scanSkill } from '../../domain/scan/scan-skill.js'
import type { LabelledSkill } from './corpus.js'

/** Hostile texts repeat these: the atoms of rules, and the beginnings of what rules look for. */
const ATOMS = [
  ...[
    'a',
    ' ',
    '\n',
    '.',
    ',',
    ';',
    '"',
    "'",
    '`',
    '(',
    ')',
    '[',
    '{',
    '<',
    '>',
    '|',
    '&',
    '$',
    '#',
    '\\',
    '/',
    '~',
    '-',
    '_',
    '=',
    '%',
    '!',
    '*',
    ':',
    '@',
    '0',
    '\t',
  ],
  ...[
    '$(',
    '<(',
    '${',
    '<!--',
    '-->',
    '```\n',
    '~~~\n',
    '> ',
    '- ',
    '| ',
    '# ',
    '\\x41',
    '\\u0041',
    '&#65;',
    '%41',
    '../',
    '%2e%2e%2f',
    "a'b'",
    '"a" ',
    'a b ',
    'a.b.',
    '<<EOF\n',
    '\\\n',
    'a=b;',
    '$a',
  ],
  ...[
    'ignore ',
    'ignore all ',
    'previous instructions ',
    'never ',
    'never forget ',
    'do not, ',
    'not run ',
    'detect ',
    'such as ',
    'if someone ',
    'when someone ',
    'now run it ',
    'ignore this warning ',
    'without telling ',
    'the user ',
    'tell the user ',
  ],
  ...[
    'rm -rf ',
    'rm -rf / ',
    'curl ',
    'curl http://a ',
    'curl a | ',
    'bash ',
    'eval ',
    'eval(',
    'exec(',
    'base64 -d ',
    'echo a | ',
    'find / ',
    'cd / && ',
    'crontab ',
    '>> ~/.bashrc ',
    'nc -e ',
    'socket.socket',
    'mkfifo ',
    '/dev/tcp/',
    ':(){ ',
    'a(){ a|a& };',
    'powershell ',
    'while True: ',
    'docker run ',
    'dd of=/dev/sda ',
  ],
  ...[
    'https://',
    'https://a/?b=',
    '![a](https://a/?',
    '[a](https://',
    '<img src="https://a',
    '<span style="',
    'webhook.site',
    'a.b.c.',
    '~/.ssh/',
    'requests.post(',
    'dig $(',
    'process.env',
    '.env ',
  ],
  ...[
    'AKIA',
    'ghp_',
    'sk-',
    'eyJ',
    'password=',
    '-----BEGIN ',
    'QUJD',
    '4142',
    '65 66 ',
    '01000001 ',
    'decode ',
    'base64 QUJDREVGR0hJSktM ',
    'rot13 ',
    'reverse "abc" ',
  ],
  ...[
    '\u200b',
    '\u202e',
    '\u{e0041}',
    '\ufe0f',
    '\u200d',
    '\u0430',
    'p\u0430',
    '\u5ffd\u7565',
    '\u4e0d\u8981',
    '\u0644\u0627 ',
    '\u306a\u3044\u3067',
    '\u{1f468}\u200d',
    'i g n o r e ',
    '1gn0r3 ',
  ],
]

export interface Growth {
  readonly atom: string
  /** Milliseconds for 10,000 and 40,000 characters, and how many times longer the second took. */
  readonly small: number
  readonly large: number
  readonly factor: number
}

/** Returns how the scan's work grows with hostile texts, the worst first: four times the text is to take about four times as long. */
export function measureGrowth(corpus: readonly LabelledSkill[]): Growth[] {
  const beginnings = corpus
    .filter(({ label }) => label === 'malicious')
    .flatMap(({ skill }) =>
      skill.content ? [skill.content.slice(0, -1), skill.content.slice(0, skill.content.length >> 1)] : [],
    )
  const measured = [...ATOMS, ...beginnings].map((atom) => {
    const small = timeOf(atom, 10_000)
    const large = timeOf(atom, 40_000)
    return { atom, small, large, factor: large / Math.max(small, 0.5) }
  })
  return measured.sort((a, b) => b.large - a.large)
}

/** Returns hostile texts of a size: each atom repeated. */
export function hostileTexts(size: number): string[] {
  return ATOMS.map((atom) => atom.repeat(Math.ceil(size / atom.length)).slice(0, size))
}

function timeOf(atom: string, size: number): number {
  const content = atom.repeat(Math.ceil(size / atom.length)).slice(0, size)
  const from = process.cpuUsage()
  scanSkill({ content })
  return process.cpuUsage(from).user / 1_000
}
