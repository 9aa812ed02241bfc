import { readData, TEXT, TEXTS } from '../data-file.js'
import { DAY, FIRST_DAY, type Scribe, TODAY } from './scribe.js'
import { FLEETS } from './world.js'

const CHAINS = readData('fleet-set/hops.yaml', {
  elements: {
    properties: {
      first: TEXT,
      second: TEXT,
      asked: TEXTS,
      types: { properties: { a: TEXT, b: TEXT } },
      a: TEXTS,
      b: TEXTS,
      c: TEXTS,
    },
  },
})
type Chain = (typeof CHAINS)[number]

/** Number of questions for each chain's twelve links, each with other names. */
const QUESTIONS_OF_EACH = 5

/**
 * Writes pairs of notes of different days and runs that only a name connects; half of them are by agents that link the
 * names as entities. Every chain is written twelve times with other names, so that words alone lead to eleven wrong
 * answers.
 */
export function noteHops(scribe: Scribe): void {
  for (const chain of CHAINS) noteChain(scribe, chain)
}

function noteChain(scribe: Scribe, { first, second, asked, types, a, b, c }: Chain): void {
  const { random, fresh, fill, ask, wording } = scribe
  const [as, bs, cs] = [a, b, c].map((names) => random.sample(names, names.length)) as [string[], string[], string[]]
  as.forEach((name, i) => {
    const fleet = random.pick(FLEETS)
    const slots = { a: name, b: bs[i]!, c: cs[i]! }
    const links = [
      { name, entity_type: types.a },
      { name: slots.b, entity_type: types.b },
    ]
    const by = random.chance(0.5) ? 'scribe' : 'fixer'
    const note = (text: string, own: typeof links) =>
      scribe
        .run({ kind: 'register', fleet, at: random.whole(FIRST_DAY, TODAY - DAY) })
        .note(fresh(text, slots), { type: 'fact', by, links: own })
    const evidence = [note(first, links), note(second, links.slice(1))]
    if (i >= QUESTIONS_OF_EACH) return
    ask({ text: fill(wording(asked), slots), category: 'multi-hop', evidence, names: [name] })
  })
}
