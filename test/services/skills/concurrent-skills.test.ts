import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { membersOf } from '../../../domain/documents/members.js'
import { isScalar } from '../../../domain/filter-values.js'
import type { Principal } from '../../../domain/principal.js'
import type { ScanReport } from '../../../domain/scan/report.js'
import { ConflictError, NotFoundError } from '../../../runtime/errors.js'
import { createLogger } from '../../../runtime/logger.js'
import type { ServiceContext } from '../../../services/context.js'
import { deleteSkill } from '../../../services/skills/delete-skill.js'
import { editSkill } from '../../../services/skills/edit-skill.js'
import { review } from '../../../services/skills/review.js'
import { rollbackSkill } from '../../../services/skills/rollback-skill.js'
import type { SkillScanner } from '../../../services/skills/skill-scanner.js'
import { eraseEvidence } from '../../../services/skills/erase-evidence.js'
import { taintSkills } from '../../../services/skills/taint.js'
import { DEFAULT_SETTINGS } from '../../../domain/settings/settings.gen.js'
import { readSkillWrite } from '../../../services/skills/read-skill-write.js'
import { writeSkill } from '../../../services/skills/write-skill.js'
import { eraseBatch, forgetAgent } from '../../../store/erasure/erasures.js'
import { changeStatus } from '../../../store/memories/change-status.js'
import { findSkill, type SkillState } from '../../../store/skills/read-skills.js'
import type { Store, Writer } from '../../../store/store.js'
import { skillOf } from '../../support/clients/skills.js'
import { remember } from '../../support/memories.js'
import { candidateOf, SCANNED_BAD, SCANNED_CLEAN, skillsOf } from '../../support/skills.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

/** Acts of one round. Chance decides which of them meet a skill that they may change: there are rounds until some have. */
const ACTS = 1_000
const MOST_ROUNDS = 10
const MOVES = ['staged active', 'active deprecated']
const AGENTS = ['ana', 'ben', 'eve']
const AGENTS_SKILLS = ['agent/npm', 'agent/pnpm']
const FORGES_SKILLS = ['forge/pump', 'forge/valve']
const WORKERS = 8

type Act = () => Promise<unknown>

