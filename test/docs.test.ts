import { expect } from 'chai'
import type { OperationId } from '../api/operation.js'
import { openapiDocument } from '../contract/openapi-document.js'
import { documentedOperations, examplesOf } from './support/examples.js'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSlugs } from '../docs-site/slugs.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Folders that are not part of the repository. A name that begins with a dot is skipped too. */
const SKIPPED = new Set(['node_modules', 'dist'])

const FILES = filesIn('.')
const DOCUMENTS = FILES.filter((path) => path.endsWith('.md'))
const SOURCES = FILES.filter((path) => /\.[mc]?[jt]s$/.test(path))

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.has(name) && !name.startsWith('.'))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesIn(path) : [path]
    })
}

/** Returns the text without what stands in code fences: headings and links there are examples. */
function withoutFences(text: string): string {
  return text.replace(/^( *)(```+|~~~+)[^]*?^ *\2 *$/gm, '')
}

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

function headingsOf(document: string): string[] {
  return [...withoutFences(textOf(document)).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map((match) => match[1]!)
}

/** Returns the anchors of a document's headings, as GitHub makes them. */
function anchorsOf(document: string): Set<string> {
  const slug = createSlugs()
  return new Set(headingsOf(document).map((heading) => slug(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))))
}

/** Returns why a link does not resolve, or null. */
function faultOf(document: string, link: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return null
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? document : normalize(join(dirname(document), decodeURIComponent(path)))
  if (target.startsWith('..') || !existsSync(join(ROOT, target))) return `${document}: no file for ${link}`
  if (anchor === undefined) return null
  return target.endsWith('.md') && anchorsOf(target).has(anchor) ? null : `${document}: no heading for ${link}`
}

/** Returns the fenced blocks of a document whose language is followed by words, with those words. */
function annotatedBlocks(document: string): { words: string[]; value: unknown }[] {
  return [...textOf(document).matchAll(/^```json (.+)\n([^]*?)^```$/gm)].map(([, words, text]) => ({
    words: words!.split(' '),
    value: JSON.parse(text!),
  }))
}

function sectionsOf(document: string): string[] {
  return textOf(document).split(/^## /m)
}

function tableRowsOf(document: string): string[][] {
  return [...textOf(document).matchAll(/^\| (.+) \|$/gm)].map(([, row]) => row!.split(' | '))
}

describe('documents', () => {
  it('have only links and anchors that resolve', () => {
    const links = DOCUMENTS.flatMap((document) => {
      const text = withoutFences(textOf(document)).replace(/`[^`\n]*`/g, '')
      const found = text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\[[^\]]+\]:\s*(\S+)/gm)
      return [...found].map(([, inline, reference]) => [document, inline ?? reference!] as const)
    })
    expect(links.length).to.be.greaterThan(40)
    expect(links.flatMap(([document, link]) => faultOf(document, link) ?? [])).to.deep.equal([])
  })

  it('name only source files that exist', () => {
    const named = DOCUMENTS.flatMap((document) =>
      [
        ...withoutFences(textOf(document)).matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/[\w-]+\.(?:[mc]?[jt]s|py|md|yaml))`/g),
      ].map(([, path]) => ({ document, path: path! })),
    )
    expect(named.length).to.be.greaterThan(20)
    const missing = named.filter(
      ({ document, path }) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, dirname(document), path)),
    )
    expect(missing.map(({ document, path }) => `${document}: ${path}`)).to.deep.equal([])
  })

  it('name every top-level folder once where docs/architecture.md describes the code', () => {
    const section = sectionsOf('docs/architecture.md').find((text) => text.startsWith('The code\n'))!
    const named = [...section.matchAll(/`([\w.-]+\/)`/g)].map(([, folder]) => folder!)
    const folders = readdirSync(ROOT, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
      .map(({ name }) => `${name}/`)
    // What the file system, git or the program makes begins with a dot; so does only `.ci` of what is kept.
    expect(named.sort()).to.deep.equal(folders.filter((name) => !name.startsWith('.') || name === '.ci/').sort())
  })

  it('exist where comments name them, with the quoted heading', () => {
    const COMMENT = /\/\*[^]*?\*\/|(?<!:)\/\/.*$/gm
    const NAMED = /((?:[\w-]+\/)*[\w-]+\.md)\b(?:,[\s/*]*"([^"]+)")?/g
    const commentsOf = (source: string) => (textOf(source).match(COMMENT) ?? []).join('\n')
    const faults = SOURCES.flatMap((source) =>
      [...commentsOf(source).matchAll(NAMED)].flatMap(([, name, heading]) => {
        // The file that every skill consists of.
        if (name === 'SKILL.md') return []
        const places = [join(dirname(source), name!), name!]
        const document = places.find((path) => existsSync(join(ROOT, path)))
        if (document === undefined) return [`${source}: ${name}`]
        const isThere =
          heading === undefined || headingsOf(document).includes(heading.replace(/\s+(?:[*]|\/\/)?\s*/g, ' '))
        return isThere ? [] : [`${source}: ${name}, "${heading}"`]
      }),
    )
    expect(faults).to.deep.equal([])
  })

  it('show requests and answers as the contract’s examples have them', () => {
    const operations = documentedOperations()
    const blocks = DOCUMENTS.flatMap(annotatedBlocks)
    expect(blocks.length).to.be.greaterThan(15)
    for (const { words, value } of blocks) {
      const [operationId, name = ''] = words[0]!.split('.')
      const { request, answer } = examplesOf(operations.get(operationId as OperationId)!).get(name)!
      const { op, ...tool } = value as { op?: string }
      if (words[1] === 'answer') expect(answer, words[0]).to.deep.include(value)
      else if (words[1] === 'tool')
        expect({ tenant_id: 'acme', ...tool }, `${words[0]} ${op}`).to.deep.equal(request.body)
      else expect(value, words[0]).to.deep.equal(request.body)
    }
  })

  it('name only routes of the contract', () => {
    const paths = openapiDocument().paths as Record<string, object>
    const guides = DOCUMENTS.filter((path) => path.startsWith('docs/') || !path.includes('/'))
    const named = guides.flatMap((document) =>
      [...textOf(document).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/(?:api\/v1|admin)\/[^`?\s]+)/g)].map(
        ([, method, path]) => ({ document, method: method!.toLowerCase(), path: path! }),
      ),
    )
    expect(named.length).to.be.greaterThan(20)
    // The documents of operators leave the version out of the path.
    const known = (path: string) => paths[path] ?? paths[`/api/v1${path}`] ?? {}
    const unknown = named.filter(({ method, path }) => !(method in known(path)))
    expect(unknown.map(({ document, method, path }) => `${document}: ${method} ${path}`)).to.deep.equal([])
  })

  it('name a test for each wall of the security model', () => {
    const walls = sectionsOf('docs/security.md')
      .filter((section) => section.includes('| shown by |'))
      .flatMap((section) => [...section.matchAll(/^\| (.+) \|$/gm)].slice(1).map(([, row]) => row!.split(' | ')))
    expect(walls.length).to.be.greaterThan(20)
    expect(walls.filter((row) => !row[2]?.startsWith('`test/')).map(([threat]) => threat)).to.deep.equal([])
  })

  it('tell only figures that the benches’ own page has', () => {
    const source = textOf('bench/README.md')
    const cells = tableRowsOf('docs/benchmarks.md').flatMap((row) => row.slice(1, -1))
    const figures = cells.flatMap((cell) => cell.match(/\.?\d[\d,]*(?:\.\d+)?/g) ?? [])
    expect(figures.length).to.be.greaterThan(20)
    expect(figures.filter((figure) => !source.includes(figure))).to.deep.equal([])
  })
})
