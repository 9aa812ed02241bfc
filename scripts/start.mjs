/**
 * Runs `npm start`: installs and builds what is not up to date, then serves in this very process, so that a signal to
 * it reaches the service.
 */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setup } from './setup.mjs'

const main = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist', 'cli', 'main.js')

await setup({ build: true })
process.stderr.write('setup: starting the service; the first time it creates its database …\n')
process.argv = [process.argv[0], main, 'serve', ...process.argv.slice(2)]
await import('../dist/cli/main.js')
