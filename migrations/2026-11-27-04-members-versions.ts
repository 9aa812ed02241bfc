import type { Kysely } from 'kysely'
import { run } from './tenant-tables.js'

/**
 * Adds the version that a document had when its members were stored last (`members_version`). A process of an earlier version, which still runs on this database,
 * gives a document another `version` and leaves this one: the trigger then removes the members, which may be of lists that
 * the document no longer has, and the service stores them again as it does those of a document without any. It runs after
 * the statement, which may write members itself.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'alter table documents add column members_version integer',
    `create function forget_document_members() returns trigger language plpgsql as $$
    begin
      delete from document_members where tenant_id = new.tenant_id and document_id = new.id;
      update documents set members_stored = null where tenant_id = new.tenant_id and id = new.id;
      return null;
    end $$`,
    `create trigger documents_changed_without_members after update on documents for each row
      when (new.version <> old.version and new.members_version is not distinct from old.members_version)
      execute function forget_document_members()`,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'drop trigger documents_changed_without_members on documents',
    'drop function forget_document_members()',
    'alter table documents drop column members_version',
  )
}
