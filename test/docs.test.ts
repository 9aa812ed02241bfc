import { expect } from 'chai'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

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
  const anchors = new Set<string>()
  for (const heading of headingsOf(document)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const slug = text.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-')
    let anchor = slug
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`
    anchors.add(anchor)
  }
  return anchors
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

  it('exist where comments name them, with the quoted heading', () => {
    const COMMENT = /\/\*[^]*?\*\/|\/\/.*$/gm
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
})
