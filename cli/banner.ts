import type { Service } from './compose.js'
import { keyFilePath } from './key-files.js'

/** What `cairn serve` prints once it serves: keys that were made just now, once, with a curl that works. */
export function banner({ url, metricsUrl, keys, dataDir, context }: Service): string {
  const lines = [`cairn ${context.version} serves at ${url}${metricsUrl === null ? '' : `, metrics at ${metricsUrl}`}`]
  if (dataDir === null) return lines.join('\n')
  const { admin, agent } = keys
  if (admin?.isNew) lines.push('', `Admin key:  ${admin.key}`)
  else if (admin) lines.push(`Admin key:  in ${keyFilePath(dataDir, 'admin-key')}`)
  if (agent?.isNew) lines.push(...(admin?.isNew ? [] : ['']), `Agent key:  ${agent.key}`)
  else if (agent) lines.push(`Agent key:  in ${keyFilePath(dataDir, 'agent-key')}`)
  if (admin?.isNew || agent?.isNew) lines.push('', `Kept in ${dataDir}; they are not printed again.`)
  if (agent?.isNew) lines.push('', 'Write a memory and recall it:', '', ...example(url!, agent.key))
  return lines.join('\n')
}

function example(url: string, key: string): string[] {
  const post = (path: string, body: object) => [
    `curl -sS ${url}${path} \\`,
    `  -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
    '',
  ]
  return [
    ...post('/api/v1/memories', {
      tenant_id: 'default',
      content: 'The staging database moved to the host quartz on Tuesday.',
    }),
    ...post('/api/v1/recall', { tenant_id: 'default', query: 'where is the staging database?' }),
  ]
}
