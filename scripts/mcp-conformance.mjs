/**
 * Runs the conformance suite of the Model Context Protocol against /mcp of a service of its own, for each revision that
 * has scenarios. Fails when a check fails that test/conformance/expected-failures.yaml does not have, or one passes
 * that it has. The suite and the Node that it needs come by npm (`test/conformance/package.json`).
 */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { call, startBuiltService } from './built-service.mjs'
import { npmTools } from './npm-tools.mjs'
import { setup } from './setup.mjs'

const CONFORMANCE = join(dirname(dirname(fileURLToPath(import.meta.url))), 'test/conformance')
const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28']

await setup({ build: true })
process.exitCode = (await main()) ? 0 : 1

async function main() {
  const modules = join(await npmTools(CONFORMANCE), 'node_modules')
  const folder = fs.mkdtempSync(join(tmpdir(), 'cairn-conformance-'))
  const service = await startBuiltService(folder)
  const agent = { tenant_id: 'conformance', kind: 'agent', agent_id: 'ana', trust_level: 3 }
  const { api_key: key } = await call(service.url, service.adminKey, '/api/v1/admin/keys', agent)
  const proxy = await startProxy(service.url, key)
  try {
    const results = []
    for (const revision of REVISIONS) results.push(await runSuite(modules, { folder, revision, url: proxy.url }))
    return results.every(Boolean)
  } finally {
    proxy.stop()
    await service.stop()
    console.log(`conformance: log of the service and reports: ${folder}`)
  }
}

/** Returns whether the suite found of a revision what is expected. */
async function runSuite(modules, { folder, revision, url }) {
  const report = join(folder, `${revision}.txt`)
  const output = fs.openSync(report, 'w')
  const args = [
    ...[join(modules, '@modelcontextprotocol/conformance/dist/index.js'), 'server', '--url', `${url}/mcp`],
    ...['--suite', 'all', '--spec-version', revision, '--output-dir', join(folder, revision)],
    ...['--expected-failures', join(CONFORMANCE, 'expected-failures.yaml')],
  ]
  const child = spawn(join(modules, '.bin/node'), args, { stdio: ['ignore', output, output] })
  const status = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  const text = fs.readFileSync(report, 'utf8')
  if (status !== 0) console.log(text.slice(Math.max(0, text.indexOf('=== SUMMARY'))))
  const [total] = text.match(/^Total: .*$/m) ?? ['no scenario ran']
  console.log(`conformance: ${revision}: ${total}: ${status === 0 ? 'as expected' : 'NOT AS EXPECTED'}`)
  return status === 0 && total.startsWith('Total')
}

/** Starts a proxy that adds a key, which the suite cannot send. `Host` stays, which scenarios are about. */
async function startProxy(target, key) {
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const onward = request(new URL(path, target), { method, headers: { ...headers, 'x-api-key': key } }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers)
      answer.pipe(outgoing)
    })
    onward.once('error', (error) => outgoing.destroy(error))
    outgoing.once('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
