/** A process of embedded-postgres.test.ts: a service that starts its PostgreSQL and never stops it. */
import { startEmbeddedPostgres } from '../../../runtime/embedded-postgres/embedded-postgres.js'

const { url, pid } = await startEmbeddedPostgres({ dataDir: process.argv[2] as string })
process.stdout.write(`${JSON.stringify({ url, pid })}\n`)
// An uncaught error also ends the process without a stop.
process.stdin.once('data', () => {
  throw new Error('told to fail')
})
setInterval(() => {}, 60_000)
