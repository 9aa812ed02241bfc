import type { components } from '../../contract/types.js'
import { readKeyFile } from '../../app/key-files.js'
import { BUILT_IN_MODELS } from '../../models/static-embedder.js'
import type { ClientConfig } from '../../runtime/config.js'
import { createServiceClient } from '../service-client.js'
import { check, ok, skipped, warning, type Finding } from './check.js'

type Embedder = components['schemas']['Indexing']['embedder']

/** Checks that the embedding model of the running service knows the languages that its tenants write. */
export function checkLanguages(
  { adminApiKey, dataDir }: Pick<ClientConfig, 'adminApiKey' | 'dataDir'>,
  running: { readonly url: string } | null,
): Promise<Finding> {
  return check('languages', async () => {
    if (running === null) return skipped('asked of the running service')
    const key = adminApiKey ?? (await readKeyFile(dataDir, 'admin-key'))
    if (key === null) return skipped('asked of the running service with ADMIN_API_KEY, which is not set')
    return languagesFinding((await createServiceClient(running.url, key).getIndexing()).embedder)
  })
}

export function languagesFinding({ id, languages, unknown_languages: unknown }: Embedder): Omit<Finding, 'name'> {
  if (languages === null) return ok(`${id} is not built in: see its documentation for the languages that it knows`)
  if (unknown.length === 0) return ok(`${id} knows those that tenants write`)
  const named = unknown.map(
    ({ tenant_id: tenant, language, share }) => `${language} (${Math.round(100 * share)} % of ${tenant})`,
  )
  const advice =
    id === BUILT_IN_MODELS.get('builtin:en')
      ? 'set EMBEDDINGS_MODEL=builtin, which knows 93 languages, and run `cairn embed migrate --to builtin`'
      : 'set EMBEDDINGS_URL and EMBEDDINGS_MODEL to a model that knows them, and run `cairn embed migrate --to MODEL`'
  return warning(`${id} does not know ${named.join(', ')}: such memories are found by their words alone; ${advice}`)
}
