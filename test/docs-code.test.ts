import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { parse } from 'yaml'
import { readDocuments } from '../docs-site/documents.js'
import { cairnContract } from '../http/validation/contract.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Block {
  readonly at: string
  readonly language: string
  readonly code: string
}

const BLOCKS = readDocuments(ROOT).flatMap(({ file, text }) =>
  [...text.matchAll(/^( *)```(\w+)[^\n]*\n([^]*?)^\1```/gm)].map(
    ({ 1: indent, 2: language, 3: code, index }): Block => ({
      at: `${file}:${text.slice(0, index).split('\n').length}`,
      language: language!,
      code: code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  ),
)
const SHELL = BLOCKS.filter(({ language }) => language === 'sh')

const PARSERS: Readonly<Record<string, (code: string) => unknown>> = {
  json: (code) => JSON.parse(code) as unknown,
  yaml: (code) => parse(code) as unknown,
  ts: requireTypescript,
  js: requireTypescript,
  sh: (code) => execFileSync('bash', ['-n'], { input: code, stdio: 'pipe' }),
}

function requireTypescript(code: string): void {
  const { diagnostics = [] } = ts.transpileModule(code, { reportDiagnostics: true })
  if (diagnostics.length > 0) throw new Error(ts.flattenDiagnosticMessageText(diagnostics[0]!.messageText, ' '))
}

/** Returns the commands of a shell block that begin with `name`, each in one line, without comments. */
function commandsOf({ code }: Block, name: string): string[] {
  const lines = code.replaceAll(/\\\n\s*/g, ' ').split('\n')
  return lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.replace(/\s+#.*$/, ''))
}

/** Returns why a request of curl has no operation; null where it has one, or is not for the service. */
function faultOfRequest(command: string): string | null {
  const [, target] = /(?:localhost:8080|\$\{?CAIRN_URL\}?)(\/[^\s"'?]*)/.exec(command) ?? []
  if (target === undefined || /^\/(mcp|docs)\b/.test(target)) return null
  const sends = / (-d|--data\S*|--json) /.test(command)
  const method = / (?:-X|--request) ?([A-Z]+)/.exec(command)?.[1] ?? (sends ? 'POST' : 'GET')
  const path = target.replaceAll(/\$\{?\w+\}?|<[^>]*>|…/g, 'x')
  return cairnContract().match(method, path).kind === 'route' ? null : `${method} ${path}`
}

describe('code in documents', () => {
  it('can be parsed, whatever its language', () => {
    const faults = BLOCKS.flatMap(({ at, language, code }) => {
      try {
        PARSERS[language]?.(code)
        return []
      } catch (error) {
        return [`${at}: ${(error as Error).message}`]
      }
    })
    expect(faults).to.deep.equal([])
    expect(BLOCKS.filter(({ language }) => Object.hasOwn(PARSERS, language)).length).to.be.greaterThan(30)
  })

  it('sends requests to operations of the contract', () => {
    const requests = SHELL.flatMap((block) => commandsOf(block, 'curl').map((command) => ({ at: block.at, command })))
    expect(requests.length).to.be.greaterThan(2)
    const faults = requests.map(({ at, command }) => ({ at, fault: faultOfRequest(command) }))
    expect(faults.filter(({ fault }) => fault !== null)).to.deep.equal([])
  })

  it('runs commands of cairn, with options that it has', () => {
    const sources = readdirSync(join(ROOT, 'cli'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(ROOT, 'cli', path), 'utf8'))
      .join('\n')
    /** Reports whether a string in the sources of the command line begins with the word, or has it after a short option. */
    const isNamed = (word: string) => new RegExp(`['"\`](?:-\\w, )?${word}(?![\\w-])`).test(sources)
    const commands = SHELL.flatMap((block) => commandsOf(block, 'cairn').map((command) => ({ at: block.at, command })))
    expect(commands.length).to.be.greaterThan(15)
    const unknown = commands.flatMap(({ at, command }) => {
      const [, ...words] = command.split(/\s+/)
      const isGroup = ['keys', 'documents', 'settings', 'keystones', 'index', 'embed', 'skills', 'forge']
      const named = isGroup.includes(words[0]!) ? words.slice(0, 2) : words.slice(0, 1)
      const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]!)
      return [...named, ...options].filter((word) => !isNamed(word)).map((word) => `${at}: ${word} in ${command}`)
    })
    expect(unknown).to.deep.equal([])
  })
})
