import type { CodeLanguage } from './syntax-tree.js'

/** Code in a text, and where it begins there. */
export interface CodeText {
  readonly language: CodeLanguage
  readonly code: string
  readonly start: number
}

/** Names that Markdown and files give to languages. */
const LANGUAGES: Readonly<Record<CodeLanguage, RegExp>> = {
  python: /^(?:python[\d.]*|py|py3|pyw|pth|ipython)$/i,
  javascript: /^(?:javascript|js|mjs|cjs|jsx|typescript|ts|mts|cts|tsx|node)$/i,
  powershell: /^(?:powershell|pwsh|ps1|psm1|ps)$/i,
  ruby: /^(?:ruby|rb)$/i,
}

/** Tells code without a name of its language by its lines. */
const LOOKS: Readonly<Record<CodeLanguage, RegExp>> = {
  python:
    /^(?:from [\w.]{1,60} import |import (?:os|sys|re|json|requests|subprocess|socket|base64|urllib)\b|def \w{1,60}\([^()\n]{0,200}\):|with open\()/m,
  javascript: /^(?:const|let|var) [\w{][^\n=]{0,80}= |\brequire\(["']|=> \{$|^(?:async )?function \w{1,60}\(/m,
  powershell:
    /^ {0,12}\$\w{1,60} = |\bInvoke-(?:WebRequest|RestMethod|Expression)\b|\bNew-Object\b|^function [A-Z]\w{1,40}-\w/m,
  ruby: /^require ["'][\w/-]{1,60}["']$/m,
}

function languageNamed(name: string): CodeLanguage | null {
  return (Object.keys(LANGUAGES) as CodeLanguage[]).find((language) => LANGUAGES[language].test(name)) ?? null
}

/** Returns whether a name is that of a language whose text holds commands only as what its programs run. */
export function isProgramming(name: string): boolean {
  const language = languageNamed(name)
  return language !== null && language !== 'powershell'
}

function languageOf(code: string): CodeLanguage | null {
  return (Object.keys(LOOKS) as CodeLanguage[]).find((language) => LOOKS[language].test(code)) ?? null
}

const FENCE = /^[ \t>]{0,24}(`{3,20}|~{3,20})[ \t]{0,8}\{?\.?([\w+#-]{0,20})/

/** Returns the code of a Markdown text whose language is known or seen: of fenced blocks, and of what stands between them unfenced. */
export function codeInMarkdown(text: string): CodeText[] {
  const found: CodeText[] = []
  let open: { fence: string; name: string } | null = null
  let from = 0
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\n', at)
    const end = next === -1 ? text.length : next + 1
    const fence = FENCE.exec(text.slice(at, Math.min(end, at + 200)).trimEnd())
    if (open && fence?.[1]?.startsWith(open.fence) && fence[2] === '') {
      found.push(...blockOf(text.slice(from, at), open.name, from))
      open = null
      from = end
    } else if (!open && fence) {
      found.push(...unfencedIn(text.slice(from, at), from))
      open = { fence: fence[1]!, name: fence[2]! }
      from = end
    }
    at = end
  }
  const rest = text.slice(from)
  return [...found, ...(open ? blockOf(rest, open.name, from) : unfencedIn(rest, from))]
}

function blockOf(code: string, name: string, start: number): CodeText[] {
  const language = name === '' || /^te?xt$/i.test(name) ? languageOf(code) : languageNamed(name)
  return language ? [{ language, code, start }] : []
}

/** The first line of a program in prose: it imports something. */
const FIRST_LINES: readonly (readonly [CodeLanguage, RegExp])[] = [
  [
    'python',
    /^ {0,8}(?:import [a-z_][\w.]{1,40}(?: as \w{1,40})?(?:, ?[\w.]{1,40}){0,8}|from [\w.]{1,60} import [\w*(][^\n]{0,120})$/m,
  ],
  [
    'javascript',
    /^ {0,8}(?:const|let|var) [\w{][^\n=]{0,80}= require\(|^ {0,8}import [\w{*][^\n]{0,120} from ["'][^\n]{1,80}$/m,
  ],
]

/** Returns the program that a text has between its paragraphs, up to the next heading. */
function unfencedIn(text: string, offset: number): CodeText[] {
  for (const [language, first] of FIRST_LINES) {
    const begin = first.exec(text)?.index
    if (begin === undefined) continue
    const heading = /^#{2,6} /m.exec(text.slice(begin))
    const code = text.slice(begin, heading ? begin + heading.index : text.length)
    return [{ language, code, start: offset + begin }]
  }
  return []
}

const INTERPRETERS = /^#!.{0,60}?\b(python|node|deno|bun|ruby|pwsh)/

/** Returns a text as code when it looks like code, or else the blocks of code in it. */
export function codeInText(text: string): CodeText[] {
  const blocks = codeInMarkdown(text)
  const language = blocks.length === 0 ? languageOf(text) : null
  return language ? [{ language, code: text, start: 0 }] : blocks
}

/** Returns the code of a file: the whole by the end of its name or by its first line, or the blocks of one of Markdown. */
export function codeOfFile(path: string, text: string): CodeText[] {
  const end = /\.(\w{1,6})$/.exec(path)?.[1]
  const shebang = INTERPRETERS.exec(text.slice(0, 100))?.[1]
  const name = shebang ? (/^(?:deno|bun)$/.test(shebang) ? 'node' : shebang) : (end ?? '')
  const language = languageNamed(name)
  if (language) return [{ language, code: text, start: 0 }]
  return /^(?:md|mdx|markdown)$/i.test(end ?? '') ? codeInMarkdown(text) : []
}
