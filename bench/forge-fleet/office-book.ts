import { readData, TEXT, TEXTS } from '../data-file.js'
import type { Random } from '../random.js'
import { createFiller } from './filler.js'
import type { PhraseBook, Recipe, Utterance } from './shape.js'

/** A step as it is told in sentences (`did`, after "I") and as terse agents note it (`log`). */
interface ToldStep {
  readonly key: string
  readonly did: readonly string[]
  readonly log: readonly string[]
}

interface OfficeRecipe extends Recipe {
  readonly steps: readonly ToldStep[]
  readonly brief: string
  readonly well: readonly string[]
  readonly badly: readonly string[]
}

const STEP = { properties: { did: TEXTS, log: TEXTS } } as const
const { recipes, asides, noise, slots } = readData('forge-fleet/office.yaml', {
  properties: {
    recipes: {
      elements: { properties: { key: TEXT, brief: TEXT, steps: { values: STEP }, well: TEXTS, badly: TEXTS } },
    },
    asides: TEXTS,
    noise: TEXTS,
    slots: { values: TEXTS },
  },
})

/** A piece of what is told: a clause as a sentence has it, and as a terse agent notes it. */
interface Piece {
  readonly did: string
  readonly log: string
  readonly kind: Utterance['kind']
  readonly steps: readonly string[]
}

/** Composed sentences: terse agents note key words, chatty ones tell several things in one memory. */
export const OFFICE_BOOK: PhraseBook<OfficeRecipe> = {
  name: 'office',
  recipes: recipes.map(({ steps, ...recipe }) => ({
    ...recipe,
    steps: Object.entries(steps).map(([key, told]) => ({ key, ...told })),
  })),
  tell(recipe, only, ending, agent, random) {
    const fill = createFiller(slots, random)
    const pieces: Piece[] = []
    const add = (did: string, log: string, kind: Utterance['kind'], steps: readonly string[] = []) =>
      pieces.push({ did: fill(did), log: fill(log), kind, steps })
    if (random.chance(0.4)) add(`took over ${recipe.brief}`, `re: ${recipe.brief}`, 'note')
    for (const index of only) {
      const { key, did, log } = recipe.steps[index]!
      add(random.pick(did), random.pick(log), 'step', [key])
      if (random.chance(0.3)) {
        const aside = random.pick(asides)
        add(`noticed that ${aside}`, aside, 'note')
      }
    }
    if (ending !== 'unknown') {
      const text = random.pick(ending === 'success' ? recipe.well : recipe.badly)
      add(`can report: ${text}`, text, 'ending')
    }
    return VOICES[agent % VOICES.length]!(pieces, random)
  },
  ramble(agent, random) {
    const fill = createFiller(slots, random)
    const pieces = random.sample([...noise, ...asides], random.whole(2, 6)).map((text): Piece => {
      const said = fill(text).replace(/\.$/, '')
      return { did: `heard that ${said}`, log: said, kind: 'noise', steps: [] }
    })
    return VOICES[agent % VOICES.length]!(pieces, random)
  },
}

type Voice = (pieces: readonly Piece[], random: Random) => Utterance[]

const single = ({ kind, steps }: Piece, text: string): Utterance => ({ text, kind, steps })
const upper = (text: string) => text[0]!.toUpperCase() + text.slice(1)

const VOICES: readonly Voice[] = [
  // Key words.
  (pieces) => pieces.map((piece) => single(piece, piece.log)),
  // A diary, two or three things at once.
  (pieces, random) =>
    chunks(pieces, random).map((chunk) =>
      joined(chunk, ({ did }, i) => `${i === 0 ? 'I' : random.pick(['Then I', 'After that I', 'Next I'])} ${did}.`),
    ),
  // Reports to somebody.
  (pieces, random) =>
    pieces.map((piece) =>
      single(
        piece,
        `${random.pick(['Just to let you know, I', 'As discussed we', 'For your information: I', 'Right, so I', 'We'])} ${piece.did}${random.pick([', hope that is fine.', '.', ', no surprises there.', ', which was more work than expected.'])}`,
      ),
    ),
  // Lists with marks.
  (pieces, random) =>
    chunks(pieces, random).map((chunk) =>
      joined(chunk, ({ log, kind }) => `${kind === 'note' ? '-' : '[x]'} ${log}`, '\n'),
    ),
  // One sentence each.
  (pieces) => pieces.map((piece) => single(piece, `${upper(piece.did)}.`)),
  // A log with times.
  (pieces, random) =>
    pieces.map((piece) =>
      single(piece, `${random.whole(8, 17)}h${random.whole(10, 59)} ${random.chance(0.5) ? piece.log : piece.did}`),
    ),
]

/** Splits into runs of one to three pieces; notes and endings stay alone. */
function chunks(pieces: readonly Piece[], random: Random): Piece[][] {
  const chunked: Piece[][] = []
  for (const piece of pieces) {
    const last = chunked.at(-1)
    const joins = piece.kind === 'step' && last?.every(({ kind }) => kind === 'step') && last.length < 3
    if (joins && random.chance(0.6)) last!.push(piece)
    else chunked.push([piece])
  }
  return chunked
}

function joined(chunk: readonly Piece[], worded: (piece: Piece, i: number) => string, by = ' '): Utterance {
  return { text: chunk.map(worded).join(by), kind: chunk[0]!.kind, steps: chunk.flatMap(({ steps }) => steps) }
}
