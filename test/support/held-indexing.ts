import pg from 'pg'
import { runSql } from './run-sql.js'
import type { TestService } from './service.js'

/**
 * Keeps every later change of this tenant pending, as behind a long backlog: the index keeps its content, and answers.
 * Changes after a call of the returned function are indexed again; changes that are pending by then stay so, and keep
 * the whole index from settling: needs a service of the suite's own.
 */
export async function holdIndexing(service: TestService, tenantId: string): Promise<() => Promise<void>> {
  const name = `hold_${tenantId.replaceAll(/\W/g, '_')}`
  const run = async (text: string) => void (await runSql(service.databaseUrl, text))
  await run(`
    create function ${name}() returns trigger language plpgsql as
      $$ begin new.due_at := now() + interval '1 day'; return new; end $$;
    create trigger ${name} before insert or update on index_pending for each row
      when (new.tenant_id = ${pg.escapeLiteral(tenantId)} and new.settled_at is null) execute function ${name}()`)
  return () => run(`drop trigger ${name} on index_pending`)
}
