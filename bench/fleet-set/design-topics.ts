import type { Topic } from './topic.js'

/** Topics of a service's design, and of how others use it. */
export const DESIGN_TOPICS: readonly Topic[] = [
  {
    asked: [
      'Which message broker does {service} publish through?',
      'By which means does {service} hand on what has happened?',
      'Over what do messages of {service} travel?',
    ],
    choices: [
      {
        name: 'JetStream',
        adopt: '{service} publishes through [NATS JetStream].',
        why: 'One binary to run, and [a day of replay] is all that anyone needs.',
        leave: '[JetStream lost its quorum twice] when a node was drained.',
      },
      {
        name: 'Kafka',
        adopt: '{service} publishes through [Kafka].',
        why: '[Partitions keep the order per account], which nothing else gives us.',
        leave: '[Three brokers for {few} records a second] are hard to defend.',
      },
    ],
  },
  {
    asked: [
      'Which database is {service} on?',
      'Which engine holds what {service} must remember?',
      'In which database does {service} keep its rows?',
    ],
    choices: [
      {
        name: 'PostgreSQL',
        adopt: 'We put {service} on [PostgreSQL].',
        why: '[Everyone can read its query plans], and backups are solved.',
        leave: '[Vacuum could not keep up] with {thousands} updates a minute.',
      },
      {
        name: 'DynamoDB',
        adopt: 'We put {service} on [DynamoDB].',
        why: '[There is no capacity to plan], and nobody is paged for it.',
        leave: '[Every new access path needed one more index], and the bill doubled.',
      },
    ],
  },
  {
    asked: [
      'What kind of primary keys does {service} have?',
      'How are new records of {service} numbered?',
      'What do identifiers of {service} look like?',
    ],
    choices: [
      {
        name: 'UUIDv7',
        adopt: 'Primary keys in {service} are [UUIDv7].',
        why: '[They sort by time], so inserts stay at the right edge of the B-tree.',
        leave: '[Support cannot read them out] over the phone.',
      },
      {
        name: 'a sequence',
        adopt: 'Primary keys in {service} come from a [bigint sequence].',
        why: '[Short enough to be typed] from paper.',
        leave: '[They told competitors] how many orders we take a day.',
      },
    ],
  },
  {
    asked: [
      'What interface does {service} offer?',
      'How do other programs talk to {service}?',
      'What would a client of {service} have to speak?',
    ],
    choices: [
      {
        name: 'gRPC',
        adopt: 'The interface of {service} is [gRPC with protobuf].',
        why: '[Stubs for four languages] come for nothing.',
        leave: '[Browsers and curl] could not use it without a proxy.',
      },
      {
        name: 'plain JSON',
        adopt: 'The interface of {service} is [plain JSON over HTTP].',
        why: '[Anybody can try it from a shell] within a minute.',
        leave: '[Numbers above 2^53] came out wrong at {few} consumers.',
      },
    ],
  },
  {
    asked: [
      'When is {service} shipped?',
      'At what pace does {service} go to production?',
      'How frequently do customers get a fresh {service}?',
    ],
    choices: [
      {
        name: 'continuous delivery',
        adopt: '{service} is shipped with [every merge].',
        why: '[Small diffs] are easy to take back.',
        leave: '[{dozens} rollouts a day] made every graph unreadable.',
      },
      {
        name: 'the release train',
        adopt: '{service} is shipped on [Tuesdays and Thursdays only].',
        why: '[Somebody watches] at these hours.',
        leave: '[Each train carried {dozens} changes], and nobody knew which one hurt.',
      },
    ],
  },
  {
    asked: [
      'What does {service} do on a failed downstream call?',
      'What does {service} do when something that it depends on says no?',
      'How stubborn is {service} towards others?',
    ],
    choices: [
      {
        name: 'retrying',
        adopt: 'On a failed downstream call {service} makes [five attempts with full jitter].',
        why: '[Most hiccups last under a second], as {few} weeks of traces show.',
        leave: '[The storm after an outage] was worse than the outage.',
      },
      {
        name: 'failing fast',
        adopt: 'On a failed downstream call {service} [gives up at once] and lets the caller choose.',
        why: '[Callers know better] what waiting is worth.',
        leave: '[Every blip became visible to shoppers], {dozens} complaints in a month.',
      },
    ],
  },
  {
    asked: [
      'How long are logs of {service} kept?',
      'How far back can we look into what {service} did?',
      'What age may traces of {service} reach?',
    ],
    choices: [
      {
        name: 'two weeks of logs',
        adopt: 'Log retention of {service} is [14 days].',
        why: '[Nobody opened anything older] in {hundreds} sessions.',
        leave: '[Two audits asked for a quarter], and we had nothing.',
      },
      {
        name: 'a year of logs',
        adopt: 'Log retention of {service} is [400 days].',
        why: '[Seasonal comparisons] need the same week of the year before.',
        leave: '[Storage came to {thousands} euros] in {few} months.',
      },
    ],
  },
  {
    asked: [
      'How does {service} cache its hot reads?',
      'What stands in front of the tables of {service} to spare them?',
      'Where does {service} look things up first?',
    ],
    choices: [
      {
        name: 'Redis',
        adopt: 'Hot reads in {service} are cached in [Redis].',
        why: '[All replicas see the same value] right after a write.',
        leave: '[One failover emptied it], and the cold start took {dozens} minutes.',
      },
      {
        name: 'the in-process cache',
        adopt: 'Hot reads in {service} are cached in [an LRU inside each process].',
        why: '[No network hop], and nothing more to operate.',
        leave: '[Two replicas contradicted one another] for {few} minutes.',
      },
    ],
  },
  {
    asked: [
      'How are listings of {service} paged?',
      'How does a client walk through long results of {service}?',
      'How does one get to the thousandth entry in {service}?',
    ],
    choices: [
      {
        name: 'cursors',
        adopt: 'Listings of {service} are paged by [opaque keyset cursors].',
        why: '[Cost stays the same] however deep one goes.',
        leave: '[The admin screens need to jump], and cannot.',
      },
      {
        name: 'page numbers',
        adopt: 'Listings of {service} are paged by [page number and size].',
        why: '[Product wants "page 7 of 40"] on the screen.',
        leave: '[Rows were skipped] whenever somebody inserted in between, {few} reports.',
      },
    ],
  },
  {
    asked: [
      'What data do the tests of {service} use?',
      'What are the integration checks of {service} run against?',
      'Where do example records for trying out {service} come from?',
    ],
    choices: [
      {
        name: 'production copies',
        adopt: 'Tests of {service} use [a scrubbed copy of production].',
        why: '[Only real data is ugly enough] to find anything.',
        leave: '[The scrubber let {few} e-mail addresses through].',
      },
      {
        name: 'generated fixtures',
        adopt: 'Tests of {service} use [generated fixtures from a seed].',
        why: '[A failure can be repeated] on any laptop.',
        leave: '[None of the last {dozens} bugs] would have shown up with them.',
      },
    ],
  },
]
