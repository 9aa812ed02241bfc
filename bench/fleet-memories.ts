import { readData, TEXT, TEXTS } from './data-file.js'
import { createRandom } from './random.js'

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

const { services, slots, memories, questions } = readData('fleet-memories.yaml', {
  properties: {
    services: TEXTS,
    slots: { values: TEXTS },
    memories: { elements: { properties: { type: TEXT, text: TEXT } } },
    questions: TEXTS,
  },
})

const FIRST_DAY = Date.UTC(2026, 0, 5)
const RUN_LENGTH = 20

export function createFleetCorpus(seed: number): FleetCorpus {
  const { pick, whole } = createRandom(seed)

  /** Fills a template; what is said about a person is about the same one. */
  function tell(template: string, service: string): { text: string; person: string | undefined } {
    const person = template.includes('{person}') ? pick(slots.person!) : undefined
    const text = template.replace(/\{(\w+)\}/g, (_, slot: string) => {
      if (slot === 'service') return service
      if (slot === 'number') return String(whole(1_000, 9_999))
      return slot === 'person' ? person! : pick(slots[slot]!)
    })
    return { text, person }
  }

  return {
    memories: (count) =>
      different(
        count,
        (i) => {
          const run = Math.floor(i / RUN_LENGTH)
          const service = pick(services)
          const memory = pick(memories)
          const { text, person } = tell(memory.text, service)
          return {
            content: text,
            memory_type: memory.type,
            run_id: `run-${seed}-${run}`,
            ts_valid_start: new Date(FIRST_DAY + run * 3_600_000 + (i % RUN_LENGTH) * 30_000).toISOString(),
            metadata: { source: pick(slots.tool!), place: pick(slots.place!) },
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
        () => tell(pick(questions), pick(services)).text,
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
