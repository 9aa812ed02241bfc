/**
 * Runs `npm run dev`: builds, serves, and when a source file is saved compiles that file alone and serves anew. Types are not
 * checked. A source that has errors leaves the service as it is, and the errors are printed.
 */
import { build } from 'esbuild'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, realpathSync, rmSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setup } from './setup.mjs'

/** Milliseconds in which further files may be saved before the service starts anew: an editor saves several at once. */
const SETTLE_MS = 50

/** Serves the build of this folder until the process ends, and follows its sources. Returns a function that ends it. */
export function develop(root) {
  // `npm start` builds again: what is compiled here is not what its stamp stands for.
  rmSync(join(root, 'dist', '.cairn-stamp'), { force: true })
  const saved = new Set()
  let service = serve(root)
  let settling
  let work = Promise.resolve()

  async function renew() {
    const files = [...saved].filter((file) => existsSync(join(root, file)))
    saved.clear()
    try {
      await compile(root, files)
    } catch (error) {
      console.error(error.message)
      return
    }
    await end(service)
    service = serve(root)
  }

  const watchers = sourceFolders(root).map((folder) =>
    watch(join(root, folder), { recursive: true }, (_, name) => {
      if (!/(?<!\.d)\.ts$/.test(name ?? '')) return
      saved.add(join(folder, name))
      clearTimeout(settling)
      settling = setTimeout(() => (work = work.then(renew)), SETTLE_MS)
    }),
  )
  return async () => {
    clearTimeout(settling)
    for (const watcher of watchers) watcher.close()
    await work
    await end(service)
  }
}

function sourceFolders(root) {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'))
  return include.map((pattern) => pattern.split('/')[0])
}

/** Compiles the files into the places that the build gives them. Throws when one has errors, with their places. */
async function compile(root, files) {
  await build({
    absWorkingDir: root,
    entryPoints: files,
    outbase: '.',
    outdir: 'dist',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'silent',
  })
}

function serve(root) {
  const main = join(root, 'dist', 'cli', 'main.js')
  return spawn(process.execPath, ['--enable-source-maps', main, 'serve'], { cwd: root, stdio: 'inherit' })
}

async function end(service) {
  if (service.exitCode !== null || service.signalCode !== null) return
  const ended = once(service, 'exit')
  service.kill('SIGTERM')
  await ended
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)))
  await setup({ build: true })
  const stop = develop(root)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => void stop().then(() => process.exit(0)))
}
