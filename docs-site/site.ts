import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileEncoding, StaticFile, StaticSite } from '../http/static-site.js'

/** A file that `buildSite` wrote; `MANIFEST` lists them. Beside each is its compressed form, with `.gz` after the name. */
export interface SiteFile {
  /** Path below the site's own: empty, or with a slash before it. */
  readonly path: string
  readonly file: string
  readonly tag: string
  readonly headers: Readonly<Record<string, string>>
}

export const MANIFEST = 'manifest.json'
export const SITE_PATH = '/docs'
/** Path below the site's of the page that stands for those which are not there. */
export const MISSING_PATH = '/not-found'
export const ICON_NAME = 'icon.svg'

/** Said in the place of every page by a service that runs from the sources without a build. */
const NOT_BUILT =
  'The pages of /docs were not built: `npm run build` builds them, and the next start serves them. /api/openapi.json describes the API.'

/** Returns the pages in `folder`, which `buildSite` wrote; none without a build. */
export function createDocsSite(folder: string = builtFolder()): StaticSite {
  const files = filesIn(folder)
  const byPath = new Map(files.map((file) => [file.path, staticFile(folder, file)]))
  const page = files.find(({ path }) => path === MISSING_PATH)
  const missing = page ? { headers: page.headers, html: readFileSync(join(folder, page.file), 'utf8') } : null
  const empty = files.length === 0 ? NOT_BUILT : null
  return { path: SITE_PATH, name: 'docs', find: (path) => byPath.get(path) ?? null, missing, empty }
}

/** Returns the icon at the one path where browsers look for it beside what is no page, such as `/`. Without a build it is an empty file. */
export function createIconSite(folder: string = builtFolder()): StaticSite {
  const icon = filesIn(folder).find(({ path }) => path.endsWith(`/${ICON_NAME}`))
  const headers = { ...icon?.headers, 'Cache-Control': 'public, max-age=86400' }
  const file = icon ? staticFile(folder, { ...icon, headers }) : NO_ICON
  return { path: '/favicon.ico', name: 'icon', find: (path) => (path === '' ? file : null), isQuiet: true }
}

const NO_ICON: StaticFile = {
  headers: { 'Cache-Control': 'public, no-cache' },
  tag: 'none',
  read: () => Promise.resolve(Buffer.alloc(0)),
}

function filesIn(folder: string): readonly SiteFile[] {
  const manifest = join(folder, MANIFEST)
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as SiteFile[]) : []
}

function staticFile(folder: string, { file, tag, headers }: SiteFile): StaticFile {
  const bytes = new Map<FileEncoding, Promise<Buffer>>()
  return {
    headers,
    tag,
    read(encoding) {
      const known = bytes.get(encoding) ?? readFile(join(folder, encoding === 'gzip' ? `${file}.gz` : file))
      // A failure is not kept.
      bytes.set(encoding, known)
      known.catch(() => bytes.delete(encoding))
      return known
    },
  }
}

/** Returns the folder that the build writes: beside this file's compiled form. */
export function builtFolder(): string {
  const isBuilt = import.meta.url.endsWith('.js')
  return fileURLToPath(new URL(isBuilt ? './pages/' : '../dist/docs-site/pages/', import.meta.url))
}
