import {
  createConfig,
  processEnvironment,
  readClientConfig,
  readEnv,
  readSetting,
  type Config,
} from '../../runtime/config.js'
import { ConfigError } from '../../runtime/errors.js'
import { SETTINGS, type SettingName } from '../../runtime/settings.js'
import type { Finding } from './check.js'
import {
  checkEmbedder,
  checkLanguageModel,
  checkPostgres,
  checkQueue,
  checkReranker,
  checkSearch,
} from './dependencies.js'
import { checkDataDir, checkPort, checkService, checkTls, findRunningService } from './machine.js'
import { checkIndex, checkIndexing } from './indexing.js'
import { checkLanguages } from './languages.js'

const STATE_MARKS = { ok: '✔', warning: '!', wrong: '✘', skipped: '·' } as const
const SHORT_ADMIN_KEY = 20

/** Checks every setting and dependency as `cairn serve` would use them; resolves to 1 when something is wrong. */
export async function doctor(): Promise<number> {
  const env = processEnvironment()
  const settings = checkSettings(env)
  print('Settings', settings)
  if (settings.some(({ state }) => state === 'wrong')) {
    console.log('\nDependencies are checked once the settings are valid.')
    return 1
  }
  const config = createConfig(readEnv(env))
  const client = readClientConfig(env)
  const { url } = client
  const running = await findRunningService(url)
  const findings = await Promise.all([
    checkPostgres(config),
    checkQueue(config),
    checkSearch(config),
    checkIndex(config),
    checkIndexing(config),
    checkEmbedder(config),
    checkLanguages(client, running),
    checkLanguageModel(config),
    checkReranker(config),
    checkService(url, running),
    checkTls(config),
    checkDataDir(config, running),
    checkPort('PORT', config.http.host, config.http.port, running),
    checkPort('METRICS_PORT', config.metrics.host, config.metrics.port, running),
  ])
  print('\nDependencies', findings)
  const count = findings.filter(({ state }) => state === 'wrong').length
  console.log(count === 0 ? '\nNothing is wrong.' : `\n${count} of ${findings.length} checks found something wrong.`)
  return count === 0 ? 0 : 1
}

/** Checks each setting that is set on its own, and then all of them together. */
function checkSettings(env: ReturnType<typeof processEnvironment>): Finding[] {
  const names = (Object.keys(SETTINGS) as SettingName[]).filter((name) => env[name]?.trim())
  const findings = names.map((name): Finding => {
    try {
      const value = readSetting(name, env)
      return { name, state: 'ok', detail: SETTINGS[name].secret ? 'set' : String(value) }
    } catch (error) {
      return { name, state: 'wrong', detail: adviceOf(error) }
    }
  })
  if (findings.some(({ state }) => state === 'wrong')) return findings
  return [...findings, ...checkTogether(env)]
}

function checkTogether(env: ReturnType<typeof processEnvironment>): Finding[] {
  let config: Config
  try {
    config = createConfig(readEnv(env))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [{ name: error.variable, state: 'wrong', detail: adviceOf(error) }]
  }
  const findings: Finding[] = []
  const advise = (name: string, detail: string) => findings.push({ name, state: 'warning', detail })
  if (config.adminApiKey !== null && config.adminApiKey.length < SHORT_ADMIN_KEY)
    advise('ADMIN_API_KEY', `is short: take at least ${SHORT_ADMIN_KEY} random characters`)
  if (config.adminApiKey === null && config.postgres.url !== null && config.search.opensearchUrl !== null)
    advise('ADMIN_API_KEY', 'is not set: nobody can create keys or use the admin routes')
  if (config.postgres.url !== null && config.search.opensearchUrl === null)
    advise('OPENSEARCH_URL', 'is not set: the index is a file here, so only one process may run')
  return findings
}

/** Returns the message without the variable's name, which is printed before it. */
function adviceOf(error: unknown): string {
  if (!(error instanceof ConfigError)) throw error
  return error.message.slice(error.variable.length + 2)
}

function print(title: string, findings: readonly Finding[]): void {
  console.log(title)
  if (findings.length === 0) console.log('  · nothing is set: the embedded profile with its defaults')
  const width = Math.max(0, ...findings.map(({ name }) => name.length))
  for (const { name, state, detail } of findings)
    console.log(`  ${STATE_MARKS[state]} ${name.padEnd(width)}  ${detail}`)
}
