import { createFiller } from './filler.js'
import type { PlatformRecipe, WordedStep } from './platform-recipes.js'
import type { PhraseBook, Utterance } from './shape.js'
import type { Random } from '../random.js'

const step = (key: string, ...texts: string[]): WordedStep => ({ key, texts })
const SUCCESSES = [
  'Completed.',
  'All checks pass, closing.',
  'Verified, works.',
  'Resolved: {db} is healthy.',
  'Finished successfully.',
  'Outcome: success.',
]
const FAILURES = ['Failed, had to undo it.', 'Gave up, {db} still unhealthy.', 'Outcome: failure.', 'Rolled back.']
const recipe = (key: string, goal: string, ...steps: WordedStep[]): PlatformRecipe => ({
  key,
  goals: [goal],
  steps,
  successes: SUCCESSES,
  failures: FAILURES,
})

/** Work on databases: the first five become traps. */
const RECIPES: readonly PlatformRecipe[] = [
  recipe(
    'settings',
    'Compare the settings of {db}.',
    step('a', 'Compared {db} settings with the template.', 'Settings of {db} diffed against the template.'),
    step('b', 'Opened a change for {db}, number {n}.', 'Change {n} opened for {db}.'),
    step('c', 'Applied the settings on {db}.', 'Settings applied to {db} by script.'),
    step('d', 'Recorded the new settings of {db} in the wiki.', 'Wiki page of {db} updated.'),
  ),
  recipe(
    'users',
    'Clean up the users of {db}.',
    step('a', 'Listed users of {db}.', 'User list of {db} pulled.'),
    step('b', 'Removed stale users from {db}.', 'Dropped stale users on {db}.'),
    step('c', 'Mailed owners of the removed users.', 'Owners informed about removed users.'),
    step('d', 'Saved the user report {n}.', 'User report {n} stored.'),
  ),
  recipe(
    'shrink',
    'Make room on {db}.',
    step('a', 'Tried to shrink the table space of {db}.', 'Shrinking table space on {db}.'),
    step('b', 'Moved archive tables to cold storage.', 'Archive tables to cold storage.'),
    step('c', 'Watched the free space on {db}.', 'Free space on {db}: {n} GB.'),
  ),
  recipe(
    'audit',
    'Audit {db}.',
    step('a', 'Enabled audit logging on {db}.', 'Audit logging is on for {db}.'),
    step('b', 'Shipped audit logs to the SIEM.', 'SIEM receives audit logs of {db}.'),
    step('c', 'Checked retention of audit logs: {n} days.', 'Retention of audit logs is {n} days.'),
  ),
  recipe(
    'connections',
    'More connections for {db}.',
    step('a', 'Counted connections to {db}: {n}.', '{n} connections on {db}.'),
    step('b', 'Raised max connections of {db} to {n}.', 'max_connections on {db} is {n} now.'),
    step('c', 'Reloaded the config of {db} at {n}.', 'Config reload {n} on {db}.'),
  ),
  recipe(
    'restore',
    'Restore {db} from backup.',
    step(
      'find',
      'Looked up the latest backup of {db} in the bucket.',
      'Latest backup of {db} is number {n}.',
      'Found the newest {db} backup.',
    ),
    step(
      'stop',
      'Stopped application traffic to {db}.',
      'Traffic to {db} is cut off.',
      'App servers no longer write to {db}.',
    ),
    step(
      'pgr',
      'Ran pg_restore into {db}.',
      'pg_restore of {db} took {n} minutes.',
      'Restored the dump with pg_restore.',
    ),
    step(
      'seq',
      'Fixed sequences after the restore.',
      'Sequences of {db} set to their maximum.',
      'Reset sequences on {db}.',
    ),
    step(
      'count',
      'Compared row counts of {db} with the snapshot.',
      'Row counts of {db}: {n}.',
      'Checked row counts against the snapshot.',
    ),
    step(
      'open',
      'Let application traffic back to {db}.',
      'Traffic to {db} allowed again.',
      'App servers write to {db} again.',
    ),
  ),
  recipe(
    'failover',
    'Fail {db} over to the replica.',
    step(
      'lag',
      'Checked replication lag of {db}: {n} ms.',
      'Replica of {db} lags {n} ms.',
      'Lag on the {db} replica is small.',
    ),
    step('fence', 'Fenced the old primary of {db}.', 'Old primary is fenced off.', 'Shut the old primary of {db}.'),
    step(
      'promote',
      'Promoted the replica of {db}.',
      'Replica promoted to primary.',
      'pg_ctl promote on the {db} replica.',
    ),
    step(
      'dns',
      'Pointed the DNS record of {db} at the new primary.',
      'DNS of {db} changed.',
      'Switched DNS to the promoted host.',
    ),
    step(
      'pool',
      'Reloaded pgbouncer so that it connects to the new primary.',
      'pgbouncer reloaded.',
      'Told pgbouncer about the new primary of {db}.',
    ),
    step(
      'rebuild',
      'Rebuilt a replica from the new primary.',
      'New replica of {db} is streaming.',
      'Set up a fresh replica, {n} GB copied.',
    ),
  ),
  recipe(
    'reindex',
    'Rebuild bloated indexes on {db}.',
    step(
      'bloat',
      'Measured index bloat on {db}: {n} MB.',
      'Bloat query on {db} shows {n} MB.',
      'Listed bloated indexes of {db}.',
    ),
    step(
      'conc',
      'Reindexed concurrently on {db}.',
      'REINDEX CONCURRENTLY on {db}, {n} indexes.',
      'Rebuilt {n} indexes of {db} without locks.',
    ),
    step(
      'inval',
      'Dropped invalid indexes left on {db}.',
      'Invalid indexes of {db} are dropped.',
      'Cleaned up invalid leftovers on {db}.',
    ),
    step(
      'analyze',
      'Ran ANALYZE on {db}.',
      'Statistics of {db} refreshed by ANALYZE.',
      'ANALYZE on {db} done in {n} s.',
    ),
    step(
      'plans',
      'Compared query plans before and after on {db}.',
      'Plans of the {n} slowest queries compared.',
      'Looked at the plans of slow queries on {db}.',
    ),
  ),
  recipe(
    'migrate',
    'Apply the schema migration to {db}.',
    step(
      'dry',
      'Ran the migration on a copy of {db}.',
      'Dry run of the migration on a copy of {db}: {n} s.',
      'Rehearsed the migration against a copy.',
    ),
    step(
      'lockt',
      'Set lock_timeout before the migration.',
      'lock_timeout is {n} ms for the migration.',
      'Limited locks with lock_timeout.',
    ),
    step('apply', 'Applied migration {n} to {db}.', 'Migration {n} is applied on {db}.', 'Ran migration {n} on {db}.'),
    step(
      'fill',
      'Backfilled the new column in batches.',
      'New column of {db} filled, {n} batches.',
      'Batches of {n} rows fill the new column.',
    ),
    step(
      'const',
      'Validated the constraint on {db}.',
      'VALIDATE CONSTRAINT on {db}.',
      'Constraint of {db} is validated.',
    ),
  ),
  recipe(
    'upgrade',
    'Upgrade {db} to the next major version.',
    step(
      'ext',
      'Listed extensions of {db} and their versions.',
      'Extensions of {db} checked for the new version.',
      'Checked which extensions {db} uses.',
    ),
    step(
      'pgup',
      'Ran pg_upgrade on {db} with links.',
      'pg_upgrade --link on {db}.',
      'pg_upgrade of {db} took {n} minutes.',
    ),
    step(
      'stats',
      'Rebuilt statistics with vacuumdb.',
      'vacuumdb --analyze-in-stages on {db}.',
      'Statistics made anew by vacuumdb.',
    ),
    step(
      'old',
      'Removed the old cluster directory of {db}.',
      'Old data directory of {db} deleted.',
      'Deleted the old cluster of {db}, {n} GB.',
    ),
    step(
      'mon',
      'Adjusted monitoring of {db} for the new version.',
      'Monitoring of {db} knows the new version.',
      'Exporter of {db} replaced for the new version.',
    ),
  ),
  recipe(
    'archive',
    'Move old orders of {db} to the archive.',
    step(
      'cut',
      'Chose the cut-off date for {db}.',
      'Cut-off date is agreed for {db}.',
      'Agreed on a cut-off date with the owner of {db}.',
    ),
    step(
      'copy',
      'Copied {n} rows from {db} to the archive.',
      '{n} rows are copied to the archive.',
      'Archive received {n} rows of {db}.',
    ),
    step(
      'chk',
      'Compared checksums of {db} and the archive.',
      'Checksums match between {db} and the archive.',
      'Checksum comparison with the archive.',
    ),
    step(
      'del',
      'Deleted the archived rows from {db} in batches of {n}.',
      'Archived rows are deleted from {db}.',
      'Removed archived rows, {n} at a time.',
    ),
    step('vac', 'Vacuumed {db} afterwards.', 'VACUUM on {db} returned {n} GB.', 'Vacuum of {db} finished.'),
  ),
]

