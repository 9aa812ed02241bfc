/**
 * Runs the conformance suite of the Model Context Protocol against /mcp of a service of its own, for each revision that
 * has scenarios, and for the extension SEP-2640. Fails when a check fails that test/conformance/expected-failures.yaml does not have, or one passes
 * that it has. The suite and the Node that it needs come by npm (`test/conformance/package.json`).
 */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { call, startBuiltService } from './built-service.mjs'
import { npmTools } from './npm-tools.mjs'
import { setup } from './setup.mjs'

const CONFORMANCE = join(dirname(dirname(fileURLToPath(import.meta.url))), 'test/conformance')
const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28']
/** Scenarios of the extension for skills, which belong to no revision. */
const EXTENSION = ['enumeration', 'manifest', 'directory'].map((part) => `sep-2640-skills-${part}`)
const RUNS = [
  ...REVISIONS.map((revision) => ({ title: revision, chosen: ['--suite', 'all', '--spec-version', revision] })),
  ...EXTENSION.map((scenario) => ({
    title: scenario,
    chosen: ['--scenario', scenario, '--spec-version', '2026-07-28', '--force'],
  })),
]
const SKILL = {
  name: 'Check staging',
  slug: 'check-staging',
  description: 'Before a migration of staging.',
  summary: 'When staging is about to be migrated.',
  content: 'Read `references/ports.md`, then connect to staging and read one row.\n',
}

await setup({ build: true })
process.exitCode = (await main()) ? 0 : 1

async function main() {
  const modules = join(await npmTools(CONFORMANCE), 'node_modules')
  const folder = fs.mkdtempSync(join(tmpdir(), 'cairn-conformance-'))
  const service = await startBuiltService(folder)
  const agent = { tenant_id: 'conformance', kind: 'agent', agent_id: 'ana', trust_level: 3 }
  const { api_key: key } = await call(service.url, service.adminKey, '/api/v1/admin/keys', agent)
  await publishSkill(service.url, key)
  const proxy = await startProxy(service.url, key)
  try {
    const results = []
    for (const run of RUNS) results.push(await runSuite(modules, { folder, url: proxy.url, ...run }))
    return results.every(Boolean)
  } finally {
    proxy.stop()
    await service.stop()
    console.log(`conformance: log of the service and reports: ${folder}`)
  }
}

/** Publishes the skill that the scenarios of skills look at: they skip what a server without any would show. */
async function publishSkill(url, key) {
  const data = { ...SKILL, kind: 'create', source: 'agent', domain: 'operations' }
  await call(url, key, '/api/v1/documents', {
    ...{ tenant_id: 'conformance', collection: 'skills', data },
    files: [{ path: 'references/ports.md', content: 'Staging listens on 5433.\n' }],
  })
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(200)) {
    const { items } = await call(url, key, '/api/v1/skills/installable', { tenant_id: 'conformance' })
    if (items.length > 0) return
  }
  throw new Error('the skill is not active after a minute')
}

/** Returns whether the suite found what is expected. */
async function runSuite(modules, { folder, url, title, chosen }) {
  const report = join(folder, `${title}.txt`)
  const output = fs.openSync(report, 'w')
  const args = [
    ...[join(modules, '@modelcontextprotocol/conformance/dist/index.js'), 'server', '--url', `${url}/mcp`],
    ...[...chosen, '--output-dir', join(folder, title)],
    ...['--expected-failures', join(CONFORMANCE, 'expected-failures.yaml')],
  ]
  const child = spawn(join(modules, '.bin/node'), args, { stdio: ['ignore', output, output] })
  const status = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  const text = fs.readFileSync(report, 'utf8')
  if (status !== 0) console.log(text.slice(Math.max(0, text.indexOf('=== SUMMARY'))))
  const [total] = text.match(/^(?:Total|Passed): .*$/m) ?? ['no scenario ran']
  console.log(`conformance: ${title}: ${total}: ${status === 0 ? 'as expected' : 'NOT AS EXPECTED'}`)
  return status === 0 && /: [1-9]/.test(total)
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
