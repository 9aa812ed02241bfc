import { sql } from 'kysely'
import { type Language, type LanguageCounts, languageOf, withOfRun } from '../../domain/text/language.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import type { Reader } from '../store.js'

/** A text of a memory, with its author and the run that it belongs to. */
export interface AuthoredText {
  readonly content: string
  readonly agentId: string | null
  readonly runId: string | null
}

/**
 * Returns the language of each text of one tenant, null where it is uncertain; `counts` are the languages that the tenant writes. A text that
 * these leave undecided is looked at again with those of its run: the author's last ones, and the ones given beside it. Nobody else's texts of
 * the run are asked, since an answer would tell their language.
 */
export async function findLanguages(
  reader: Reader,
  texts: readonly AuthoredText[],
  counts: LanguageCounts,
): Promise<(Language | null)[]> {
  const slices = new Slices()
  const found = await slices.run(lookAtEach(texts, () => counts))
  const undecided = texts.flatMap((text, i) => (found[i] === null && text.runId !== null ? [{ text, i }] : []))
  if (undecided.length === 0) return found
  const ofRuns = await readRunLanguages(
    reader,
    undecided.map(({ text }) => text),
  )
  texts.forEach((text, i) => {
    const ofRun = ofRuns.get(keyOf(text))
    const language = found[i] ?? null
    if (ofRun !== undefined && language !== null) ofRun.set(language, (ofRun.get(language) ?? 0) + 1)
  })
  const again = undecided.filter(({ text }) => ofRuns.get(keyOf(text))!.size > 0)
  const foundAgain = await slices.run(
    lookAtEach(
      again.map(({ text }) => text),
      (text) => withOfRun(counts, ofRuns.get(keyOf(text))!),
    ),
  )
  again.forEach(({ i }, n) => (found[i] = foundAgain[n]!))
  return found
}

function* lookAtEach(
  texts: readonly AuthoredText[],
  priorOf: (text: AuthoredText) => LanguageCounts,
): Yielding<(Language | null)[]> {
  const found: (Language | null)[] = []
  for (const text of texts) {
    found.push(languageOf(text.content, priorOf(text)))
    yield
  }
  return found
}

/** Last memories of a run that are read; those of other authors are among them. */
const LAST_READ = 50

/** Returns how many of the last memories that each author wrote in each run are in each language. */
async function readRunLanguages(
  { db, tenantId }: Reader,
  texts: readonly AuthoredText[],
): Promise<Map<string, Map<Language, number>>> {
  const runs = new Map(texts.map((text) => [keyOf(text), text]))
  const given = [...runs.values()].map(({ runId, agentId }) => ({ run_id: runId, agent_id: agentId }))
  const { rows } = await sql<{ runId: string; agentId: string | null; language: Language; count: number }>`
    select r.run_id as "runId", r.agent_id as "agentId", last.language, count(*)::int as count
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as r(run_id text, agent_id text)
      cross join lateral (
        select m.language, m.agent_id from memories m
        where m.tenant_id = ${tenantId} and m.run_id = r.run_id and m.status <> 'deleted'
        order by m.run_at desc, m.id desc limit ${LAST_READ}
      ) last
    where last.agent_id is not distinct from r.agent_id and last.language is not null
    group by 1, 2, 3`.execute(db)
  const languages = new Map([...runs.keys()].map((key) => [key, new Map<Language, number>()]))
  for (const { language, count, ...run } of rows) languages.get(keyOf(run))!.set(language, count)
  return languages
}

function keyOf({ runId, agentId }: Pick<AuthoredText, 'runId' | 'agentId'>): string {
  return JSON.stringify([runId, agentId])
}
