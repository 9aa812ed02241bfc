import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../cleanup.js'

export type ServiceName = 'postgres' | 'redis' | 'opensearch'

const SCRIPT = fileURLToPath(new URL('../../../scripts/services', import.meta.url))

/** A set of services beside that of the tests, which must not be disturbed. */
const INSTANCE = {
  CAIRN_SERVICES_INSTANCE: 'chaos',
  CAIRN_SERVICES_POSTGRES_PORT: '22432',
  CAIRN_SERVICES_REDIS_PORT: '22379',
  CAIRN_SERVICES_OPENSEARCH_PORT: '22920',
}

/** Starts PostgreSQL, Redis and OpenSearch for this run alone, and sets the variables by which benches find them. */
export function startOwnServices(cleanup: Cleanup): void {
  Object.assign(process.env, INSTANCE)
  cleanup.add(() => void spawnSync(SCRIPT, ['wipe'], { stdio: 'inherit' }))
  execFileSync(SCRIPT, ['up'], { stdio: ['ignore', 'ignore', 'inherit'] })
  for (const line of execFileSync(SCRIPT, ['env'], { encoding: 'utf8' }).split('\n')) {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? []
    if (name !== undefined) process.env[name] = value
  }
}

export function control(command: 'start' | 'kill' | 'pause' | 'resume', service: ServiceName): void {
  const { status, stderr } = spawnSync(SCRIPT, [command, service], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`scripts/services ${command} ${service} failed: ${stderr}`)
}
