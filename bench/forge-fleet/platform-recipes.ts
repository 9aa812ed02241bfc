import type { Recipe } from './shape.js'

/** A step in several wordings; `{slot}` is filled for each memory, `{run:slot}` once for each run. */
export interface WordedStep {
  readonly key: string
  readonly texts: readonly string[]
}

export interface PlatformRecipe extends Recipe {
  readonly steps: readonly WordedStep[]
  /** The request that the agent was given; told by some agents at the beginning. */
  readonly goals: readonly string[]
  readonly successes: readonly string[]
  readonly failures: readonly string[]
}

const step = (key: string, ...texts: string[]): WordedStep => ({ key, texts })

/** Work of a platform team: clusters, pipelines, customers. The first five are those that become traps. */
export const PLATFORM_RECIPES: readonly PlatformRecipe[] = [
  {
    key: 'laptop-loan',
    goals: ['Lend a spare laptop to {person}.'],
    steps: [
      step(
        'stock',
        'Looked for a spare laptop in the locker list.',
        'Locker list says there is one spare laptop, tag LT-{n}.',
        'Checked which laptop is spare according to the locker list.',
      ),
      step(
        'wipe',
        'Wiped the laptop LT-{n} with the factory image.',
        'Factory image is back on the laptop, old profile wiped.',
        'Reimaged the spare laptop, nothing of the last borrower is left on it.',
      ),
      step(
        'sign',
        'Loan form signed by {person}.',
        '{person} signed the loan form for LT-{n}.',
        'Got the signature of {person} under the loan form.',
      ),
      step(
        'return',
        'Set a return reminder in the calendar for day {n}.',
        'Return date {n} is in the calendar, with a reminder.',
        'Calendar reminder for the return made.',
      ),
    ],
    successes: ['Laptop handed over, all done.', 'Loan completed.'],
    failures: ['No laptop left, gave up.'],
  },
  {
    key: 'dashboard-copy',
    goals: ['Clone the Grafana dashboard for {service}.'],
    steps: [
      step(
        'export',
        'Exported the Grafana dashboard {n} as JSON.',
        'JSON export of dashboard {n} taken from Grafana.',
        'Pulled the dashboard JSON out of Grafana.',
      ),
      step(
        'rename',
        'Replaced the datasource uid in the JSON.',
        'Swapped the datasource uid for {service}.',
        'Datasource uid rewritten in the exported JSON.',
      ),
      step(
        'import',
        'Imported the JSON under the folder of {service}.',
        'Folder {service} now has the imported panel JSON.',
        'Import of the JSON into the folder went through.',
      ),
      step(
        'link',
        'Linked the new dashboard from the runbook page.',
        'Runbook page links to the clone.',
        'Put a link to the dashboard copy into the runbook.',
      ),
    ],
    successes: ['Dashboard is live and working.', 'Clone verified, panels show data.'],
    failures: ['Import failed, panels stay empty.'],
  },
  {
    key: 'gpu-quota',
    goals: ['Get more GPU quota in {region}.'],
    steps: [
      step(
        'usage',
        'Collected GPU usage of {region} for the last {n} days.',
        'GPU usage report for {region}: {n} percent.',
        'Measured how much GPU we use in {region}.',
      ),
      step(
        'form',
        'Filled in the quota form for {n} more GPUs.',
        'Quota form submitted asking {n} GPUs.',
        'Asked for {n} GPUs through the quota form.',
      ),
      step(
        'account',
        'Wrote to the account manager about the quota case {n}.',
        'Account manager has been pinged about case {n}.',
        'Mailed the account manager, quota case {n}.',
      ),
      step(
        'retry',
        'Launched a test node with GPU in {region}.',
        'Tried a GPU test node in {region} again.',
        'GPU test node requested once more in {region}.',
      ),
    ],
    successes: ['Quota granted.'],
    failures: [
      'Request denied, GPU quota stays the same.',
      'Still no capacity, could not get the GPUs.',
      'Gave up on the GPU quota for now.',
    ],
  },
  {
    key: 'office-printer',
    goals: ['Printer on floor {n} is jammed.'],
    steps: [
      step(
        'tray',
        'Opened the paper tray of the printer and removed the jam.',
        'Paper jam taken out of the printer tray.',
        'Printer tray cleared from jammed paper.',
      ),
      step(
        'toner',
        'Toner cartridge replaced with number {n}.',
        'New toner cartridge {n} is in.',
        'Swapped the toner cartridge.',
      ),
      step('page', 'Printed a test page.', 'Test page came out of the printer.', 'Ran the test page on the printer.'),
    ],
    successes: ['Printer works again.', 'Jam resolved.'],
    failures: ['Printer still broken.'],
  },
  {
    key: 'badge-report',
    goals: ['Make the monthly badge report.'],
    steps: [
      step('pull', 'Pulled {n} badge swipes out of the turnstile system.', 'Turnstile system gave {n} badge swipes.'),
      step('join', 'Joined badge swipes with the roster from HR, {n} rows.', 'Roster of HR joined with {n} swipes.'),
      step('anon', 'Hashed badge numbers, salt {n}.', 'Badge numbers replaced by hashes with salt {n}.'),
      step(
        'send',
        'Report with {n} lines sent to facility management.',
        'Facility management received the badge report, {n} lines.',
      ),
    ],
    successes: ['Badge report delivered and accepted.', 'Done, facility confirmed the report.'],
    failures: ['Badge report rejected.'],
  },
  {
    key: 'node-upgrade',
    goals: ['Upgrade the kubelet on {node}.', 'Task: bring {node} to kubelet {version}.'],
    steps: [
      step(
        'cordon',
        'Cordoned {node} so that nothing new is scheduled.',
        '{node} is cordoned now.',
        'kubectl cordon {node}',
        'Marked {node} unschedulable (cordon).',
        'Took {node} out of scheduling before touching it.',
      ),
      step(
        'drain',
        'Drained pods from {node} with a grace period of {n} s.',
        'kubectl drain {node} --ignore-daemonsets',
        'All {n} pods evicted from {node}, drain finished.',
        'Drain of {node} took {n} minutes.',
        'Evicted the workloads running on {node}.',
      ),
      step(
        'snapshot',
        'Took an etcd snapshot before the upgrade.',
        'etcd snapshot saved to the backup bucket, {n} MB.',
        'Snapshot of etcd is in the bucket.',
        'Backed up etcd first: snapshot {n} MB.',
      ),
      step(
        'install',
        'Installed kubelet {version} on {node}.',
        'apt upgraded kubelet to {version}.',
        'kubelet package is at {version} now.',
        'Upgraded the kubelet binary on {node} to {version}.',
      ),
      step(
        'restart',
        'Restarted the kubelet service and watched its log.',
        'systemctl restart kubelet on {node}',
        'kubelet restarted, log is quiet.',
        'Service restart of kubelet on {node}, no errors in journalctl.',
      ),
      step(
        'uncordon',
        'Uncordoned {node}, pods come back.',
        'kubectl uncordon {node}',
        '{node} is schedulable again after uncordon.',
        'Put {node} back into scheduling with uncordon.',
      ),
    ],
    successes: [
      '{node} is Ready, upgrade verified.',
      'Node healthy on {version}, done.',
      'Upgrade complete, all green.',
      'Finished: {node} reports Ready.',
    ],
    failures: [
      '{node} stays NotReady, rolled back to the old kubelet.',
      'Upgrade failed, reverted.',
      'kubelet crashes on start, had to abort.',
    ],
  },
  {
    key: 'credential-rotation',
    goals: ['Rotate the database credentials of {service}.', 'Need to rotate the password of {service} in Vault.'],
    steps: [
      step(
        'generate',
        'Generated a new password in Vault for {service}.',
        'Vault has a fresh secret version for {service}: v{n}.',
        'Wrote the new database password to Vault.',
        'New credential created in Vault at version {n}.',
      ),
      step(
        'alter',
        'Ran ALTER ROLE on Postgres for the user of {service}.',
        'Postgres role of {service} altered to take the new password.',
        'ALTER ROLE executed, both passwords valid for {n} minutes.',
        'Changed the password of the Postgres role.',
      ),
      step(
        'sync',
        'Forced a sync of the external secret in Kubernetes.',
        'external-secrets synced the Kubernetes secret.',
        'Kubernetes secret refreshed by a forced sync.',
        'Annotated the ExternalSecret so that it syncs now.',
      ),
      step(
        'roll',
        'Rolled the deployment of {service} pod by pod.',
        'Rolling restart of the {service} deployment, {n} pods.',
        '{service} deployment restarted to pick up the secret.',
        'kubectl rollout restart deployment {service}',
      ),
      step(
        'pool',
        'Checked that pgbouncer has no login errors.',
        'pgbouncer log: zero failed logins after the change.',
        'Looked at pgbouncer for failed logins, none in {n} minutes.',
        'No login failure in the pgbouncer log.',
      ),
      step(
        'revoke',
        'Revoked the previous credential in Vault.',
        'Old secret version destroyed in Vault.',
        'Destroyed version {n} of the credential, nobody uses it any more.',
        'Previous password revoked.',
      ),
    ],
    successes: [
      'Rotation of {service} completed without downtime.',
      'Verified: {service} connects with the new password.',
      'All pods healthy, rotation done.',
    ],
    failures: [
      '{service} lost its database, rolled back the password.',
      'Rotation failed halfway, had to restore the old secret.',
      'Could not rotate, role is owned by someone else.',
    ],
  },
  {
    key: 'backfill',
    goals: ['Backfill {table} for {day}.', 'Asked to backfill the partitions of {table}.'],
    steps: [
      step(
        'pause',
        'Paused the Airflow DAG of {table}.',
        'DAG switched off in Airflow while backfilling.',
        'Airflow DAG for {table} is paused.',
        'Turned the Airflow schedule off first.',
      ),
      step(
        'count',
        'Counted rows of the {day} partition in BigQuery: {n}.',
        'Row count before: {n} in BigQuery.',
        'BigQuery says {n} rows in the partition now.',
        'Noted the partition row count ({n}) for later comparison.',
      ),
      step(
        'rerun',
        'Reran the extract task with the start date {day}.',
        'Extract task cleared and rerun from {day}.',
        'Triggered the extract again for {day}.',
        'Rerun of extract for {day} took {n} minutes.',
      ),
      step(
        'dedupe',
        'Merged duplicates by event id.',
        'Deduplicated {n} events on their event id.',
        'Ran the MERGE that removes duplicate event ids.',
        'Duplicate event ids removed with MERGE, {n} rows.',
      ),
      step(
        'compare',
        'Compared totals with the source ledger, difference {n}.',
        'Totals match the source ledger.',
        'Source ledger and partition totals compared.',
        'Reconciled totals of {day} against the ledger.',
      ),
      step(
        'resume',
        'Unpaused the DAG.',
        'Airflow schedule is on again.',
        'DAG resumed in Airflow.',
        'Resumed the Airflow DAG and its schedule.',
      ),
    ],
    successes: [
      'Backfill of {day} finished, numbers match.',
      'Backfill complete and verified.',
      '{table} is whole again, closed the ticket.',
    ],
    failures: [
      'Totals do not match, backfill abandoned.',
      'Extract keeps timing out, gave up after {n} tries.',
      'Backfill failed, partition restored from the copy.',
    ],
  },
  {
    key: 'refund',
    goals: ['Customer wants a refund for order {n}.', 'Refund request, order {n}.'],
    steps: [
      step(
        'lookup',
        'Looked up order {n} in Zendesk and Shopify.',
        'Found the order {n} in Shopify.',
        'Order {n} opened in Shopify, it is from last week.',
        'Shopify order {n} checked against the Zendesk ticket.',
      ),
      step(
        'policy',
        'Read the refund policy: within {n} days it is allowed.',
        'Policy allows the refund.',
        'Checked the refund policy for digital goods.',
        'According to policy the customer may get the money back.',
      ),
      step(
        'stripe',
        'Issued the refund in Stripe, {n} EUR.',
        'Stripe refund created.',
        'Refunded {n} EUR through Stripe.',
        'Created the refund on the Stripe charge.',
      ),
      step(
        'restock',
        'Put the item back in stock.',
        'Inventory corrected, item restocked.',
        'Restocked the returned item in inventory.',
        'Item {n} is back in the stock count.',
      ),
      step(
        'mail',
        'Sent the customer the refund confirmation mail.',
        'Confirmation mail is out to the customer.',
        'Customer has the mail that confirms the refund.',
        'Mailed the refund confirmation.',
      ),
      step(
        'tag',
        'Tagged the Zendesk ticket refund-{n}.',
        'Zendesk ticket tagged as refunded.',
        'Added the refunded tag in Zendesk.',
        'Set the refund tag on the ticket.',
      ),
    ],
    successes: [
      'Customer is happy, ticket solved.',
      'Ticket closed.',
      'Refund confirmed by the customer, done.',
      'Solved the ticket.',
    ],
    failures: [
      'Stripe declined the refund, could not proceed.',
      'Refund refused, customer still unhappy.',
      'Charge is too old, refund failed.',
    ],
  },
  {
    key: 'account-recovery',
    goals: ['{person} is locked out of the account.', 'Help {person} to recover the account.'],
    steps: [
      step(
        'verify',
        'Verified the identity of {person} with two questions.',
        'Identity check of {person} passed: birth date and last invoice.',
        'Asked {person} the identity questions, both right.',
        'Confirmed who {person} is by the identity questions.',
      ),
      step(
        'sessions',
        'Ended all open sessions in Auth0.',
        'Auth0 sessions of the user killed.',
        'Logged the user out everywhere through Auth0.',
        'Killed {n} open Auth0 sessions.',
      ),
      step(
        'mfa',
        'Reset the MFA device.',
        'MFA enrollment removed so that it can be set up again.',
        'Cleared the old MFA device of the user.',
        'MFA reset, user enrolls again at next login.',
      ),
      step(
        'link',
        'Sent a password reset link valid for {n} minutes.',
        'Reset link mailed.',
        'Mailed the password reset link.',
        'A link for resetting the password is on its way.',
      ),
      step(
        'log',
        'Checked the sign-in log for foreign countries.',
        'Sign-in log shows no foreign address.',
        'Went through the sign-in log, nothing suspicious in {n} entries.',
        'No suspicious entry in the sign-in log.',
      ),
    ],
    successes: ['{person} is back in, case closed.', 'User can log in again, resolved.', 'Login works, solved.'],
    failures: [
      '{person} could not prove identity, request rejected.',
      'Reset link bounced, still locked out.',
      'User remains locked out, escalated without result.',
    ],
  },
  {
    key: 'web-release',
    goals: ['Release version {version} of the storefront.', 'Ship storefront {version}.'],
    steps: [
      step(
        'freeze',
        'Froze the release branch and announced it in Slack.',
        'Release branch is frozen.',
        'Branch freeze announced in the release channel.',
        'Announced the code freeze for {version}.',
      ),
      step(
        'changelog',
        'Wrote the changelog from {n} merged pull requests.',
        'Changelog for {version} drafted from the merged PRs.',
        'Compiled the changelog.',
        'Changelog lists {n} pull requests.',
      ),
      step(
        'e2e',
        'Ran the Playwright suite against staging: {n} tests.',
        'Playwright is through on staging.',
        'End-to-end suite (Playwright) run on staging, {n} tests.',
        'Staging went through Playwright.',
      ),
      step(
        'canary',
        'Canary at {n} percent of traffic.',
        'Sent {n} percent of the traffic to the canary.',
        'Canary takes part of the traffic since {n} minutes.',
        'Shifted traffic to the canary build.',
      ),
      step(
        'errors',
        'Watched the Sentry error rate for {n} minutes.',
        'Sentry error rate is flat.',
        'Error rate in Sentry compared with yesterday.',
        'Sentry shows no new error group.',
      ),
      step(
        'promote',
        'Promoted the canary to all users.',
        'Full rollout of {version} started.',
        'Everybody gets {version} now: promoted to a full rollout.',
        'Rolled {version} out to all users.',
      ),
    ],
    successes: [
      '{version} shipped.',
      'Released {version}, everything green.',
      'Release successful.',
      'Deployed {version} and verified the checkout.',
    ],
    failures: [
      'Canary errors went up, rolled back {version}.',
      'Release aborted because of the checkout bug.',
      'Rolled back, checkout broken.',
    ],
  },
  {
    key: 'disk-cleanup',
    goals: ['Disk of {node} is nearly full.', 'Alert: disk usage at {n} percent on {node}.'],
    steps: [
      step(
        'usage',
        'Looked with du where the space went on {node}.',
        'du shows that /var/lib/docker holds {n} GB.',
        'Most of the disk is /var/lib/docker, says du.',
        'Measured directories with du -sh on {node}.',
      ),
      step(
        'images',
        'Pruned dangling Docker images, {n} GB.',
        'docker image prune freed {n} GB.',
        'Removed unused Docker images.',
        'Docker images that nobody uses are pruned.',
      ),
      step(
        'journal',
        'Vacuumed the systemd journal to {n} MB.',
        'journalctl --vacuum-size brought the journal down.',
        'Shrunk the journal with a vacuum.',
        'Journal vacuumed.',
      ),
      step(
        'logrotate',
        'Fixed the logrotate rule that never matched.',
        'logrotate now matches the application logs.',
        'Corrected the logrotate configuration.',
        'Application logs are covered by logrotate from now on.',
      ),
      step(
        'alert',
        'Lowered the alert threshold to {n} percent.',
        'Alert fires earlier now, at {n} percent.',
        'Alert threshold for disk changed.',
        'Changed the disk alert to {n} percent.',
      ),
    ],
    successes: [
      'Disk is at {n} percent, resolved.',
      'Alert cleared.',
      'Space recovered, closed.',
      '{node} is fine again.',
    ],
    failures: [
      'Disk full again after an hour, not solved.',
      'Nothing to delete, {node} went down.',
      'Cleanup did not help.',
    ],
  },
]

