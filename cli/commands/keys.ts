import Table from 'cli-table3'
import type { components } from '../../contract/types.js'
import type { Trust } from '../../domain/trust.js'
import { printable } from '../printable.js'
import type { ServiceClient } from '../service-client.js'

type Schemas = components['schemas']

export interface CreateOptions {
  readonly tenant: string
  readonly kind: 'tenant' | 'agent'
  readonly agent?: string
  readonly fleet?: string
  readonly trust?: number
  readonly label?: string
  readonly expires?: string
}

/** Creates a key and prints only its text on stdout, so that a script can read it. */
export async function createKey(admin: ServiceClient, options: CreateOptions): Promise<void> {
  const key = await admin.createKey({
    tenant_id: options.tenant,
    kind: options.kind,
    agent_id: options.agent,
    fleet_id: options.fleet,
    // The service refuses other numbers, and says which there are.
    trust_level: options.trust as Trust | undefined,
    label: options.label,
    expires_at: options.expires,
  })
  console.error(`Key ${key.key_id} of ${describe(key)}; its text is shown once:`)
  console.log(key.api_key)
}

export async function listKeys(admin: ServiceClient, options: { readonly tenant?: string }): Promise<void> {
  const table = new Table({
    head: ['key', 'tenant', 'kind', 'agent', 'fleet', 'trust', 'label', 'created', 'state'],
    style: { head: [], border: [] },
  })
  for await (const key of admin.listKeys({ tenant_id: options.tenant, limit: 200 }))
    table.push([
      key.key_id,
      key.tenant_id,
      key.kind,
      key.agent_id ?? '',
      key.fleet_id ?? '',
      key.trust_level,
      printable(key.label ?? ''),
      key.created_at.slice(0, 10),
      stateOf(key),
    ])
  console.log(table.toString())
}

export async function revokeKey(admin: ServiceClient, keyId: string): Promise<void> {
  await admin.deleteKey({ key_id: keyId })
  console.error(`Key ${keyId} is revoked.`)
}

function describe(key: Schemas['KeyFields']): string {
  return key.agent_id === null ? `tenant ${key.tenant_id}` : `agent ${key.agent_id} of tenant ${key.tenant_id}`
}

function stateOf(key: Schemas['KeyFields']): string {
  if (key.revoked_at !== null) return `revoked ${key.revoked_at.slice(0, 10)}`
  if (key.expires_at === null) return 'good'
  return `${Date.parse(key.expires_at) <= Date.now() ? 'expired' : 'valid until'} ${key.expires_at.slice(0, 10)}`
}
