import { formatApiKey, hashSecret, makeApiKey, randomBase62 } from '../domain/api-key.js'
import { ConflictError } from '../runtime/errors.js'
import { mintKey } from '../store/tenants/credentials.js'
import type { Store } from '../store/store.js'
import { readKeyFile, writeKeyFile } from './key-files.js'

export interface FirstKey {
  readonly key: string
  /** True for a key that this start created, and shows once. */
  readonly isNew: boolean
}

/** The keys that the banner shows; null for a key that DATA_DIR does not hold. */
export interface FirstKeys {
  readonly admin: FirstKey | null
  readonly agent: FirstKey | null
}

const DEFAULT_TENANT = 'default'
const DEFAULT_AGENT = 'agent-1'

/**
 * Returns the admin key of DATA_DIR, or a new one, which is not stored yet: a start that fails must not use up the only
 * time that the key is shown.
 */
export async function findAdminKey(dataDir: string): Promise<FirstKey> {
  const stored = await readKeyFile(dataDir, 'admin-key')
  return stored === null ? { key: `admin_${randomBase62(43)}`, isNew: true } : { key: stored, isNew: false }
}

export async function storeAdminKey(dataDir: string, admin: FirstKey): Promise<void> {
  if (admin.isNew) await writeKeyFile(dataDir, 'admin-key', admin.key)
}

/**
 * Returns the agent key of DATA_DIR, created at the first start: tenant `default`, agent `agent-1`, trust 2, so that it
 * sees statistics of the whole tenant. Null when the file is gone and an operator has changed or deleted that agent
 * since. A crash between creating and storing leaves a key whose text nobody knows.
 */
export async function findOrCreateAgentKey(dataDir: string, store: Store): Promise<FirstKey | null> {
  const stored = await readKeyFile(dataDir, 'agent-key')
  if (stored !== null) return { key: stored, isNew: false }
  const key = makeApiKey()
  const mint = store.transact({ tenantId: DEFAULT_TENANT }, (writer) =>
    mintKey(writer, {
      keyId: key.keyId,
      secretHash: hashSecret(key.secret),
      kind: 'agent',
      agentId: DEFAULT_AGENT,
      fleetId: null,
      trust: 2,
      label: 'created at the first start',
      expiresAt: null,
    }),
  )
  try {
    await mint
  } catch (error) {
    if (error instanceof ConflictError) return null
    throw error
  }
  await writeKeyFile(dataDir, 'agent-key', formatApiKey(key))
  return { key: formatApiKey(key), isNew: true }
}