export const PLATFORM_NOTES: readonly string[] = [
  'Coffee machine on floor {n} is out of order.',
  'Waiting for CI, about {n} minutes.',
  'Asked {person} for a second pair of eyes.',
  'Took a break of {n} minutes.',
  '{person} is on vacation until day {n}.',
  'Noise in the channel, muted it.',
  'Queue of other requests is {n} long today.',
  'VPN was slow again.',
  'Standup moved to {n} o clock.',
  'Handed my other ticket to {person}.',
  'Left a comment for {person}.',
  'Browser crashed, had to log in again.',
  'Reminder to myself: renew the certificate of the wiki.',
  'Interesting: {service} has a new owner.',
]

export const PLATFORM_NOISE: readonly string[] = [
  '{person} prefers answers in bullet points.',
  'The staging cluster has {n} nodes.',
  'Vault is owned by the security team.',
  'Airflow was upgraded in week {n}.',
  'Stripe changed its API version in March.',
  'The team dinner is on day {n}.',
  'Meeting notes: roadmap for {service}, budget {n} k.',
  '{service} uses Postgres and a Redis cache.',
  'Docs of {service} moved to the new wiki.',
  'Read about vector databases for {n} minutes.',
  'Kubernetes costs went up by {n} percent.',
  'Interview with a candidate at {n} o clock.',
  'Zendesk license ends in {n} days.',
  '{person} asked who owns {table}.',
  'Sentry quota is at {n} percent.',
  'Draft of the quarterly report has {n} pages.',
  'Playwright has a new trace viewer.',
  'Refund numbers of last month: {n}.',
  'Docker Hub rate limits changed.',
  'Talked with {person} about naming of dashboards.',
]

export const PLATFORM_SLOTS: Readonly<Record<string, readonly string[]>> = {
  person: ['Maria Keller', 'Jonas Petit', 'Aiko Tan', 'Lena Novak', 'Omar Haddad', 'Priya Nair', 'Tom Ellery'],
  service: ['billing-api', 'search-api', 'ledger-worker', 'mail-gateway', 'profile-service', 'cart-service'],
  node: ['node-12', 'node-31', 'node-07', 'node-44', 'node-58', 'node-63', 'node-90'],
  region: ['eu-west-1', 'us-east-2', 'ap-south-1'],
  version: ['1.29.4', '1.30.1', '1.31.0', '2.4.7', '2.5.0'],
  table: ['events_daily', 'orders_fact', 'sessions_hourly', 'payments_fact'],
  day: ['2026-02-11', '2026-02-18', '2026-02-23', '2026-03-01', '2026-03-04'],
}
