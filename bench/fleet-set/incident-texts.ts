/**
 * A symptom as the alert says it (`seen`) and as it is spoken of later (`when` as a clause, `noun` as a thing): first
 * in the alert's own terms, then in other words.
 */
interface Symptom {
  readonly seen: readonly string[]
  readonly when: readonly string[]
  readonly noun: readonly string[]
}

export const SYMPTOMS = {
  slow: {
    seen: [
      'p99 of {service} in {place} went from {dozens} ms to {thousands} ms within ten minutes.',
      'Latency alert for {service} ({place}): median {hundreds} ms, the objective is {dozens}.',
    ],
    when: ['latency of {service} went up', '{service} became sluggish', 'everything behind {service} crawled'],
    noun: ['the latency problem of {service}', 'the sluggishness of {service}'],
  },
  errors: {
    seen: [
      '{service} answers {percent} % of requests in {place} with 502.',
      'Error budget of {service} is burning: {percent} % 5xx in {place} since {hour}.',
    ],
    when: [
      '{service} returned 5xx to its callers',
      '{service} let a good part of its callers down',
      'so many calls to {service} came to nothing',
    ],
    noun: ['the 502s of {service}', 'the failures that callers of {service} met'],
  },
  backlog: {
    seen: [
      'Consumer lag of {service} passed {thousands} messages and still grows.',
      'Queue depth in front of {service}: {thousands}, normally below a hundred.',
    ],
    when: [
      'the queue of {service} kept growing',
      'work piled up at {service}',
      '{service} could not keep pace with what came in',
    ],
    noun: ['the consumer lag of {service}', 'the pile of unfinished work at {service}'],
  },
  duplicates: {
    seen: [
      '{service} delivered the same event up to {few} times; {hundreds} customers are affected.',
      'Reconciliation found {thousands} entries of {service} that exist twice.',
    ],
    when: [
      '{service} delivered events twice',
      '{service} did things more than once',
      '{service} kept repeating itself',
    ],
    noun: ['the duplicate entries of {service}', 'the repetitions in what {service} put out'],
  },
  restarts: {
    seen: [
      'Pods of {service} crash-loop in {place}: OOMKilled after {few} minutes each.',
      '{service} in {place}: {dozens} container exits with code 137 in the last hour.',
    ],
    when: [
      'pods of {service} crashed again and again',
      '{service} kept dying and coming back',
      '{service} would not stay alive',
    ],
    noun: ['the crash loop of {service}', 'the constant deaths of {service}'],
  },
  stale: {
    seen: [
      'Dashboards fed by {service} show figures that are {few} hours old.',
      'Freshness check of {service} is red: last row written at {hour}.',
    ],
    when: [
      'dashboards of {service} showed old figures',
      '{service} gave people an outdated picture',
      'nobody got anything current out of {service}',
    ],
    noun: ['the stale figures of {service}', 'the outdated picture that {service} gave'],
  },
  auth: {
    seen: [
      'Every token that reaches {service} is refused with 401 since {hour}.',
      '{service} rejects all signatures in {place}; callers see "invalid credentials".',
    ],
    when: ['{service} refused tokens', '{service} let nobody in', 'everyone was locked out of {service}'],
    noun: ['the 401s at {service}', 'the lockout at {service}'],
  },
  disk: {
    seen: [
      'Volume of {service} in {place} is {percent} % full and writes fail with ENOSPC.',
      '{service}: no space left on device, {few} hosts affected.',
    ],
    when: [
      'the disk of {service} was full',
      '{service} ran out of room',
      'there was nowhere left for {service} to put anything',
    ],
    noun: ['the full volume of {service}', 'the shortage of storage at {service}'],
  },
  missing: {
    seen: [
      'Nightly output of {service} is short by {thousands} rows.',
      'Checksums of {service} do not match the source: {thousands} records absent.',
    ],
    when: [
      'rows were missing from the output of {service}',
      'part of what {service} should have produced never appeared',
      '{service} left things out',
    ],
    noun: ['the missing records of {service}', 'the gaps in what {service} produced'],
  },
  hanging: {
    seen: [
      '{service} gives up on its upstream after 30 s in {percent} % of calls.',
      'Outgoing requests of {service} from {place} end in ETIMEDOUT, {dozens} a minute.',
    ],
    when: [
      'calls of {service} to its upstream timed out',
      '{service} waited in vain for others',
      '{service} got stuck waiting',
    ],
    noun: ['the timeouts of {service}', 'the vain waiting of {service}'],
  },
  rollout: {
    seen: [
      'Deploy of {service} to {place} does not converge: {few} of 12 replicas, readiness never turns true.',
      'Rollout of {service} halted at {percent} %, the new pods stay unready.',
    ],
    when: [
      'the rollout of {service} was stuck',
      'the new version of {service} would not come up',
      'we could not get {service} updated',
    ],
    noun: ['the stuck deploy of {service}', 'the failed update of {service}'],
  },
  processor: {
    seen: [
      '{service} saturates all cores of {dozens} nodes in {place} while request rate is flat.',
      'CPU of {service} is at {percent} % with {hundreds} requests a second, as on any day.',
    ],
    when: [
      'CPU of {service} was saturated',
      '{service} was terribly busy with nothing in particular',
      'the machines of {service} ran hot',
    ],
    noun: ['the CPU load of {service}', 'the hot machines of {service}'],
  },
} as const satisfies Record<string, Symptom>

/** Suspects that were ruled out. */
export const RULED_OUT = [
  'Not traffic: [request volume at {hour} equals last month].',
  '[Restarting a pod at {hour}] changed nothing.',
  '[Went back to the previous image at {hour}], no difference.',
  'The cloud status page is green and [packet loss between zones is 0.0{hundreds} %].',
  '[Garbage collection takes {dozens}.{few} ms], so it is not that.',
  '[Disabled the newest flag for {percent} % of users at {hour}], the graph did not move.',
  '[Compared configuration with {place}: identical but for comments in {dozens} lines].',
  '[The load balancer spreads evenly, at most {dozens}.{few} % apart].',
] as const

export const CHATTER = [
  'Looking into it, next update at {hour}.',
  'Paged {someone}, who joins from {hour}.',
  'Told support that {hundreds} tickets may come in.',
  'Attached a flame graph and {few} dumps at {hour}.',
  '{someone} takes notes from {hour}.',
  'Status page says degraded since {hour}.',
] as const

export const CLOSING = [
  'All green since {hour}, closing with {few} action items.',
  'Watched it for {dozens} minutes: stable. Resolved at {hour}.',
  'Objective met again from {hour}; total impact {dozens} minutes.',
] as const
