/** A drill that recurs: how it is written down, and how one asks for it, first in the same words. */
interface Drill {
  readonly noted: string
  readonly asked: readonly string[]
}

export const DRILLS: readonly Drill[] = [
  {
    noted: 'Failover drill of {service}: [standby took over in {dozens} s], {few} writes lost.',
    asked: [
      'How did the failover drill of {service} go {when}?',
      'How did it go to switch {service} to its second leg {when}?',
    ],
  },
  {
    noted: 'Restore test for {service}: [{hundreds} GB back from backup in {dozens} minutes].',
    asked: [
      'What did the restore test of {service} show {when}?',
      'What came of getting {service} back out of its safety copy {when}?',
    ],
  },
  {
    noted: 'Load test of {service} reached [{thousands} requests a second] before the first 503.',
    asked: [
      'How far did the load test of {service} get {when}?',
      'How much could {service} take when we pushed it to its limit {when}?',
    ],
  },
  {
    noted: 'Penetration test of {service} closed with [{few} medium findings].',
    asked: [
      'What did the penetration test of {service} find {when}?',
      'What did the hired attackers say about {service} {when}?',
    ],
  },
  {
    noted: 'Chaos day for {service}: [{few} of {dozens} experiments] went unnoticed by users.',
    asked: [
      'How did the chaos day of {service} end {when}?',
      'What was learned when we broke parts of {service} on purpose {when}?',
    ],
  },
  {
    noted: 'Cost review of {service}: [{thousands} euros], {percent} % of it for egress.',
    asked: [
      'What did the cost review of {service} say {when}?',
      'How expensive was {service} according to the look at its bills {when}?',
    ],
  },
]

export const RELEASES = [
  'Released {service} {version}: it {change}.',
  '{service} {version} is live in every region; it {change}.',
  'Shipped {service} {version}, which {change}.',
] as const

export const ASKED_RELEASE = [
  'Which release of {service} was shipped {when}?',
  'What went out for {service} {when}?',
  'Which change did {service} get {when}?',
  'What was new in {service} {when}?',
  '{when}, what did we deploy of {service}?',
] as const

export const ASKED_ROTA = [
  'Who had the pager of {fleet} {when}?',
  'Who was on call for {fleet} {when}?',
  'Whom would an alarm of {fleet} have woken {when}?',
] as const

export const FREEZES = [
  'Deploy freeze for {service}: [auditors are in the house], exceptions through {someone}.',
  'Deploy freeze for {service}: [the campaign of {hundreds} shops runs].',
  'Deploy freeze for {service}: [fiscal year end], {few} people may override.',
  'Deploy freeze for {service}: [the data centre moves {dozens} racks].',
  'Deploy freeze for {service}: [the partner certifies us], see page {dozens}.',
  'Deploy freeze for {service}: [public holidays in {few} countries].',
] as const

export const ASKED_FREEZE = [
  'What was the deploy freeze of {service} {when} for?',
  'Why could nothing of {service} be shipped {when}?',
  'What kept us from touching {service} in production {when}?',
] as const

/** Recurring events of which the last time is asked for. */
export const RECURRING = [
  {
    noted: '[Rotated the signing keys] of {service}, {few} consumers had to restart.',
    planned: 'To do: rotate the signing keys of {service} once {someone} is back, {few} consumers to warn.',
    asked: [
      'When were the signing keys of {service} last rotated?',
      'When did {service} last get fresh secrets to vouch with?',
    ],
  },
  {
    noted: '[Vacuumed the big tables] of {service}, {hundreds} GB came back.',
    planned: 'To do: vacuum the big tables of {service}, {someone} expects {hundreds} GB.',
    asked: [
      'When were the tables of {service} last vacuumed?',
      'When did somebody last tidy up the storage of {service}?',
    ],
  },
  {
    noted: '[Upgraded the runtime] under {service}, build {thousands}.',
    planned: 'To do: upgrade the runtime under {service}, blocked by {someone}, build {thousands}.',
    asked: [
      'When did the runtime under {service} last get an upgrade?',
      'When was the interpreter beneath {service} last made newer?',
    ],
  },
  {
    noted: '[Reviewed who has access] to {service}: {few} accounts removed.',
    planned: 'To do: review who has access to {service}, {dozens} accounts by {someone}.',
    asked: [
      'When was the access to {service} last reviewed?',
      'On what day were the permissions of {service} last gone through?',
    ],
  },
] as const
