import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SITE_PATH } from './site.js'

/** A Markdown document of the repository, and the page that it becomes. */
export interface Document {
  /** Path below the repository's root, with slashes. */
  readonly file: string
  readonly url: string
  readonly title: string
  readonly text: string
  readonly group: Group
}

/** Groups of the navigation, in their order. */
export const GROUPS = ['Start', 'Guides', 'Rooms of the code'] as const
type Group = (typeof GROUPS)[number]

/** Documents in the order in which they are of use; others follow them by name. */
const ORDER = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs/concepts.md',
  'docs/recipes.md',
  'docs/rest.md',
  'docs/recall.md',
  'docs/tools.md',
  'docs/client.md',
  'docs/python.md',
  'docs/cli.md',
  'docs/import.md',
  'docs/skills.md',
  'docs/skills-example.md',
  'docs/faq.md',
  'docs/deployment.md',
  'docs/configuration.md',
  'docs/operations.md',
  'docs/metrics.md',
  'docs/languages.md',
  'docs/upgrading.md',
  'docs/security.md',
  'docs/benchmarks.md',
  'docs/architecture.md',
]

/** Folders that have no pages: tests are read beside the code. */
const BUILT = new Set(['node_modules', 'dist'])
/** Documents of the repository beside those of `docs/`; whatever else lies in a checkout is nobody's to read. */
const AT_ROOT = new Set(['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'])
const FOLDERS = new Set([
  'api',
  'bench',
  'cli',
  'client',
  'docs',
  'docs-site',
  'domain',
  'http',
  'mcp',
  'models',
  'runtime',
  'search',
  'services',
  'store',
  'workers',
])

/** Reads the documents of the repository at `root`, in the order of the navigation. Throws on two with one address. */
export function readDocuments(root: string): readonly Document[] {
  const files = [...AT_ROOT, ...[...FOLDERS].flatMap((folder) => markdownFiles(root, folder))]
  const documents = files.map((file) => readDocument(root, file))
  const urls = new Set(documents.map(({ url }) => url))
  if (urls.size < documents.length) throw new Error('two documents have the same address')
  const place = ({ file }: Document) => ORDER.indexOf(file) + 1 || ORDER.length + 1
  const comparePlaces = (a: Document, b: Document) =>
    GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) || place(a) - place(b) || (a.file < b.file ? -1 : 1)
  return documents.sort(comparePlaces)
}

function markdownFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return BUILT.has(entry.name) ? [] : markdownFiles(root, path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}

function readDocument(root: string, file: string): Document {
  const text = readFileSync(join(root, file), 'utf8')
  const title = /^# +(.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? file
  return { file, text, title, url: urlOf(file), group: groupOf(file) }
}

function groupOf(file: string): Group {
  if (!file.includes('/')) return 'Start'
  return file.startsWith('docs/') ? 'Guides' : 'Rooms of the code'
}

/** Returns the address of a document's page: `docs/cli.md` is at `/docs/cli`, `store/outbox/README.md` at `/docs/rooms/store/outbox`. */
function urlOf(file: string): string {
  const name = file.replace(/\.md$/, '').toLowerCase()
  if (groupOf(file) === 'Guides') return `${SITE_PATH}/${name.slice('docs/'.length)}`
  if (groupOf(file) === 'Start') return `${SITE_PATH}/${name}`
  return `${SITE_PATH}/rooms/${name.replace(/\/readme$/, '')}`
}
