import type { Topic } from './topic.js'

/** Topics of how a service is built, run and maintained. */
export const RUNNING_TOPICS: readonly Topic[] = [
  {
    asked: [
      'Which base image does {service} have?',
      'On what foundation is the container of {service} built?',
      'Which operating system files come along with {service}?',
    ],
    choices: [
      {
        name: 'distroless',
        adopt: 'Image of {service}: [distroless], no shell.',
        why: '[Scanners find nothing] to complain about.',
        leave: '[Nobody could look inside] during the night of the {dozens} restarts.',
      },
      {
        name: 'Debian slim',
        adopt: 'Image of {service}: [Debian slim].',
        why: '[glibc and a shell] where one expects them.',
        leave: '[{dozens} CVEs a month] had to be answered.',
      },
    ],
  },
  {
    asked: [
      'How does {service} store timestamps?',
      'In which zone does {service} write down when something took place?',
      'Whose clock do entries of {service} follow?',
    ],
    choices: [
      {
        name: 'UTC',
        adopt: 'Timestamps in {service} are stored in [UTC].',
        why: '[Two hours a year exist twice] anywhere else.',
        leave: '[Merchants closed their books on the wrong day], {few} of them loudly.',
      },
      {
        name: 'local time',
        adopt: 'Timestamps in {service} are stored in [the local time of the merchant].',
        why: '[Accountants compare them with paper receipts].',
        leave: '[Sorting across countries] gave nonsense.',
      },
    ],
  },
  {
    asked: [
      'How does {service} authenticate?',
      'How does {service} prove to its peers who it is?',
      'What does {service} show when another program asks for its papers?',
    ],
    choices: [
      {
        name: 'mutual TLS',
        adopt: '{service} authenticates by [mutual TLS].',
        why: '[The mesh rotates it] without our doing.',
        leave: '[Batch jobs outside the mesh] were shut out.',
      },
      {
        name: 'signed tokens',
        adopt: '{service} authenticates by [signed JWTs of ten minutes].',
        why: '[It works from anywhere], a cron job included.',
        leave: '[One leaked into a log] and was good for {few} more minutes.',
      },
    ],
  },
  {
    asked: [
      'What is the build system of {service}?',
      'With what is {service} compiled?',
      'What turns the sources of {service} into something that runs?',
    ],
    choices: [
      {
        name: 'Bazel',
        adopt: 'Build system of {service}: [Bazel].',
        why: '[Remote caching] saves {dozens} minutes a branch.',
        leave: '[Only two people] could still change a rule.',
      },
      {
        name: 'pnpm scripts',
        adopt: 'Build system of {service}: [plain pnpm scripts].',
        why: '[New colleagues know it] on their first day.',
        leave: '[Full rebuilds took {dozens} minutes] at the end.',
      },
    ],
  },
  {
    asked: [
      'Who gets the pages of {service}?',
      'Who is woken when {service} breaks at night?',
      'Whose sleep depends on {service}?',
    ],
    choices: [
      {
        name: 'waking the owners',
        adopt: 'Pages of {service} go to [the team that owns the code].',
        why: '[Whoever can fix it] should hear of it.',
        leave: '[Two people left] over {dozens} alarms in a month.',
      },
      {
        name: 'central operations',
        adopt: 'Pages of {service} go to [the central operations desk].',
        why: '[They are awake anyway], in three continents.',
        leave: '[They could only restart things], {dozens} times in a row.',
      },
    ],
  },
  {
    asked: [
      'Which language are new modules of {service} in?',
      'In what is {service} programmed?',
      'Which skills does a newcomer need to change {service}?',
    ],
    choices: [
      {
        name: 'Elixir',
        adopt: 'New modules of {service} are written in [Elixir].',
        why: '[Supervision trees] replace half of our own restarts.',
        leave: '[We could not hire for it] within {few} months.',
      },
      {
        name: 'Kotlin',
        adopt: 'New modules of {service} are written in [Kotlin].',
        why: '[Half of the company reads it] already.',
        leave: '[Start-up took {dozens} s], too long for scaling to zero.',
      },
    ],
  },
  {
    asked: [
      'How do migrations of {service} work?',
      'How are changes of the tables behind {service} brought in?',
      'What must somebody do who wants a further column in {service}?',
    ],
    choices: [
      {
        name: 'expand and contract',
        adopt: 'Migrations of {service} follow [expand and contract].',
        why: '[Old and new code run side by side] during any rollout.',
        leave: '[Nobody ever did the contracting], {dozens} dead columns.',
      },
      {
        name: 'the maintenance window',
        adopt: 'Migrations of {service} happen in [a maintenance window at four in the morning].',
        why: '[One state at a time] is easy to reason about.',
        leave: '[Asia is awake then], {thousands} failed orders.',
      },
    ],
  },
  {
    asked: [
      'How does {service} limit its clients?',
      'How is {service} protected from greedy clients?',
      'What keeps one customer from eating all of {service}?',
    ],
    choices: [
      {
        name: 'token buckets',
        adopt: '{service} limits by [a token bucket per API key].',
        why: '[Bursts are fine] as long as the hour is.',
        leave: '[One customer made {dozens} keys] and had {dozens} buckets.',
      },
      {
        name: 'the concurrency cap',
        adopt: '{service} limits by [a cap on requests in flight].',
        why: '[It needs no numbers chosen by hand] and adapts by itself.',
        leave: '[Slow customers were punished] for the slowness of others.',
      },
    ],
  },
  {
    asked: [
      'How do deletes work in {service}?',
      'What becomes of a row that a user removes from {service}?',
      'Is something thrown away in {service} gone for good?',
    ],
    choices: [
      {
        name: 'tombstones',
        adopt: 'Deletes in {service} leave [a tombstone for 30 days].',
        why: '[{dozens} users a week] change their minds.',
        leave: '[A regulator counted the 30 days] against us.',
      },
      {
        name: 'hard deletes',
        adopt: 'Deletes in {service} are [physical, within the transaction].',
        why: '[Nothing that is not there] can leak.',
        leave: '[A wrong script removed {thousands} rows] for ever.',
      },
    ],
  },
  {
    asked: [
      'Which compression does {service} use?',
      'How are payloads of {service} squeezed?',
      'What makes traffic of {service} smaller on the wire?',
    ],
    choices: [
      {
        name: 'zstd',
        adopt: 'Compression in {service}: [zstd, level 3].',
        why: '[Half the CPU at the same size], measured over {hundreds} samples.',
        leave: '[Two partners have no decoder] for it.',
      },
      {
        name: 'gzip',
        adopt: 'Compression in {service}: [gzip, level 6].',
        why: '[Every proxy on the way] understands it.',
        leave: '[It cost {percent} % of all cores] at noon.',
      },
    ],
  },
]
