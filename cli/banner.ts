import type { Service } from '../app/compose.js'
import type { FirstKey } from '../app/first-keys.js'
import { keyFilePath } from '../app/key-files.js'

/**
 * Returns what `cairn serve` prints once it serves. New keys are printed once and last, after a curl command that
 * works.
 */
export function banner({ url, metricsUrl, keys, dataDir, context }: Service): string {
  const lines = [`cairn ${context.version} serves at ${url}${metricsUrl === null ? '' : `, metrics at ${metricsUrl}`}`]
  if (dataDir === null) return lines.join('\n')
  const { admin, agent } = keys
  if (agent?.isNew) lines.push('', 'Write a memory and recall it:', ...example(url!, agent.key))
  const areNew = admin?.isNew || agent?.isNew
  if (areNew) lines.push('')
  lines.push(...keyLine('Admin key', admin, keyFilePath(dataDir, 'admin-key')))
  lines.push(...keyLine('Agent key', agent, keyFilePath(dataDir, 'agent-key')))
  if (areNew) lines.push('', `Kept in ${dataDir}; they are not printed again.`)
  return lines.join('\n')
}

function keyLine(name: string, key: FirstKey | null, path: string): string[] {
  return key === null ? [] : [`${name}:  ${key.isNew ? key.key : `in ${path}`}`]
}

function example(url: string, key: string): string[] {
  const post = (path: string, body: object) => [
    '',
    `curl -sS ${url}${path} \\`,
    `  -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ]
  return [
    ...post('/api/v1/memories', {
      tenant_id: 'default',
      content: 'The staging database moved to the host quartz on Tuesday.',
    }),
    ...post('/api/v1/recall', { tenant_id: 'default', query: 'where is the staging database?' }),
  ]
}
