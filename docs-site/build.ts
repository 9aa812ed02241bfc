import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { readDocuments, type Document } from './documents.js'
import { type Rendered, renderMarkdown } from './markdown.js'
import { documentPage, missingPage, referencePage, SEARCH_PATH, searchPage } from './page.js'
import { builtFolder, ICON_NAME, MANIFEST, MISSING_PATH, SITE_PATH, type SiteFile } from './site.js'

/** Sent with every file: nothing that a page does not need is allowed to it, and no other site may show it in a frame. */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const DOCUMENT_POLICY = `${POLICY}; style-src 'self'; img-src 'self'`
/** The viewer's style sheet has images in `data:` URLs, and the viewer loads the contract. */
const REFERENCE_POLICY = `${POLICY}; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'`
/** The script of the search loads what is searched. */
const SEARCH_POLICY = `${POLICY}; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'`

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

/** Writes the pages of the repository at `root` into `folder`, with all that they load and a list of what is there. */
export function buildSite(root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const files: SiteFile[] = []
  const add = (path: string, name: string, content: Buffer, policy: string, caching: string): string => {
    const file = `${files.length}-${name.replaceAll('/', '-')}`
    writeFileSync(join(folder, file), content)
    writeFileSync(join(folder, `${file}.gz`), gzipSync(content, { level: 9 }))
    const headers = {
      'Content-Type': TYPES[extname(name)]!,
      'Content-Security-Policy': policy,
      'Cache-Control': caching,
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
    }
    files.push({ path, file, tag: hashOf(content), headers })
    return `${SITE_PATH}${path}`
  }
  const addPage = (url: string, html: string, policy: string) =>
    add(url.slice(SITE_PATH.length), `${posix.basename(url)}.html`, Buffer.from(html), policy, 'public, no-cache')
  const addAsset = (from: string) => addContent(posix.basename(from), readFileSync(from))
  const addContent = (name: string, content: Buffer): string => {
    const path = `/assets/${hashOf(content)}/${name}`
    const known = files.some((file) => file.path === path)
    return known
      ? `${SITE_PATH}${path}`
      : add(path, name, content, DOCUMENT_POLICY, 'public, max-age=31536000, immutable')
  }
  const own = (name: string) => addAsset(join(root, 'docs-site', 'assets', name))
  const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const vendored = (name: string) => addAsset(join(viewer, name))

  const site = { icon: own(ICON_NAME), styles: [own('site.css')], scripts: [] }
  const documents = readDocuments(root)
  const sections: SearchedSection[] = []
  for (const document of documents) {
    const rendered = renderMarkdown(document.text, (link) => targetOf(link, { root, document, documents, addAsset }))
    addPage(document.url, documentPage(document, rendered, documents, site), DOCUMENT_POLICY)
    sections.push(...searchedSections(document, rendered))
  }
  const searched = addContent('sections.json', Buffer.from(JSON.stringify(sections)))
  addPage(SEARCH_PATH, searchPage({ ...site, scripts: [own('search.js')] }, searched), SEARCH_POLICY)
  const reference = referencePage({
    icon: site.icon,
    styles: [...site.styles, vendored('swagger-ui.css'), own('reference.css')],
    scripts: [vendored('swagger-ui-bundle.js'), own('reference.js')],
  })
  addPage(`${SITE_PATH}${MISSING_PATH}`, missingPage(site), DOCUMENT_POLICY)
  addPage(SITE_PATH, reference, REFERENCE_POLICY)
  writeFileSync(join(folder, MANIFEST), JSON.stringify(files))
}

/** A section of a document as the search has it. */
interface SearchedSection {
  readonly title: string
  readonly heading: string
  readonly url: string
  readonly text: string
  /** False for what is about the code. */
  readonly isGuide: boolean
}

function searchedSections({ title, url, group }: Document, { sections }: Rendered): SearchedSection[] {
  const isGuide = group !== 'Rooms of the code'
  return sections.map(({ anchor, heading, text }) => ({
    title,
    heading: heading === '' ? title : heading,
    url: anchor === null ? url : `${url}#${anchor}`,
    text,
    isGuide,
  }))
}

interface LinkContext {
  readonly root: string
  readonly document: Document
  readonly documents: readonly Document[]
  /** Puts a picture on the site and returns its address. */
  readonly addAsset: (file: string) => string
}

function targetOf(link: string, { root, document, documents, addAsset }: LinkContext): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith('#')) return link
  const [path = '', anchor] = link.split('#')
  const file = posix.join(posix.dirname(document.file), decodeURIComponent(path))
  const page = documents.find((other) => other.file === file)
  if (page) return anchor === undefined ? page.url : `${page.url}#${anchor}`
  if (file === 'openapi.yaml') return SITE_PATH
  const isPicture = ['.png', '.svg'].includes(extname(file)) && !file.startsWith('..')
  return isPicture && existsSync(join(root, file)) ? addAsset(join(root, file)) : null
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16)
}

const script = process.argv[1]
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url))
  buildSite(process.cwd(), builtFolder())
