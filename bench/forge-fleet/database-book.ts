import { readData, TEXTS } from '../data-file.js'
import type { Random } from '../random.js'
import { createFiller } from './filler.js'
import type { PhraseBook, Utterance } from './shape.js'
import { stepsOf, WORDED_BOOK, WORDED_RECIPE, type WordedRecipe } from './worded-recipes.js'

const { recipes, successes, failures, notes, noise, slots } = readData('forge-fleet/database.yaml', {
  properties: {
    recipes: { elements: { properties: WORDED_RECIPE } },
    successes: TEXTS,
    failures: TEXTS,
    ...WORDED_BOOK,
  },
})

type Voice = (text: string, random: Random) => string

const VOICES: readonly Voice[] = [
  (text) => text,
  (text) => text.toLowerCase().replace(/\.$/, ''),
  (text, random) =>
    random.pick(['Ok so ', 'Alright, ', 'Hm, ', 'Next: ']) +
    text +
    random.pick([
      ' Not much else to say here.',
      ' Hope this helps whoever reads it.',
      '',
      ' That was easier than last time.',
    ]),
  (text) => `* ${text}`,
]

/** Workflows, notes and noise about the same databases: they share most of their nouns. */
export const DATABASE_BOOK: PhraseBook<WordedRecipe> = {
  name: 'database',
  recipes: recipes.map(({ key, goals, steps }) => ({ key, goals, steps: stepsOf(steps), successes, failures })),
  tell({ goals, steps }, only, ending, agent, random) {
    const fill = createFiller(slots, random)
    const voice = VOICES[agent % VOICES.length]!
    const told: Utterance[] = []
    const say = (text: string, kind: Utterance['kind'], of: readonly string[] = []) =>
      told.push({ text: voice(fill(text), random), kind, steps: of })
    if (random.chance(0.5)) say(random.pick(goals), 'note')
    for (const index of only) {
      say(random.pick(steps[index]!.texts), 'step', [steps[index]!.key])
      if (random.chance(0.3)) say(random.pick(notes), 'note')
    }
    if (ending !== 'unknown') say(random.pick(ending === 'success' ? successes : failures), 'ending')
    return told
  },
  ramble(agent, random) {
    const fill = createFiller(slots, random)
    const voice = VOICES[agent % VOICES.length]!
    return random
      .sample([...noise, ...notes], random.whole(3, 6))
      .map((text) => ({ text: voice(fill(text), random), kind: 'noise', steps: [] }))
  },
}