/** Tests that a catalogue stays consistent, without deadlocks, while everybody works on the same few skills at once. */
describe('a catalogue on which everybody works at once', () => {
  let test: TestStore
  const tenantId = `t-${randomUUID()}`
  before(async () => {
    test = await createTestStore()
    await test.store.transact({ tenantId }, ({ db }) =>
      db.insertInto('tenants').values({ tenant_id: tenantId }).execute(),
    )
  })
  after(() => test.stop())

  const among = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
  const now = () => new Date()
  const read = <T>(work: Parameters<typeof test.store.read<T>>[1]) => test.store.read({ tenantId }, work)

  /** The store, which counts transactions that PostgreSQL has broken and that were repeated. */
  function countingStore(count: { repeated: number }): Store {
    const transact: Store['transact'] = (bound, work, options) => {
      let attempts = 0
      return test.store.transact(
        bound,
        (writer) => {
          if (++attempts > 1) count.repeated++
          return work(writer)
        },
        options,
      )
    }
    return { read: test.store.read.bind(test.store), transact } as Store
  }

  /** Returns what is done again and again, on any skill or memory; what is often done, often. */
  function actsOf(store: Store, ids: readonly string[]): readonly Act[] {
    const scan: SkillScanner['scan'] = () =>
      Promise.resolve<ScanReport>(among([SCANNED_CLEAN, SCANNED_CLEAN, SCANNED_BAD]))
    const part = {
      ...{ store, clock: { now: () => Date.now() }, logger: createLogger('silent') },
      skillScanner: { scan, stop: () => Promise.resolve() },
    }
    const context = part as unknown as ServiceContext
    const operator: Principal = {
      ...{ tenantId, kind: 'admin', keyId: null, agentId: null, fleetId: null, fleetless: true, trust: 3 },
    }
    const { signal } = new AbortController()
    const skills = skillsOf(store, tenantId, now)
    const anySkill = () => among([...AGENTS_SKILLS, ...FORGES_SKILLS])
    const request = () => ({ docId: anySkill(), contentHash: undefined, reason: 'So.' })
    const look = (docId: string): Promise<SkillState | null> =>
      store.read({ tenantId }, (reader) => findSkill(reader, docId))
    const transact = <T>(work: (writer: Writer) => Promise<T>) => store.transact({ tenantId }, work)

    async function write(): Promise<void> {
      const [docId, agentId] = [among(AGENTS_SKILLS), among(AGENTS)]
      const skill = await look(docId)
      const target = skill && { target_content_hash: (skill.active ?? skill.latest).contentHash }
      const words = [...crypto.getRandomValues(new Uint32Array(6))].join(' ')
      const given = { content: `1. ${words}.`, ...(target && { kind: 'update', target }) }
      const data = skillOf(docId.replace('agent/', ''), given) as Record<string, unknown>
      const author = { agentId, fleetId: 'red' }
      const acting = { author, viewer: { ...author, trust: 1 as const, fleetless: false } }
      const draft = { docId: null, data, fleetId: null, isAdmin: false, requireVersion: () => undefined }
      const read = await readSkillWrite(draft, DEFAULT_SETTINGS, signal)
      await transact((writer) => writeSkill(writer, acting, read, now()))
    }
    async function propose(): Promise<void> {
      const docId = among(FORGES_SKILLS)
      const active = (await look(docId))?.active
      const target = active
        ? { doc_id: docId, target_content_hash: active.contentHash, previous_version: active.version }
        : null
      const cites = [among(ids), among(ids)].sort()
      const evidence = { runs: Math.floor(Math.random() * 9) }
      await skills.propose(
        candidateOf(docId.replace('forge/', ''), now(), { cites: [...new Set(cites)], evidence, target }),
      )
    }
    async function settle(): Promise<void> {
      const { waiting, active } = (await look(anySkill())) ?? {}
      const version = among([waiting, active])
      if (version) await skills.settle(version, among([SCANNED_CLEAN, SCANNED_CLEAN, SCANNED_CLEAN, SCANNED_BAD]))
    }
    const lose = (loss: 'changed' | 'deleted' | 'erased') =>
      transact(async (writer) => {
        const memoryIds = [...new Set([among(ids), among(ids)])].sort()
        if (loss === 'erased') {
          const batch = { erasureId: randomUUID(), at: now(), limit: 9 }
          const { texts } = await eraseBatch(writer, { memoryIds }, batch)
          await eraseEvidence(writer, texts, { at: now(), signal })
          return
        }
        const from = ['active', 'pending', 'confirmed'] as const
        if (loss === 'deleted') await changeStatus(writer, memoryIds, { from, to: 'deleted', at: now() })
        if (loss === 'changed') {
          const isOne = sql`id = any(${memoryIds}::uuid[])`
          await sql`select from memories where ${isOne} order by id for update`.execute(writer.db)
        }
        await taintSkills(writer, memoryIds, loss, now())
      })
    const rollBack = async () => {
      const skill = await look(anySkill())
      if (!skill) return
      const version = Math.ceil(Math.random() * skill.lastVersion)
      await rollbackSkill(context, operator, { ...request(), docId: skill.docId, version }, signal)
    }
    const act = (name: Parameters<typeof review>[2]) => () => review(context, operator, name, request(), signal)
    return [
      ...[write, write, write, propose, propose, settle, settle, settle, settle, rollBack, rollBack],
      ...[act('approve'), act('approve'), act('approve'), act('approve'), act('retire'), act('defer')],
      ...[act('quarantine'), act('reject'), act('reject'), act('restore')],
      () => editSkill(context, operator, { ...request(), texts: { summary: `When ${randomUUID()}.` } }, signal),
      seldom(() => deleteSkill(context, operator, anySkill(), () => undefined)),
      () => lose('changed'),
      seldom(() => lose('deleted')),
      seldom(() => lose('erased')),
      seldom(() => transact((writer) => forgetAgent(writer, 'eve'))),
      () => transact(({ db }) => sql`delete from skill_poison where tenant_id = ${tenantId}`.execute(db)),
    ]
  }
  const seldom =
    (act: Act): Act =>
    async () =>
      Math.random() < 0.2 && act()

  /** Returns what contradicts what, one row each; none while the tables agree. */
  const contradictions = () =>
    read(async ({ db }) => {
      const found = await sql<{ what: string; name: string }>`
        with served as (
          select s.id, s.doc_id, s.fleet_id, v.* from skills s join skill_versions v
            on v.tenant_id = s.tenant_id and v.skill_id = s.id and v.version = s.active_version
          where s.tenant_id = ${tenantId}
        ), docs as (select * from documents where tenant_id = ${tenantId} and collection = 'skills')
        select 'served' as what, coalesce(d.doc_id, a.doc_id) as name from docs d full join served a on a.doc_id = d.doc_id
        where (d.id, d.version, d.data ->> 'content', d.data ->> 'summary', d.data ->> 'status', d.fleet_id,
            d.system_metadata #>> '{skill,content_hash}') is distinct from
          (a.skill_id, a.version, a.content, a.summary, 'active', a.fleet_id, a.content_hash)
          or jsonb_array_length(d.system_metadata #> '{skill,cites}') <> (select count(*) from skill_cites c
            where c.tenant_id = a.tenant_id and c.skill_id = a.skill_id and c.version = a.version)
        union all
        select 'statuses', s.doc_id from skills s where s.tenant_id = ${tenantId} and (
          active_version is distinct from (select version from skill_versions v
            where v.tenant_id = s.tenant_id and v.skill_id = s.id and status = 'active')
          or waiting_version is distinct from (select version from skill_versions v
            where v.tenant_id = s.tenant_id and v.skill_id = s.id and status in ('candidate', 'staged', 'quarantined'))
          or last_version < (select max(version) from skill_versions v where v.tenant_id = s.tenant_id and v.skill_id = s.id))
        union all
        select 'number used twice', details ->> 'doc_id' || ' ' || (details ->> 'version') from audit_events
        where tenant_id = ${tenantId} and action = 'skill.written' group by 2 having count(*) > 1
        union all
        select 'counters', fleet_id from (
          select fleet_id, count(*) as n from docs group by 1
          union all select fleet_id, -count from document_counters where tenant_id = ${tenantId} and collection = 'skills'
          union all select fleet_id, -delta from document_counter_deltas where tenant_id = ${tenantId} and collection = 'skills'
        ) counted group by fleet_id having sum(n) <> 0
        union all
        select 'cites an erased memory', c.memory_id::text from skill_cites c where c.tenant_id = ${tenantId}
          and not exists (select from memories m where m.tenant_id = c.tenant_id and m.id = c.memory_id)
        union all
        select 'fields of no document', f.key from document_fields f where f.tenant_id = ${tenantId}
          and not exists (select from documents d where d.tenant_id = f.tenant_id and d.id = f.document_id)`.execute(db)
      const { rows: documents } = await sql<{
        docId: string
        data: Record<string, unknown>
        keys: string[]
        listed: string[]
      }>`
        select doc_id as "docId", data, array(select key from document_fields f
          where f.tenant_id = d.tenant_id and f.document_id = d.id order by key) as keys,
          array(select key || ' ' || value from document_members m
          where m.tenant_id = d.tenant_id and m.document_id = d.id) as listed
        from documents d where tenant_id = ${tenantId}`.execute(db)
      const unnamed = documents.filter(({ data, keys, listed }) => {
        const scalars = Object.keys(data).filter((key) => isScalar(data[key]))
        const members = membersOf(data).rows.map(({ key, value }) => `${key} ${value}`)
        return scalars.sort().join() !== keys.sort().join() || members.sort().join() !== listed.sort().join()
      })
      return [...found.rows, ...unnamed.map(({ docId }) => ({ what: 'fields', name: docId }))]
    })

  it('stays consistent', async function () {
    this.timeout(MOST_ROUNDS * 30_000)
    const count = { repeated: 0 }
    const texts = Array.from({ length: 200 }, (_, i) => `Opened valve ${i}.`)
    const acts = actsOf(countingStore(count), await remember(test.store, tenantId, ...texts))
    await skillsOf(test.store, tenantId, now).optIn()
    const failures: unknown[] = []
    const round = async () => {
      let begun = 0
      const work = async () => {
        while (begun++ < ACTS && failures.length === 0)
          await among(acts)().catch((error: unknown) => {
            const isRefused = error instanceof ConflictError || error instanceof NotFoundError
            if (!isRefused) failures.push(error)
          })
      }
      await Promise.all(Array.from({ length: WORKERS }, work))
      const { rows } = await read(({ db }) =>
        sql<{ move: string }>`select distinct from_status || ' ' || to_status as move from skill_moves`.execute(db),
      )
      return rows.map(({ move }) => move)
    }
    let moves: string[] = []
    for (let i = 0; i < MOST_ROUNDS && !MOVES.every((move) => moves.includes(move)); i++) moves = await round()
    expect(failures).to.deep.equal([])
    expect(await contradictions()).to.deep.equal([])
    expect(count.repeated, 'deadlocks').to.equal(0)
    expect(moves).to.include.members(MOVES)
  })
})
