import { createHash } from 'node:crypto'
import { stringify } from 'safe-stable-stringify'
import type { Principal } from '../../domain/principal.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import {
  claimIdempotencyKey,
  type IdempotentRequest,
  saveResponse,
  type StoredResponse,
} from '../../store/tenants/idempotency.js'
import type { Writer } from '../../store/store.js'
import type { WriteContext } from './context.js'

/**
 * Runs a counted write transaction of the caller's tenant, once for each idempotency key if there is one: a repeated request gets the
 * first answer with `isReplay`, and nothing is written again. `refresh` refreshes what a replayed answer shows of other memories.
 */
export async function writeOnce<A extends StoredResponse>(
  context: WriteContext,
  principal: Principal,
  request: { route: string; key: string | undefined; body: { agent_id?: string | null | undefined } },
  work: (writer: Writer) => Promise<A>,
  refresh: (writer: Writer, first: A) => Promise<A> = (_writer, first) => Promise.resolve(first),
): Promise<{ answer: A; isReplay: boolean }> {
  const bodyHash = request.key === undefined ? null : await new Slices().run(hashOf(request.body))
  return context.store.transact(
    principal,
    async (writer) => {
      if (request.key === undefined || bodyHash === null) return { answer: await work(writer), isReplay: false }
      const claim: IdempotentRequest = {
        identity: identityOf(principal, request.body.agent_id ?? null),
        route: request.route,
        key: request.key,
        bodyHash,
        now: new Date(context.clock.now()),
      }
      const first = await claimIdempotencyKey(writer, claim)
      if (first) return { answer: await refresh(writer, first as A), isReplay: true }
      const answer = await work(writer)
      await saveResponse(writer, claim, answer)
      return { answer, isReplay: false }
    },
    { countsMemories: true },
  )
}

/**
 * Returns the SHA-256 of the body's canonical form, in which the order of fields does not matter, and a field that is null is absent. Hashes a
 * list of items one by one.
 */
function* hashOf(body: object): Yielding<Buffer> {
  const { items, ...rest } = body as { readonly items?: readonly object[] }
  const hash = createHash('sha256').update(stringify(withoutNulls(rest)))
  for (const item of items ?? []) {
    // Serialized JSON has no line break, so no two lists make the same text.
    hash.update('\n').update(stringify(withoutNulls(item)))
    yield
  }
  return hash.digest()
}

/** Returns an object without its own fields that are null; those of a caller's objects within it stay. A placeholder has its own JSON. */
function withoutNulls(fields: object): object {
  return 'toJSON' in fields ? fields : Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

/** Returns the acting agent, or the key where there is none: two keys of one agent share their idempotency keys. */
function identityOf(principal: Principal, named: string | null): string {
  const agentId = principal.agentId ?? named
  if (agentId !== null) return `agent:${agentId}`
  return principal.keyId === null ? 'admin' : `key:${principal.keyId}`
}
