import { LRUCache } from 'lru-cache'
import {
  compareKeystones,
  type KeystoneAudience,
  type KeystoneReach,
  type KeystoneScope,
  type OrderedKeystone,
} from '../../domain/keystones/keystone.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import { type Keystone, type KeystoneState, readKeystones, readKeystoneState } from '../../store/keystones/keystones.js'
import type { Reader } from '../../store/store.js'
import type { components } from '../../contract/types.js'
import { setSerializedBody } from '../../runtime/json.js'
import { presentKeystone } from './present-keystone.js'
import { digestOf, tagOfSet } from './set-tags.js'

type Item = components['schemas']['Keystone']

/** A list of rules as it is served. Both bodies have their serialized JSON attached. */
interface KeystoneSet {
  readonly etag: string
  readonly items: Item[]
  readonly envelope: { count: number; items: Item[] }
}

interface CachedState extends KeystoneState {
  readonly etag: string
}

const MAX_AUDIENCES = 50_000

/**
 * Caches lists of rules as they are served, for as long as the tenant's set of rules is unchanged. The state of the set is read by its key
 * with every request, in the same snapshot as the rules that are not cached, so a change made by any process is in the next list of every
 * process. Agents that get the same list share it.
 */
export class KeystoneSets {
  readonly #secret: Buffer
  readonly #states = new LRUCache<string, CachedState>({ max: MAX_AUDIENCES })
  readonly #sets: LRUCache<string, KeystoneSet>

  /** `maxBytes` limits the estimated size of the cached lists: their JSON and the items that it was made of. */
  constructor(secret: Buffer, maxBytes = 64 * 1_048_576) {
    this.#secret = secret
    this.#sets = new LRUCache({ maxSize: maxBytes })
  }

  /** Returns the list for an audience. `reader` must see one snapshot, as in `store.read`. */
  async setOf(reader: Reader, audience: KeystoneAudience): Promise<KeystoneSet> {
    const { tenantId } = reader
    const state = await readKeystoneState(reader)
    const key = JSON.stringify([tenantId, audience.fleetId, audience.agentId])
    const known = this.#states.get(key)
    const cached = known && isSameState(known, state) ? this.#sets.get(cacheKeyOf(tenantId, known.etag)) : undefined
    if (cached) return cached
    const rows = state.revision === 0 ? [] : await readKeystones(reader, audience)
    const set = this.#makeSet(tenantId, rows)
    this.#states.set(key, { ...state, etag: set.etag })
    return set
  }

  #makeSet(tenantId: string, rows: readonly Keystone[]): KeystoneSet {
    const items = rows.map((row) => presentKeystone(tenantId, row))
    const texts = items.map((item) => JSON.stringify(item))
    const etag = tagOfSet(this.#secret, tenantId, texts.map(digestOf))
    const name = cacheKeyOf(tenantId, etag)
    const shared = this.#sets.get(name)
    if (shared) return shared
    const json = Buffer.from(`[${texts.join(',')}]`)
    const enveloped = Buffer.concat([Buffer.from(`{"count":${items.length},"items":`), json, Buffer.from('}')])
    const set: KeystoneSet = {
      etag,
      items: setSerializedBody(items, json),
      envelope: setSerializedBody({ count: items.length, items }, enveloped),
    }
    // Two copies of the JSON, and about as much again for the items.
    this.#sets.set(name, set, { size: 1_000 + 3 * json.length })
    return set
  }
}

function isSameState(one: KeystoneState, other: KeystoneState): boolean {
  return one.revision === other.revision && one.changedBy === other.changedBy
}

function cacheKeyOf(tenantId: string, etag: string): string {
  return `${tenantId} ${etag}`
}

/** The parts of a rule that the entity tag of a list is computed from. */
interface RuleDigest extends OrderedKeystone, KeystoneReach {
  readonly digest: Buffer
}

/** Returns a function that gives the current entity tag of an audience's list. `rows` are all rules of the tenant; their texts are not kept. */
export async function tagsOf(
  secret: Buffer,
  tenantId: string,
  rows: AsyncIterable<Keystone>,
): Promise<(audience: KeystoneAudience) => string> {
  const rules = await digestsOf(tenantId, rows)
  const digests = rules.map(({ digest }) => digest)
  const positions = new Map<string, number[]>()
  for (const [position, { scope, fleetId, agentId }] of rules.entries()) {
    const reached = reachKeyOf(scope, fleetId ?? agentId)
    const at = positions.get(reached)
    if (at) at.push(position)
    else positions.set(reached, [position])
  }
  const known = new Map<string, string>()
  return ({ fleetId, agentId }) => {
    const reached = [reachKeyOf('tenant', null), reachKeyOf('fleet', fleetId), reachKeyOf('agent', agentId)]
    const name = JSON.stringify(reached.filter((each) => positions.has(each)))
    const tag = known.get(name)
    if (tag !== undefined) return tag
    const inOrder = reached.flatMap((each) => positions.get(each) ?? []).sort((a, b) => a - b)
    const made = tagOfSet(
      secret,
      tenantId,
      inOrder.map((position) => digests[position]!),
    )
    known.set(name, made)
    return made
  }
}

/** Returns the digests of the rules in the order in which they are served. */
async function digestsOf(tenantId: string, rows: AsyncIterable<Keystone>): Promise<RuleDigest[]> {
  const rules: RuleDigest[] = []
  const slices = new Slices()
  for await (const row of rows) rules.push(await slices.run(digestOfRule(tenantId, row)))
  return rules.sort(compareKeystones)
}

function* digestOfRule(tenantId: string, row: Keystone): Yielding<RuleDigest> {
  const { weight, scope, fleetId, agentId, updatedAt, revision } = row
  const digest = digestOf(JSON.stringify(presentKeystone(tenantId, row)))
  yield
  return { weight, scope, fleetId, agentId, updatedAt, revision, digest }
}

function reachKeyOf(scope: KeystoneScope, id: string | null): string {
  return `${scope} ${id ?? ''}`
}
