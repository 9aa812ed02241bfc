import { type AttemptsOfSubject, actingAs } from './attempts.js'
import type { Victim, VictimAgent } from './victim.js'

/** Sets one rule for the agent and one for its fleet, and acknowledges them. */
export async function makeKeystones(agent: VictimAgent): Promise<Victim['keystones']> {
  const { caller, agentId, fleetId, runId, marks } = agent
  const docId = marks.next('rule')
  const rule = { doc_id: docId, title: marks.next('rule-title'), content: marks.next('rule-content') }
  await caller.keystones.set({ ...rule, scope: 'agent', agent_id: agentId }).ok()
  await caller.keystones.set({ ...rule, scope: 'fleet', fleet_id: fleetId }).ok()
  const setTag = (await caller.keystones.list()).headers.get('ETag')!
  marks.add(setTag.replaceAll('"', ''))
  await caller.keystones.acknowledge(runId, setTag)
  return { docId, setTag, cursor: (await caller.keystones.versions(docId, { limit: 1 })).body.next_cursor as string }
}

/** Attempts on keystones and on the record of who has read them. */
export const KEYSTONE_ATTEMPTS = {
  listKeystones: (victim, own) => [
    { status: 200, query: { tenant_id: own } },
    { status: 200, query: { tenant_id: own, fleet_id: victim.fleetId, agent_id: victim.agentId } },
    { status: 200, query: { tenant_id: own }, headers: { 'If-None-Match': victim.keystones.setTag } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, query: { tenant_id: own }, headers: actingAs(victim) },
  ],
  setKeystone: (victim, own) => {
    const rule = { doc_id: victim.keystones.docId, title: 'T', content: 'C', scope: 'tenant', weight: 'low' }
    return [
      // A rule of the same name in the attacker's own tenant.
      { status: 200, body: { tenant_id: own, ...rule } },
      { status: 403, body: { tenant_id: victim.tenant.id, ...rule } },
      { status: 403, body: { tenant_id: own, ...rule }, headers: actingAs(victim) },
    ]
  },
  deleteKeystone: (victim, own) => {
    const params = { doc_id: victim.keystones.docId }
    return [
      { status: 404, params, query: { tenant_id: own } },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  listKeystoneVersions: (victim) => {
    const params = { doc_id: victim.keystones.docId }
    return [
      { status: 404, params },
      { status: 400, params, query: { limit: 1, cursor: victim.keystones.cursor } },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  acknowledgeKeystones: (victim, own) => [
    { status: 422, body: { tenant_id: own, run_id: victim.runId, etag: victim.keystones.setTag } },
    { status: 403, body: { tenant_id: own, run_id: 'r', etag: victim.keystones.setTag }, headers: actingAs(victim) },
    { status: 403, body: { tenant_id: victim.tenant.id, run_id: 'r', etag: victim.keystones.setTag } },
  ],
  getKeystoneCoverage: (victim) => [
    { status: 200 },
    { status: 200, query: { agent_id: victim.agentId, include_silent: true } },
    { status: 200, query: { fleet_id: victim.fleetId } },
    { status: 200, query: { run_id: victim.runId } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
} satisfies AttemptsOfSubject
