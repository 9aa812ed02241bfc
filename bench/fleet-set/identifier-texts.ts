/** Subjects of tickets. */
export const ISSUES = [
  '[the CSV download drops the last column] when a name holds a semicolon',
  '[sign-in loops for people with two tenants]',
  '[the dark theme hides the delete button]',
  '[totals are shown in the wrong currency] after switching country',
  '[search ignores words with umlauts]',
  '[the mobile menu opens twice] on slow phones',
  '[mails to addresses with a plus sign bounce]',
  '[the audit page times out] for tenants with many users',
  '[vouchers can be redeemed after they expired]',
  '[uploads above two gigabytes break off at 99 percent]',
  '[the calendar widget starts weeks on Saturday]',
  '[screen readers skip the price]',
  '[webhooks are sent before the commit]',
  '[sorting by date puts empty values first]',
  '[the invite link works more than once]',
  '[the map shows warehouses in the sea]',
  '[printing a parcel label cuts off the postcode]',
  '[two-factor codes are refused after a phone change]',
  '[the archive cannot be opened on Windows]',
  '[newsletters go to people who left]',
  '[the graph of the last hour is empty between deployments]',
  '[renaming a project loses its members]',
  '[negative quantities can be ordered]',
  '[the status page says green during outages]',
]

/** Conditions under which an error is raised. */
export const MEANINGS = [
  '[the account was closed] while the request was on its way',
  '[the amount has more decimals than the currency]',
  '[the second signature is missing]',
  '[the file was changed during the upload]',
  '[the warehouse has no such shelf]',
  '[the clock of the caller is ahead by more than a minute]',
  '[the parcel exceeds what the carrier takes]',
  '[a schema with the same number but other fields exists]',
  '[the tenant has used up its exports for the day]',
  '[the voucher belongs to another country]',
  '[the batch was already closed by the accountant]',
  '[the profile was merged into another one]',
  '[the review holds a link]',
  '[the lease was taken over by another worker]',
  '[the card network wants to see the holder]',
  '[the bucket is in another jurisdiction]',
]

/** Changes of commits and releases. */
export const CHANGES = [
  '[stops sending the session cookie to subdomains]',
  '[reads the exchange rate once a request]',
  '[closes the cursor when the client hangs up]',
  '[writes totals as integers of the smallest unit]',
  '[asks the replica first]',
  '[no longer waits for the mail server]',
  '[drops the support of TLS 1.1]',
  '[keeps the order of items as the shopper saw it]',
  '[skips parcels without a weight]',
  '[sends the tenant with each log line]',
  '[escapes quotes in file names]',
  '[counts bots apart from people]',
  '[moves thumbnails to the background]',
  '[answers 429 and no longer 503 when full]',
  '[lets operators pause a single partition]',
  '[compares secrets in constant time]',
  '[stops rounding before the tax is added]',
  '[tells apart "unknown" and "none" in the colour field]',
  '[loads the word list lazily]',
  '[gives every worker its own temporary folder]',
  '[remembers the last working configuration]',
  '[warns before a password expires]',
  '[folds identical alarms of five minutes]',
  '[uses the postal address of the branch]',
]

export const ENDPOINTS = ['metrics', 'admin console', 'read replica', 'gRPC interface', 'debugger', 'health check']
export const STAGES = ['staging', 'production', 'canary', 'load test']
export const HOST_ROLES = ['primary', 'hot standby', 'backup target', 'bastion', 'batch node']

/** A setting: the end of its name, what it does, and how one asks for it, first in the same words. */
export const KNOBS: readonly { readonly name: string; readonly does: string; readonly asked: readonly string[] }[] = [
  {
    name: 'MAX_INFLIGHT',
    does: 'caps requests under way in {service}, {dozens} by default',
    asked: ['caps requests in {service}', 'keeps {service} from doing too much at once'],
  },
  {
    name: 'FLUSH_MS',
    does: 'is how long {service} collects rows before it writes them, {hundreds} ms',
    asked: ['says how long {service} collects rows before writing', 'makes {service} store things sooner'],
  },
  {
    name: 'DRAIN_S',
    does: 'gives {service} {dozens} s to finish open work on SIGTERM',
    asked: ['sets the time of {service} to finish on SIGTERM', 'allows {service} a longer goodbye'],
  },
  {
    name: 'SHADOW_PERCENT',
    does: 'mirrors {few} % of traffic of {service} to the next build without using its answers',
    asked: ['mirrors traffic of {service}', 'lets a candidate of {service} watch real users without harm'],
  },
  {
    name: 'STRICT_TYPES',
    does: 'has {service} refuse numbers that come as strings, off by default',
    asked: ['makes {service} refuse numbers as strings', 'makes {service} pickier about its input'],
  },
  {
    name: 'IDLE_S',
    does: 'is after how long {service} drops clients that send nothing, {dozens} s',
    asked: ['says when {service} drops clients', 'decides how patient {service} is with silent peers'],
  },
  {
    name: 'PREFETCH',
    does: 'is how many messages {service} takes from the broker before it acknowledges, {dozens}',
    asked: [
      'says how many messages {service} takes from the broker',
      'controls how much {service} grabs from the broker in advance',
    ],
  },
  {
    name: 'NICE_LEVEL',
    does: 'lowers the priority of background threads in {service}, {few}',
    asked: [
      'sets the priority of background threads in {service}',
      'makes chores of {service} yield to what is urgent',
    ],
  },
]

export const TICKET_FORMS = ['{id}: {text}.', 'Opened {id} because {text}.', '{id} (reported by {someone}): {text}.']
export const ERROR_FORMS = ['{service} raises {id} when {text}.', '{id} from {service} means that {text}.']
export const COMMIT_FORMS = ['Commit {id} in {service} {text}.', '{service}@{id} {text}, reviewed by {someone}.']
export const VERSION_FORMS = ['{service} {id} {text}.', 'Since {id} {service} {text}.']
