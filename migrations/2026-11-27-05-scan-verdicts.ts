import type { Kysely } from 'kysely'
import { run } from './tenant-tables.js'

/** Admits `flagged` as a state of a version's scan, and keeps who overruled the findings of a version (`overruled`). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'alter table skill_versions drop constraint skill_versions_scan_state_check',
    `alter table skill_versions add constraint skill_versions_scan_state_check
      check (scan_state in ('pending', 'clean', 'flagged', 'quarantined', 'failed'))`,
    'alter table skill_versions add column overruled jsonb',
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'alter table skill_versions drop column overruled',
    // Nothing takes it for clean: an approval scans again.
    "update skill_versions set scan_state = 'quarantined' where scan_state = 'flagged'",
    'alter table skill_versions drop constraint skill_versions_scan_state_check',
    `alter table skill_versions add constraint skill_versions_scan_state_check
      check (scan_state in ('pending', 'clean', 'quarantined', 'failed'))`,
  )
}
