import { LRUCache } from 'lru-cache'
import {
  compareKeystones,
  type KeystoneAudience,
  type KeystoneReach,
  type KeystoneScope,
  type Ordered,
} from '../../domain/keystones/keystone.js'
import { createTurns } from '../../runtime/turns.js'
import { type Keystone, type KeystoneState, readKeystones, readState } from '../../store/keystones/keystones.js'
import type { Reader } from '../../store/store.js'
import type { components } from '../contract/contract.gen.js'
import { keepJson } from '../door/kept-json.js'
import { presentKeystone } from './present-keystone.js'
import { digestOf, tagOfSet } from './set-tags.js'

type Item = components['schemas']['Keystone']

/** A list of rules as it is served. Both bodies have their serialized JSON attached. */
export interface KeystoneSet {
  readonly etag: string
  readonly items: Item[]
  readonly envelope: { count: number; items: Item[] }
}

interface Known extends KeystoneState {
  readonly etag: string
}

const MOST_AUDIENCES = 50_000

/**
 * Caches lists of rules as they are served, for as long as the tenant's set of rules is unchanged. The state of the set is read by its key
 * with every request, in the same snapshot as the rules that are not cached, so a change made by any process is in the next list of every
 * process. Agents that get the same list share it.
 */
export class KeystoneSets {
  readonly #secret: Buffer
  readonly #known = new LRUCache<string, Known>({ max: MOST_AUDIENCES })
  readonly #sets: LRUCache<string, KeystoneSet>

  /** `maxBytes` limits the estimated size of the cached lists: their JSON and the items that it was made of. */
  constructor(secret: Buffer, maxBytes = 64 * 1_048_576) {
    this.#secret = secret
    this.#sets = new LRUCache({ maxSize: maxBytes })
  }

  /** Returns the list for an audience. `reader` must see one snapshot, as in `store.read`. */
  async setOf(reader: Reader, audience: KeystoneAudience): Promise<KeystoneSet> {
    const { tenantId } = reader
    const state = await readState(reader)
    const key = JSON.stringify([tenantId, audience.fleetId, audience.agentId])
    const known = this.#known.get(key)
    const kept = known && isSame(known, state) ? this.#sets.get(nameOf(tenantId, known.etag)) : undefined
    if (kept) return kept
    const rows = state.revision === 0 ? [] : await readKeystones(reader, audience)
    const set = this.#make(tenantId, rows)
    this.#known.set(key, { ...state, etag: set.etag })
    return set
  }

  #make(tenantId: string, rows: readonly Keystone[]): KeystoneSet {
    const items = rows.map((row) => presentKeystone(tenantId, row))
    const texts = items.map((item) => JSON.stringify(item))
    const etag = tagOfSet(this.#secret, tenantId, texts.map(digestOf))
    const name = nameOf(tenantId, etag)
    const shared = this.#sets.get(name)
    if (shared) return shared
    const json = Buffer.from(`[${texts.join(',')}]`)
    const enveloped = Buffer.concat([Buffer.from(`{"count":${items.length},"items":`), json, Buffer.from('}')])
    const set: KeystoneSet = {
      etag,
      items: keepJson(items, json),
      envelope: keepJson({ count: items.length, items }, enveloped),
    }
    // Two copies of the JSON, and about as much again for the items.
    this.#sets.set(name, set, { size: 1_000 + 3 * json.length })
    return set
  }
}

function isSame(one: KeystoneState, other: KeystoneState): boolean {
  return one.revision === other.revision && one.changedBy === other.changedBy
}

function nameOf(tenantId: string, etag: string): string {
  return `${tenantId} ${etag}`
}

/** The parts of a rule that the entity tag of a list is computed from. */
interface Digested extends Ordered, KeystoneReach {
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
  const places = new Map<string, number[]>()
  for (const [place, { scope, fleetId, agentId }] of rules.entries()) {
    const reached = reach(scope, fleetId ?? agentId)
    const at = places.get(reached)
    if (at) at.push(place)
    else places.set(reached, [place])
  }
  const known = new Map<string, string>()
  return ({ fleetId, agentId }) => {
    const reached = [reach('tenant', null), reach('fleet', fleetId), reach('agent', agentId)]
    const name = JSON.stringify(reached.filter((each) => places.has(each)))
    const tag = known.get(name)
    if (tag !== undefined) return tag
    const inOrder = reached.flatMap((each) => places.get(each) ?? []).sort((a, b) => a - b)
    const made = tagOfSet(
      secret,
      tenantId,
      inOrder.map((place) => digests[place]!),
    )
    known.set(name, made)
    return made
  }
}

/** Returns the digests of the rules in the order in which they are served. */
async function digestsOf(tenantId: string, rows: AsyncIterable<Keystone>): Promise<Digested[]> {
  const rules: Digested[] = []
  const turn = createTurns()
  for await (const row of rows) {
    const { weight, scope, fleetId, agentId, updatedAt, revision } = row
    const digest = digestOf(JSON.stringify(presentKeystone(tenantId, row)))
    rules.push({ weight, scope, fleetId, agentId, updatedAt, revision, digest })
    await turn()
  }
  return rules.sort(compareKeystones)
}

function reach(scope: KeystoneScope, id: string | null): string {
  return `${scope} ${id ?? ''}`
}
