import { BESIDE_CONTRACT, type Route } from './validation/routes.js'

export interface StaticFile {
  readonly headers: Readonly<Record<string, string>>
  /** Entity tag of the file without its quotation marks. */
  readonly tag: string
  /** Returns the file's bytes, which stay in memory from then on. An empty file is answered with 204. */
  read(encoding: FileEncoding): Promise<Buffer>
}

export type FileEncoding = 'identity' | 'gzip'

/** Files under a path beside those of the contract, which everybody may read. */
export interface StaticSite {
  readonly path: string
  /** Names it in the log and in the metrics. */
  readonly name: string
  /** Returns the file at a percent-encoded path below the site's; null where there is none. `''` is the site's own path. */
  find(path: string): StaticFile | null
  /** Answers a browser that asks for a file which is not there; absent where refusals are always in the envelope. */
  readonly missing?: { readonly headers: Readonly<Record<string, string>>; readonly html: string } | null
  /** Says why the site has no file at all; null or absent where it has some. */
  readonly empty?: string | null
  /** True for what browsers ask for by themselves: the log names it only when it is refused or late. */
  readonly isQuiet?: boolean
}

const READ_DEADLINE_MS = 30_000

/** Returns the route that requests for a site's files are limited by. They wait for no permit: their bytes are there already. */
export function routeOfSite({ name, path }: StaticSite): Route {
  return {
    ...BESIDE_CONTRACT,
    operationId: name,
    method: 'GET',
    path,
    security: 'public',
    takesBody: false,
    bodyLimitBytes: 0,
    deadlineMs: READ_DEADLINE_MS,
  }
}
