import { randomOf } from './random.js'

/** The content of one memory of an agent fleet, as an item of a bulk write. */
interface FleetMemory {
  readonly content: string
  readonly memory_type: string
  readonly run_id: string
  readonly ts_valid_start: string
  readonly metadata: Readonly<Record<string, string>>
  readonly entity_links: readonly { readonly name: string; readonly entity_type: string; readonly role: string }[]
}

export interface FleetCorpus {
  /** Returns `count` memories, all different, in runs of 20; the same for the same seed. */
  memories(count: number): FleetMemory[]
  /** Returns `count` different questions that such memories answer. */
  questions(count: number): string[]
}

const SERVICES = words(
  'billing-api checkout-worker ledger-sync auth-gateway search-indexer email-sender image-resizer report-builder',
  'session-store rate-limiter webhook-relay fraud-scorer catalog-api price-engine audit-trail feature-flags',
  'push-notifier invoice-renderer payout-scheduler tenant-router log-shipper token-issuer cart-service stock-keeper',
)
const PEOPLE = words(
  'Amara Boris Chen Divya Elena Farid Greta Hiro Ines Jonas Kofi Lucia Mateo Nadia Omar Priya Quentin Rosa',
)
const PLACES = words('staging production canary sandbox eu-west us-east ap-south')
const CAUSES = [
  'a connection pool that was never drained',
  'an expired certificate on the internal proxy',
  'clock skew between two hosts',
  'a missing index on the orders table',
  'an unbounded retry loop',
  'a stale feature flag',
  'memory growth in the JSON parser',
  'a deadlock between two migrations',
  'a rate limit of the upstream provider',
  'a race in the cache invalidation',
  'a full disk on the primary',
  'an off-by-one in the pagination cursor',
]
const SYMPTOMS = [
  'latency tripled',
  'requests timed out',
  'the queue kept growing',
  'duplicate events were delivered',
  'health checks flapped',
  'the build failed on arm64',
  'customers saw empty pages',
  'writes were rejected with 409',
  'the nightly export was incomplete',
  'logs were truncated',
]
const REMEDIES = [
  'rolled back to the previous release',
  'raised the timeout to thirty seconds',
  'added a circuit breaker',
  'moved the job behind the relay',
  'pinned the base image',
  'split the table by month',
  'rotated the signing key',
  'switched to keyset pagination',
  'capped retries at five with jitter',
  'rebuilt the index online',
]
const TOOLS = words('kubectl terraform psql redis-cli jq grafana opensearch bazel pnpm docker helm vault')
const CODES = words(
  'ECONNRESET ETIMEDOUT ERR_POOL_42 E11000 HTTP_503 SIGKILL_137 TLS_EXPIRED OOM_KILLED EPIPE DEADLOCK_40P01',
)

type Pick = <T>(from: readonly T[]) => T
type Form = (pick: Pick, number: () => number, service: string) => { type: string; text: string; person?: string }

