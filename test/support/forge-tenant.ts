import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Settings } from '../../domain/settings/settings.gen.js'
import type { StoredSettings } from '../../domain/settings/settings.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import type { NewMemory } from '../../store/memories/insert-memories.js'
import { type ForgeRun, findRun, insertManualRuns } from '../../store/forge/runs.js'
import { findSkill } from '../../store/skills/read-skills.js'
import { lockSettings, replaceSettings } from '../../store/tenants/settings.js'
import { type ForgeOptions, jobContext, type WorkerContext } from '../../workers/context.js'
import { runForge } from '../../workers/forge/run-forge.js'
import { KEY_ROTATION, storeRun } from './forge.js'
import type { TestStore } from './test-store.js'
import { testWorkerContext } from './worker-context.js'

interface TickOptions extends Partial<ForgeOptions> {
  readonly dryRun?: boolean
  readonly clock?: WorkerContext['clock']
  /** Aborted when the process is asked to stop. */
  readonly stopping?: AbortSignal
}

/** A tenant that opted in, whose runs of the Forge are carried out when the test says so. */
export async function newForgeTenant(test: TestStore) {
  const tenantId = `t-${randomUUID()}`
  await test.store.asSystem(({ db }) => sql`insert into tenants (tenant_id) values (${tenantId})`.execute(db))

  async function set(changes: { readonly memory?: object; readonly skills_factory?: object }): Promise<void> {
    await test.store.transact({ tenantId }, async (writer) => {
      const { stored } = await lockSettings(writer)
      const next = {
        ...stored,
        memory: { ...stored.memory, ...changes.memory },
        skills_factory: { ...stored.skills_factory, ...changes.skills_factory },
      }
      await replaceSettings(writer, next as StoredSettings & Partial<Settings>, new Date())
    })
  }
  await set({ skills_factory: { enabled: true } })

  return {
    tenantId,
    set,
    run: (agentId: string, runId: string, texts: readonly string[], given: Partial<NewMemory> = {}) =>
      storeRun(test.store, tenantId, agentId, runId, texts, given),
    /** Stores the rotations of a key by four agents, and one that failed. */
    async rotateKeys(given: Partial<NewMemory> = {}, suffix = ''): Promise<void> {
      for (const [agent, texts] of KEY_ROTATION)
        await storeRun(test.store, tenantId, agent, `run-${agent}${suffix}`, texts, given)
    },
    /** Carries out a manual run and returns it. */
    async tick({ dryRun = false, clock, stopping, ...forge }: TickOptions = {}): Promise<ForgeRun> {
      const run = { tenantId, runId: uuidv7() }
      await test.store.asSystem((system) => insertManualRuns(system, [run], { dryRun, at: new Date() }))
      const options: ForgeOptions = {
        languageModel: null,
        budget: { calls: 50, tokens: 1e6, withinMs: 5_000 },
        ...forge,
      }
      const context = testWorkerContext(test, { forge: options, ...(clock && { clock }) })
      await runForge(jobContext(context, stopping), run)
      return (await test.store.read({ tenantId }, (reader) => findRun(reader, run.runId)))!
    },
    /** Returns the newest version of a skill. */
    async skill(docId: string | null): Promise<SkillVersion> {
      return (await test.store.read({ tenantId }, (reader) => findSkill(reader, docId!)))!.latest
    },
    /** Returns everything that a run may write, but for runs. */
    everything: () =>
      test.store.read({ tenantId }, async ({ db }) => {
        const tables = [
          'skills',
          'skill_versions',
          'skill_cites',
          'skill_moves',
          'skill_poison',
          'forge_traces',
        ] as const
        const rows: unknown[] = []
        for (const table of tables)
          rows.push(
            (await sql`select * from ${sql.table(table)} where tenant_id = ${tenantId} order by 1, 2, 3, 4`.execute(db))
              .rows,
          )
        return rows
      }),
  }
}

export type ForgeTenant = Awaited<ReturnType<typeof newForgeTenant>>
