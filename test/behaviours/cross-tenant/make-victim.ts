import type { SharedService } from '../../support/shared-service.js'
import { settled } from '../../support/indexed.js'
import { newTenant } from '../../support/tenants.js'
import { makeDocuments } from './documents.js'
import { makeKeystones } from './keystones.js'
import { makeMemories, makeRecalls } from './memories.js'
import { makeForgeRuns, makeSkills } from './skills.js'
import { Marks, type Victim, type VictimAgent } from './victim.js'

/** Creates a tenant that has a row of every kind. */
export async function makeVictim(service: SharedService): Promise<Victim> {
  const agent = await makeAgent(service)
  const { tenant, caller, marks } = agent
  const settings = await caller.settings.patch({ memory: { single_valued_predicates: [marks.next('only')] } })
  const parts = {
    ...(await makeMemories(agent)),
    keystones: await makeKeystones(agent),
    documents: await makeDocuments(agent),
    skills: await makeSkills(agent),
    forge: await makeForgeRuns(agent, service().databaseUrl),
  }
  await settled(service())
  const recalls = await makeRecalls(agent)
  const keys = await service().client().keys.list({ tenant_id: tenant.id })
  const builds = await service().client().indexBuilds.list()
  const keyId = keys.body.items[0]!.key_id
  marks.add(keyId)
  return {
    ...agent,
    ...parts,
    recalls,
    settingsTag: settings.headers.get('ETag')!,
    auditCursor: (await caller.audit.list({ limit: 1 })).body.next_cursor as string,
    service: { keyId, buildId: builds.body.items[0]!.build_id },
  }
}

async function makeAgent(service: SharedService): Promise<VictimAgent> {
  const tenant = newTenant(service())
  const marks = new Marks()
  marks.add(tenant.id)
  const [agentId, fleetId, runId] = [marks.next('agent'), marks.next('fleet'), marks.next('run')]
  const caller = await tenant.caller({ agentId, fleetId, trust: 3 })
  return { tenant, caller, agentId, fleetId, runId, marks }
}

/** Returns everything that the victim and its operators can read, without the fields that reading itself changes. */
export async function everythingOf(victim: Victim): Promise<unknown> {
  const { tenant, caller, memories, entities, keystones, documents, skills } = victim
  const query = { tenant_id: tenant.id }
  const admin = tenant.admin
  const still = (value: unknown) =>
    JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'last_seen_at' ? undefined : inner))) as unknown
  return still([
    (await caller.memories.get(memories.id)).body,
    await caller.memories.listAll({ include_deleted: true }),
    (await caller.memories.stats({ scope: 'all', include_deleted: true })).body,
    (await caller.entities.get(entities.id)).body,
    (await caller.entities.list()).body.items,
    await caller.settings.get().ok(),
    (await caller.keystones.list()).body,
    (await caller.keystones.versions(keystones.docId)).body,
    (await caller.keystones.coverage()).body,
    (await caller.documents.list(documents.name.collection)).body.items,
    (await caller.documents.collections()).body,
    (await caller.skills.installable()).body,
    (await caller.skills.inbox({ include_content: true })).body,
    (await caller.skills.waiting(skills.staged)).body,
    (await caller.skills.versions(skills.active)).body,
    // The scheduler begins a run of its own: the tenant has opted in.
    (await caller.forge.list()).body.items.filter(({ trigger }) => trigger !== 'schedule'),
    (await admin.agents.list(query)).body,
    (await admin.fleets.list(query)).body,
    (await admin.keys.list(query)).body,
    (await admin.tenants.list(query)).body,
  ])
}
