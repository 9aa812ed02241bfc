import type * as Esbuild from 'esbuild'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Beside the packages, which the compiled file imports. */
const FOLDER = new URL('../../node_modules/.cache/cairn/threads/', import.meta.url)

const compiled = new Map<string, URL>()

/**
 * Compiles a thread's TypeScript file with all that it imports into one JavaScript file, once in a process, and returns that file. It serves
 * tests, which run from the sources: a thread that compiled them itself, by tsx, would take 1.5 s of the processor for
 * its start and have a second thread for its loader. Throws when the file cannot be compiled; returns the name that the build would give
 * it when it does not exist, so that the thread fails as one of the build does.
 */
export function compiledSource(source: URL): URL {
  const known = compiled.get(source.href)
  if (known) return known
  if (!existsSync(source)) return new URL(source.href.replace(/\.ts$/, '.js'))
  // Only here: a service that runs from the build does not have the package.
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof Esbuild
  const [output] = buildSync({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'silent',
    write: false,
  }).outputFiles
  const file = store(output!.contents)
  compiled.set(source.href, file)
  return file
}

/** Stores the file under the hash of its contents, whole at once: other processes store and read the same. */
function store(contents: Uint8Array): URL {
  const file = new URL(`${createHash('sha256').update(contents).digest('hex').slice(0, 32)}.mjs`, FOLDER)
  if (existsSync(file)) return file
  const draft = new URL(`${file.href}.${randomBytes(6).toString('hex')}`)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(draft, contents)
  renameSync(draft, file)
  return file
}
