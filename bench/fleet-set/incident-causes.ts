import type { SYMPTOMS } from './incident-texts.js'

/** A cause. `symptoms` says what it may look like from outside; square brackets mark the answers. */
export interface Cause {
  readonly symptoms: readonly (keyof typeof SYMPTOMS)[]
  readonly found: readonly string[]
  readonly fixed: readonly string[]
  /** A promise for later. */
  readonly next: string
}

export const CAUSES: readonly Cause[] = [
  {
    symptoms: ['slow', 'errors', 'hanging'],
    found: ['The connection pool was capped at {dozens} and [each retry held a slot] until its 60 s timer ran out.'],
    fixed: ['Raised the cap to {hundreds} and made a retry [give its slot back first].'],
    next: 'Add an alert on [time spent waiting for a connection], {someone} by the end of the sprint.',
  },
  {
    symptoms: ['slow', 'processor', 'errors'],
    found: ['A [sequential scan] over {thousands} rows: the last migration had dropped the partial index.'],
    fixed: ['[Recreated the index concurrently], {dozens} s; the plan uses it again.'],
    next: 'Have CI [compare query plans before and after] a migration; {someone} takes it.',
  },
  {
    symptoms: ['auth', 'errors', 'hanging'],
    found: [
      'The [intermediate certificate] of the internal proxy ran out at midnight, {dozens} days after the reminder.',
    ],
    fixed: ['[Renewed the chain by hand] at {hour} and put it under cert-manager.'],
    next: 'Probe [expiry dates from outside] every {few} hours. {someone} owns that.',
  },
  {
    symptoms: ['auth', 'duplicates'],
    found: [
      '[Host clocks were {dozens} s apart], chrony had lost its peers; signatures seemed to come from the future.',
    ],
    fixed: ['[Pointed chrony at the new peers] and stepped {dozens} hosts at {hour}.'],
    next: 'Export [clock offset as a metric] and page above {hundreds} ms ({someone}).',
  },
  {
    symptoms: ['processor', 'errors', 'backlog'],
    found: ['The client library update of {hour} [retries every 4xx without end].'],
    fixed: ['[Pinned the old client] and allowed {few} attempts with {dozens} % jitter.'],
    next: 'Write a contract test that [counts attempts on a 400]; {someone} volunteered, {few} days.',
  },
  {
    symptoms: ['restarts', 'slow'],
    found: [
      'Each request id became [a metrics label], so the registry never stopped growing, {hundreds} MB by {hour}.',
    ],
    fixed: ['[Removed the label]; the heap stays at {hundreds} MB.'],
    next: 'A lint rule against [unbounded label values], promised by {someone} for week {dozens}.',
  },
  {
    symptoms: ['rollout', 'hanging'],
    found: ['Two migrations [took the same locks in opposite order] at {hour} and wait for one another.'],
    fixed: ['Cancelled backend {thousands} and [put both behind one advisory lock].'],
    next: 'Run migrations [in a job of their own, one at a time]. {someone}, {few} points.',
  },
  {
    symptoms: ['hanging', 'errors', 'rollout'],
    found: ["The resolver had [cached a negative answer] for the replica's new name, TTL {thousands} s."],
    fixed: ['Flushed it and [lowered the negative TTL] to {few} s at {hour}.'],
    next: 'Create names [an hour before anything asks for them]; runbook change by {someone}, page {dozens}.',
  },
  {
    symptoms: ['backlog', 'stale', 'processor'],
    found: ['[One malformed payload] at offset {thousands} was redelivered again and again and blocked its partition.'],
    fixed: ['Moved it [to the dead letter topic]; the partition drained in {dozens} minutes.'],
    next: 'Give up on a message [after five deliveries], everywhere. {someone} files {few} tickets.',
  },
  {
    symptoms: ['duplicates', 'missing'],
    found: ['Offsets were committed [apart from the side effect], and the rebalance at {hour} replayed the window.'],
    fixed: ['Writes are [keyed by event id] now, {thousands} extra rows deleted.'],
    next: 'Kill consumers at random in staging [once a night], {someone} sets it up for {few} topics.',
  },
  {
    symptoms: ['disk', 'slow'],
    found: ['[Debug logging] had stayed on after the session of {someone} and wrote {dozens} GB an hour.'],
    fixed: ['[Level back to info], rotation every {dozens} minutes.'],
    next: 'Let raised levels [fall back by themselves] after {dozens} minutes; {someone}.',
  },
  {
    symptoms: ['errors', 'stale', 'missing', 'duplicates'],
    found: ['A forgotten flag still sent {percent} % of the load to [the retired code path].'],
    fixed: ['[Deleted the flag] with the {thousands} lines behind it.'],
    next: 'Flags get [an end date at birth]; {someone} builds the check, {few} days.',
  },
  {
    symptoms: ['missing', 'stale', 'duplicates'],
    found: ['The cutoff was taken [in local time], so the hour around {hour} of the clock change fell out.'],
    fixed: ['Cutoffs are [taken in UTC now] and the lost hour was replayed, {thousands} rows.'],
    next: 'Test the batch [on both days of the clock change], {someone}, {few} cases.',
  },
  {
    symptoms: ['stale', 'missing'],
    found: ['The replica [stopped replaying WAL] behind a report query of {few} hours.'],
    fixed: ['[Killed the query] (pid {thousands}) and set the standby delay to 30 s.'],
    next: 'Give analysts [a replica of their own]; {someone} asks for {hundreds} euros a month.',
  },
  {
    symptoms: ['rollout', 'restarts'],
    found: ['The new base image has [musl], and the native module of build {thousands} wants glibc.'],
    fixed: ['[Went back to the slim Debian image], build {thousands}.'],
    next: 'Start every image once [before it is tagged], {someone}, pipeline step {dozens}.',
  },
  {
    symptoms: ['auth', 'errors', 'rollout'],
    found: ['The secret was rotated at {hour}, but [the sidecar still mounted the previous one].'],
    fixed: ['Sidecars [restart when the mounted secret changes]; {dozens} of them did.'],
    next: 'Keep [two valid secrets at a time] for {few} days. {someone} writes the proposal.',
  },
  {
    symptoms: ['slow', 'hanging'],
    found: ['[A backfill of another team] shares the node pool and takes {percent} % of memory bandwidth.'],
    fixed: ['Moved it [to preemptible nodes of its own] at {hour}.'],
    next: 'Taint the pool so that [only request serving pods land there]; {someone}, {few} nodes first.',
  },
  {
    symptoms: ['backlog', 'hanging', 'errors'],
    found: ['The provider [cut us to {dozens} requests a second] when its price list changed.'],
    fixed: ['[Calls go out in batches] of {dozens}, and we bought the next plan.'],
    next: 'Track [the remaining quota in a header] and slow down at {percent} %. {someone}.',
  },
  {
    symptoms: ['missing', 'duplicates'],
    found: ['The cursor [compared with the wrong sign] at page borders, one row in {hundreds}.'],
    fixed: ['Paging is [by time and id together], verified over {thousands} rows.'],
    next: 'A property test over [random page sizes], {few} hours, {someone}.',
  },
  {
    symptoms: ['processor', 'slow'],
    found: ['A regular expression [backtracked without end] on user agents of {hundreds} characters.'],
    fixed: ['Replaced by [a linear-time parser], {dozens}.{few} µs each.'],
    next: 'Scan the code for [nested quantifiers], {someone}, {dozens} places.',
  },
  {
    symptoms: ['disk', 'backlog'],
    found: ['Snapshots were never expired: [the retention job had lost its role] {dozens} days ago.'],
    fixed: ['[Gave the role back], which freed {hundreds} GB.'],
    next: 'Alert when a scheduled job [has not succeeded for two days]; {someone}, rule {dozens}.',
  },
  {
    symptoms: ['slow', 'errors', 'processor'],
    found: ['All {thousands} cache keys [expired in the same second], and every miss went to the database.'],
    fixed: ['Expiry is [spread by a random tenth] around {dozens} minutes.'],
    next: 'Let one caller [refill while others get the old value], {someone}, {few} days.',
  },
  {
    symptoms: ['missing', 'stale', 'backlog'],
    found: ['The producer [renamed a field] in schema {dozens}, and the consumer dropped what it could not parse.'],
    fixed: ['Registered the former name [as an alias] and reprocessed {thousands} messages.'],
    next: 'Refuse [incompatible schemas at merge]; {someone} turns it on for {few} topics.',
  },
  {
    symptoms: ['disk', 'restarts'],
    found: ['{thousands} [empty lock files] used up every inode.'],
    fixed: ['A sweeper [removes locks older than a day]; {percent} % free again.'],
    next: 'Count [inodes beside bytes] on all {dozens} boards. {someone}.',
  },
]
