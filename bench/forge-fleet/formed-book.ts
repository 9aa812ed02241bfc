import { readData, TEXT, TEXTS } from '../data-file.js'
import type { Random } from '../random.js'
import { createFiller } from './filler.js'
import type { PhraseBook, Recipe, Utterance } from './shape.js'

/** The form that a text is in: a language, or a register. */
export type Form = string

/** A workflow whose goal and steps are one template for each form. */
interface FormedRecipe extends Recipe {
  readonly steps: readonly { readonly key: string; readonly forms: Readonly<Record<Form, string>> }[]
  readonly goal: Readonly<Record<Form, string>>
}

/** A piece of what is told, in its form. */
export type Piece = Utterance

export interface Voice {
  /** Returns the form of the next piece. */
  formOf(random: Random): Form
  /** Returns the memories that tell all pieces of a run. */
  write(pieces: readonly Piece[], random: Random): Utterance[]
}

interface Tellings {
  readonly file: string
  readonly name: string
  /** One for each agent of a fleet, in turn. */
  readonly voices: readonly Voice[]
}

const FORMS = { values: TEXT } as const
const SHAPE = {
  properties: {
    recipes: { elements: { properties: { key: TEXT, goal: FORMS, steps: { values: FORMS } } } },
    well: FORMS,
    badly: FORMS,
    notes: { values: TEXTS },
    noise: { values: TEXTS },
    slots: { values: TEXTS },
  },
} as const

/** Creates a book of a YAML file in which everything is said in several forms. */
export function createFormedBook({ file, name, voices }: Tellings): PhraseBook<FormedRecipe> {
  const { recipes, well, badly, notes, noise, slots } = readData(`forge-fleet/${file}`, SHAPE)
  const begin = (agent: number, random: Random) => {
    const fill = createFiller(slots, random)
    const voice = voices[agent % voices.length]!
    const pieces: Piece[] = []
    const add = (
      forms: Readonly<Record<Form, string | readonly string[]>>,
      kind: Piece['kind'],
      steps: string[] = [],
    ) => {
      const said = forms[voice.formOf(random)]!
      const template = typeof said === 'string' ? said : random.pick(said)
      pieces.push({ text: fill(chosen(template, random)), kind, steps })
    }
    return { add, finish: () => voice.write(pieces, random) }
  }
  return {
    name,
    recipes: recipes.map(({ steps, ...recipe }) => ({
      ...recipe,
      steps: Object.entries(steps).map(([key, forms]) => ({ key, forms })),
    })),
    tell({ goal, steps }, only, ending, agent, random) {
      const { add, finish } = begin(agent, random)
      if (random.chance(0.5)) add(goal, 'note')
      for (const index of only) {
        add(steps[index]!.forms, 'step', [steps[index]!.key])
        if (random.chance(0.3)) add(notes, 'note')
      }
      if (ending !== 'unknown') add(ending === 'success' ? well : badly, 'ending')
      return finish()
    },
    ramble(agent, random) {
      const { add, finish } = begin(agent, random)
      const told = random.whole(3, 6)
      for (let n = 0; n < told; n++) add(random.chance(0.6) ? noise : notes, 'noise')
      return finish()
    },
  }
}

/** Chooses one of each `<one|other>` of a template. */
function chosen(template: string, random: Random): string {
  return template.replace(/<([^<>]*)>/g, (_, either: string) => random.pick(either.split('|')))
}

/** Returns the memory that tells several pieces; it is a step when one of them is. */
export function together(pieces: readonly Piece[], text: string): Utterance {
  const kinds = pieces.map(({ kind }) => kind)
  return { text, kind: kinds.includes('step') ? 'step' : kinds[0]!, steps: pieces.flatMap(({ steps }) => steps) }
}

/** Splits pieces into groups of one to `most`. */
export function grouped(pieces: readonly Piece[], most: number, random: Random): Piece[][] {
  const groups: Piece[][] = []
  for (let at = 0; at < pieces.length;) {
    const size = random.whole(1, most)
    groups.push(pieces.slice(at, at + size))
    at += size
  }
  return groups
}
