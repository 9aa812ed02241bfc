import { readData, TEXTS } from '../data-file.js'
import type { Random } from '../random.js'
import { createFiller } from './filler.js'
import type { PhraseBook, Utterance } from './shape.js'
import { stepsOf, WORDED_BOOK, WORDED_RECIPE, type WordedRecipe } from './worded-recipes.js'

const { recipes, notes, noise, slots } = readData('forge-fleet/platform.yaml', {
  properties: {
    recipes: { elements: { properties: { ...WORDED_RECIPE, successes: TEXTS, failures: TEXTS } } },
    ...WORDED_BOOK,
  },
})

/** One sentence a memory, from templates; each agent has a voice. */
export const PLATFORM_BOOK: PhraseBook<WordedRecipe> = {
  name: 'platform',
  recipes: recipes.map(({ steps, ...recipe }) => ({ ...recipe, steps: stepsOf(steps) })),
  tell(recipe, only, ending, agent, random) {
    const said = createFiller(slots, random)
    const voice = VOICES[agent % VOICES.length]!
    const told: Utterance[] = []
    const say = (text: string, kind: Utterance['kind'], steps: readonly string[] = []) =>
      told.push({ text: withTypos(voice(said(text), random), random), kind, steps })
    if (random.chance(0.5)) say(random.pick(recipe.goals), 'note')
    for (const index of only) {
      const step = recipe.steps[index]!
      say(random.pick(step.texts), 'step', [step.key])
      if (random.chance(0.25)) say(random.pick(notes), 'note')
    }
    if (ending !== 'unknown') say(random.pick(ending === 'success' ? recipe.successes : recipe.failures), 'ending')
    if (ending !== 'unknown' && random.chance(0.2)) say(random.pick(notes), 'note')
    return told
  },
  ramble(agent, random) {
    const said = createFiller(slots, random)
    const voice = VOICES[agent % VOICES.length]!
    return random
      .sample([...noise, ...notes], random.whole(3, 6))
      .map((text) => ({ text: voice(said(text), random), kind: 'noise', steps: [] }))
  },
}

type Voice = (text: string, random: Random) => string

const VOICES: readonly Voice[] = [
  (text) => text,
  (text) =>
    text
      .replace(/\b(the|a|an|is|was|are|has) /g, '')
      .toLowerCase()
      .replace(/\.$/, ''),
  (text, random) =>
    `${random.pick(['OK, ', 'Alright. ', 'So: ', 'Next thing: ', 'Quick update. ', ''])}${text}${random.pick(['', ' Took longer than I thought.', ' As always.', ' Fingers crossed.', ''])}`,
  (text, random) => `${random.pick(['', `[${random.whole(8, 18)}:${random.whole(10, 59)}] `, '- ', '* '])}${text}`,
  (text, random) => `${text}${random.pick(['', ' (for the record)', ' FYI.', ''])}`,
  (text) => text.replace(/\.$/, '!'),
]

/** Swaps two letters of a word, in one text of ten. */
function withTypos(text: string, random: Random): string {
  if (!random.chance(0.1)) return text
  const words = text.split(' ')
  const at = random.whole(0, words.length - 1)
  const word = words[at]!
  if (!/^[a-z]{5,}$/.test(word)) return text
  const cut = random.whole(1, word.length - 3)
  words[at] = word.slice(0, cut) + word[cut + 1]! + word[cut]! + word.slice(cut + 2)
  return words.join(' ')
}
