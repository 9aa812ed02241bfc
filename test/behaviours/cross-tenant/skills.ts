import { expect } from 'chai'
import { v7 as uuidv7 } from 'uuid'
import { skillOf } from '../../support/clients/skills.js'
import { runSql } from '../../support/run-sql.js'
import { until } from '../../support/states.js'
import { type Attempts, type AttemptsOfSubject, actingAs } from './attempts.js'
import type { Victim, VictimAgent, VictimSkills } from './victim.js'

/** Stores two skills that are active, the first in two versions, and then two that wait. */
export async function makeSkills({ caller, marks }: VictimAgent): Promise<VictimSkills> {
  const step = () => `1. ${marks.next('step')}.\n`
  const textOf = (slug: string) =>
    skillOf(marks.next(slug), { goal: marks.next('goal'), tags: [marks.next('tag')], content: step() })
  const write = async (data: object) => {
    const files = [{ path: 'notes.md', content: marks.next('note') }]
    return ((await caller.skills.write(data, { files }).ok()) as { doc_id: string }).doc_id
  }
  const served = async (docId: string, version: number) => {
    await until('it is active', async () => expect((await caller.skills.get(docId)).body.version).to.equal(version))
    return docId
  }
  const first = textOf('active')
  const active = await served(await write(first), 1)
  await served(await write(textOf('second')), 1)
  const { content_hash } = (await caller.skills.versions(active).ok()).items[0]!
  await write({
    ...first,
    kind: 'update',
    target: { target_content_hash: content_hash },
    summary: marks.next('summary'),
    content: step(),
  })
  await served(active, 2)
  await caller.settings.patch({ skills_factory: { enabled: true } }).ok()
  const staged = await write(textOf('staged'))
  await write(textOf('other'))
  return {
    active,
    staged,
    catalogueCursor: (await caller.skills.installable({ limit: 1 })).body.next_cursor as string,
    inboxCursor: (await caller.skills.inbox({ limit: 1 })).body.next_cursor as string,
    versionCursor: (await caller.skills.versions(active, { limit: 1 })).body.next_cursor as string,
  }
}

/** Records two runs of the forge that failed. */
export async function makeForgeRuns(
  { tenant, caller, marks }: VictimAgent,
  databaseUrl: string,
): Promise<Victim['forge']> {
  const runIds = [uuidv7(), uuidv7()] as const
  marks.add(...runIds)
  for (const id of runIds)
    await runSql(
      databaseUrl,
      `insert into forge_runs (tenant_id, run_id, state, trigger, requested_at, finished_at, error)
        values ($1, $2, 'failed', 'manual', now(), now(), $3)`,
      [tenant.id, id, marks.next('error')],
    )
  return { runId: runIds[0], cursor: (await caller.forge.list({ limit: 1 })).body.next_cursor as string }
}

/** Attempts to do something with one of the victim's skills. */
function ofSkill(which: 'active' | 'staged', body: object): Attempts {
  return (victim, own) => {
    const params = { slug: victim.skills[which] }
    return [
      { status: 404, params, body: { tenant_id: own, ...body } },
      { status: 403, params, body: { tenant_id: victim.tenant.id, ...body } },
      { status: 403, params, body, query: { tenant_id: victim.tenant.id } },
      { status: 403, params, body, headers: actingAs(victim) },
    ]
  }
}

/** Attempts on skills, their inbox, and the forge. */
export const SKILL_ATTEMPTS = {
  listInstallable: (victim, own) => [
    { status: 200, body: { tenant_id: own } },
    { status: 200, body: { tenant_id: own, fleet_id: victim.fleetId } },
    { status: 400, body: { tenant_id: own, cursor: victim.skills.catalogueCursor } },
    { status: 403, body: { tenant_id: victim.tenant.id } },
    { status: 403, body: { tenant_id: own }, headers: actingAs(victim) },
  ],
  listInbox: (victim) => [
    { status: 200 },
    { status: 200, query: { status: 'quarantined', include_content: true } },
    { status: 200, query: { fleet_id: victim.fleetId } },
    { status: 400, query: { limit: 1, cursor: victim.skills.inboxCursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  getInboxSkill: (victim) => [
    { status: 404, params: { slug: victim.skills.staged } },
    { status: 403, params: { slug: victim.skills.staged }, query: { tenant_id: victim.tenant.id } },
  ],
  approveSkill: ofSkill('staged', {}),
  editSkill: ofSkill('staged', { summary: 'Planted.' }),
  rejectSkill: ofSkill('staged', { reason: 'Planted.' }),
  quarantineSkill: ofSkill('staged', { reason: 'Planted.' }),
  deferSkill: ofSkill('staged', {}),
  restoreSkill: ofSkill('staged', {}),
  overruleSkill: ofSkill('staged', { reason: 'Planted.' }),
  getSkillScan: (victim) => [
    { status: 404, params: { slug: victim.skills.staged } },
    { status: 404, params: { slug: victim.skills.active } },
    { status: 403, params: { slug: victim.skills.staged }, query: { tenant_id: victim.tenant.id } },
  ],
  retireSkill: ofSkill('active', {}),
  rollbackSkill: ofSkill('active', { version: 1 }),
  reportSkillOutcome: ofSkill('active', { outcome: 'failure' }),
  getSkillFile: (victim) => {
    const params = { slug: victim.skills.active, path: 'notes.md' }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  listSkillVersions: (victim) => {
    const params = { slug: victim.skills.active }
    return [
      { status: 404, params },
      { status: 400, params, query: { limit: 1, cursor: victim.skills.versionCursor } },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  runForge: (victim) => [{ status: 403 }, { status: 403, body: { tenant_id: victim.tenant.id } }],
  fanOutForge: (victim) => [{ status: 403 }, { status: 403, body: { tenant_id: victim.tenant.id, dry_run: true } }],
  listForgeRuns: (victim) => [
    { status: 200 },
    { status: 400, query: { limit: 1, cursor: victim.forge.cursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  getForgeRun: (victim) => {
    const params = { run_id: victim.forge.runId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
} satisfies AttemptsOfSubject