const FORMS: readonly Form[] = [
  (pick, number, service) => ({
    type: 'episode',
    text: `Deployed ${service} release ${number()} to ${pick(PLACES)} and ${pick(SYMPTOMS)} within ${number()} seconds because of ${pick(CAUSES)}.`,
  }),
  (pick, number, service) => ({
    type: 'action',
    text: `Incident ${number()}: ${pick(SYMPTOMS)} on ${service} in ${pick(PLACES)}. We ${pick(REMEDIES)}, and error ${pick(CODES)} stopped.`,
  }),
  (pick, number, service) => {
    const person = pick(PEOPLE)
    return {
      type: 'decision',
      person,
      text: `${person} decided that ${service} ${pick(REMEDIES)} after ticket ${number()}, since ${pick(CAUSES)} must not come back.`,
    }
  },
  (pick, number, service) => {
    const person = pick(PEOPLE)
    return {
      type: 'preference',
      person,
      text: `${person} prefers ${pick(TOOLS)} over ${pick(TOOLS)} when looking into ${service}; see note ${number()}.`,
    }
  },
  (pick, number, service) => ({
    type: 'commitment',
    text: `Never restart ${service} in ${pick(PLACES)} while ${pick(TOOLS)} runs job ${number()}: ${pick(CAUSES)} once meant that ${pick(SYMPTOMS)}.`,
  }),
  (pick, number, service) => ({
    type: 'fact',
    text: `The runbook of ${service} lists ${pick(CODES)} under section ${number()}; it is caused by ${pick(CAUSES)} and was fixed when someone ${pick(REMEDIES)}.`,
  }),
  (pick, number, service) => {
    const person = pick(PEOPLE)
    return {
      type: 'task',
      person,
      text: `${person} is to check with ${pick(TOOLS)} whether ${service} still shows ${pick(CODES)} in ${pick(PLACES)}, ticket ${number()}.`,
    }
  },
  (pick, number, service) => ({
    type: 'plan',
    text: `Across ${number()} runs ${service} was slow in ${pick(PLACES)} whenever ${pick(SYMPTOMS)} elsewhere; ${pick(CAUSES)} explains both, and trace ${number()} shows it.`,
  }),
]

const QUESTIONS: readonly Form[] = [
  (pick, _, service) => ({ type: '', text: `Why did ${service} fail in ${pick(PLACES)} after the deploy?` }),
  (pick, _, service) => ({ type: '', text: `What did we do when ${pick(SYMPTOMS)} on ${service}?` }),
  (pick, _, service) => ({ type: '', text: `What did ${pick(PEOPLE)} decide about ${service}?` }),
  (pick) => ({ type: '', text: `Which tool does ${pick(PEOPLE)} prefer for looking into ${pick(CODES)}?` }),
  (pick) => ({ type: '', text: `How was ${pick(CAUSES)} fixed, and where?` }),
  (pick, _, service) => ({
    type: '',
    text: `Is it safe to restart ${service} while ${pick(TOOLS)} is running in ${pick(PLACES)}?`,
  }),
  (pick) => ({ type: '', text: `${pick(CODES)} in ${pick(PLACES)}: known cause and remedy` }),
  (pick, number) => ({ type: '', text: `What came of ticket ${number()} and who works on it with ${pick(TOOLS)}?` }),
]

const FIRST_DAY = Date.UTC(2026, 0, 5)
const RUN_LENGTH = 20

export function createFleetCorpus(seed: number): FleetCorpus {
  const random = randomOf(seed)
  const pick: Pick = (from) => from[Math.floor(random() * from.length)]!
  const number = () => 1_000 + Math.floor(random() * 9_000)
  return {
    memories: (count) =>
      different(
        count,
        (i) => {
          const run = Math.floor(i / RUN_LENGTH)
          const service = pick(SERVICES)
          const { type, text, person } = pick(FORMS)(pick, number, service)
          return {
            content: text,
            memory_type: type,
            run_id: `run-${seed}-${run}`,
            ts_valid_start: new Date(FIRST_DAY + run * 3_600_000 + (i % RUN_LENGTH) * 30_000).toISOString(),
            metadata: { source: pick(TOOLS), place: pick(PLACES) },
            entity_links: [
              { name: service, entity_type: 'system', role: 'about' },
              ...(person === undefined ? [] : [{ name: person, entity_type: 'person', role: 'who' }]),
            ],
          }
        },
        ({ content }) => content,
      ),
    questions: (count) =>
      different(
        count,
        () => pick(QUESTIONS)(pick, number, pick(SERVICES)).text,
        (text) => text,
      ),
  }
}

function different<T>(count: number, make: (i: number) => T, keyOf: (value: T) => string): T[] {
  const made = new Map<string, T>()
  while (made.size < count) {
    const value = make(made.size)
    made.set(keyOf(value), value)
  }
  return [...made.values()]
}

function words(...lines: string[]): string[] {
  return lines.join(' ').split(' ')
}
