import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Settings } from '../../domain/settings/settings.gen.js'
import type { StoredSettings } from '../../domain/settings/settings.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import type { NewMemory } from '../../store/memories/insert-memories.js'
import { type ForgeRun, findRun, insertManualRuns } from '../../store/forge/runs.js'
import { findSkill } from '../../store/skills/read-skills.js'
import { Store } from '../../store/store.js'
import { lockSettings, replaceSettings } from '../../store/tenants/settings.js'
import { type ForgeOptions, type JobContext, jobContext, type WorkerContext } from '../../workers/context.js'
import { runForge, type TurnEnd } from '../../workers/forge/run-forge.js'
import { KEY_ROTATION, storeRun } from './forge.js'
import type { TestStore } from './test-store.js'
import { testWorkerContext } from './worker-context.js'

export interface TurnOptions extends Partial<ForgeOptions> {
  readonly clock?: WorkerContext['clock']
  /** Aborted when the process is asked to stop. */
  readonly stopping?: AbortSignal
  /** Called when a part of this tenant is begun. */
  readonly onPart?: (tenantId: string) => void
}

/** Returns the context of a worker of the Forge whose model, budgets and clock are the test's. */
export function forgeContext(test: TestStore, { clock, stopping, onPart, ...forge }: TurnOptions = {}): JobContext {
  const options: ForgeOptions = {
    languageModel: null,
    budget: { calls: 50, tokens: 1e6, tokensPerDay: null, withinMs: 5_000 },
    runMs: 600_000,
    ...forge,
  }
  const context = testWorkerContext(test, { forge: options, ...(clock && { clock }) })
  return jobContext(onPart ? noticingParts(context, onPart) : context, stopping)
}

/** Notices each part: of what a run does, it alone asks for the index, after it has read as its tenant. */
function noticingParts(context: WorkerContext, onPart: (tenantId: string) => void): WorkerContext {
  const { store, indexes } = context
  let reader = ''
  const read: Store['read'] = (principal, work) => {
    reader = principal.tenantId
    return store.read(principal, work)
  }
  return {
    ...context,
    store: Object.assign(Object.create(Store.prototype) as Store, {
      read,
      transact: store.transact.bind(store),
      asSystem: store.asSystem.bind(store),
    }),
    indexes: {
      ...indexes,
      serving: () => {
        onPart(reader)
        return indexes.serving()
      },
    },
  }
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

  /** Stores a manual run, which waits for its turn. */
  async function request(dryRun = false): Promise<string> {
    const run = { tenantId, runId: uuidv7() }
    await test.store.asSystem((system) => insertManualRuns(system, [run], { dryRun, at: new Date() }))
    return run.runId
  }
  const turn = (runId: string, options?: TurnOptions): Promise<TurnEnd> =>
    runForge(forgeContext(test, options), { tenantId, runId })
  const find = async (runId: string): Promise<ForgeRun> =>
    (await test.store.read({ tenantId }, (reader) => findRun(reader, runId)))!

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
    request,
    turn,
    find,
    /** Carries out a manual run, in as many turns as it needs, and returns it. */
    async tick({ dryRun = false, ...options }: TurnOptions & { readonly dryRun?: boolean } = {}): Promise<ForgeRun> {
      const runId = await request(dryRun)
      while (!options.stopping?.aborted && (await turn(runId, options)) === 'passed');
      return find(runId)
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