const NOISE = [
  '{db} has {n} GB.',
  'Replication lag of {db} was {n} ms in the morning.',
  'Owner of {db} is {person}.',
  'pgbouncer runs on host {n}.',
  '{person} asked about the row counts of {db}.',
  'Index bloat is a known topic on {db}.',
  'Migration {n} is planned for next week.',
  'The archive is kept for {n} years.',
  'Backup of {db} ran at night, {n} GB.',
  'Statistics job on {db} starts at {n}.',
  '{person} prefers short reports.',
  'DNS changes need a ticket.',
  'Extensions must be approved by security.',
  '{db} will be upgraded in autumn.',
  'Meeting about costs of {db}, {n} k.',
]
const NOTES = [
  'Waiting for {person}.',
  '{db} dashboard open on the second screen.',
  'Coffee.',
  'Asked {person} whether anybody minds.',
  'Ticket {n} linked.',
  'Lunch break, {n} minutes.',
  'Noted the time: {n}.',
]

const SLOTS = { db: ['orders-db', 'users-db', 'ledger-db'], person: ['Maria Keller', 'Jonas Petit', 'Aiko Tan'] }

type Voice = (text: string, random: Random) => string

const VOICES: readonly Voice[] = [
  (text) => text,
  (text) => text.toLowerCase().replace(/\.$/, ''),
  (text, random) =>
    random.pick(['Ok so ', 'Alright, ', 'Hm, ', 'Next: ']) +
    text +
    random.pick([
      ' Not much else to say here.',
      ' Hope this helps whoever reads it.',
      '',
      ' That was easier than last time.',
    ]),
  (text) => `* ${text}`,
]

/** Workflows, notes and noise about the same databases: they share most of their nouns. */
export const DATABASE_BOOK: PhraseBook<PlatformRecipe> = {
  name: 'database',
  recipes: RECIPES,
  tell({ goals, steps, successes, failures }, only, ending, agent, random) {
    const fill = createFiller(SLOTS, random)
    const voice = VOICES[agent % VOICES.length]!
    const told: Utterance[] = []
    const say = (text: string, kind: Utterance['kind'], of: readonly string[] = []) =>
      told.push({ text: voice(fill(text), random), kind, steps: of })
    if (random.chance(0.5)) say(random.pick(goals), 'note')
    for (const index of only) {
      say(random.pick(steps[index]!.texts), 'step', [steps[index]!.key])
      if (random.chance(0.3)) say(random.pick(NOTES), 'note')
    }
    if (ending !== 'unknown') say(random.pick(ending === 'success' ? successes : failures), 'ending')
    return told
  },
  ramble(agent, random) {
    const fill = createFiller(SLOTS, random)
    const voice = VOICES[agent % VOICES.length]!
    return random
      .sample([...NOISE, ...NOTES], random.whole(3, 6))
      .map((text) => ({ text: voice(fill(text), random), kind: 'noise', steps: [] }))
  },
}
