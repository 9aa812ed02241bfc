import { readData, TEXT, TEXTS } from '../data-file.js'
import { DAY, FIRST_DAY, type WrittenNote, type Scribe, TODAY } from './scribe.js'
import { type Fleet, FLEETS, peopleOf } from './world.js'

const { wishes, told, changed, formerly } = readData('fleet-set/preferences.yaml', {
  properties: {
    wishes: { elements: { properties: { says: TEXT, values: TEXTS, asked: TEXTS } } },
    told: TEXTS,
    changed: TEXTS,
    formerly: TEXTS,
  },
})

type Wish = (typeof wishes)[number]

interface ChangedPreference {
  readonly person: string
  readonly wish: Wish
  readonly former: WrittenNote
  readonly present: WrittenNote
  /** True when the present note names the former value too. */
  readonly tellsFormer: boolean
}

const QUESTIONS = 42
/** One of this many questions asks for the former value. */
const FORMER_EVERY = 6

/**
 * Writes preferences of each person on most matters; half of them changed. The former note stays, in the same words but
 * for the value, and only sometimes with an end of validity.
 */
export function notePreferences(scribe: Scribe): void {
  const { random, ask, fill, wording } = scribe
  const revised = FLEETS.flatMap((fleet) => peopleOf(fleet).flatMap((person) => noteWishes(scribe, fleet, person)))
  const left = random.sample(revised, revised.length)
  for (let i = 0; i < QUESTIONS; i++) {
    const wantsFormer = i % FORMER_EVERY === FORMER_EVERY - 1
    const chosen = left.findIndex(({ tellsFormer }) => !(wantsFormer && tellsFormer))
    const { person, wish, former, present } = left.splice(chosen, 1)[0]!
    const asked = fill(wording(wish.asked), { person })
    ask({
      text: wantsFormer ? fill(random.pick(formerly), { asked }) : asked,
      category: 'preference',
      evidence: [wantsFormer ? former : present],
      names: [person],
    })
  }
}

const WISHES_OF_EACH = 13

function noteWishes({ random, run: startRun, fresh, fill }: Scribe, fleet: Fleet, person: string): ChangedPreference[] {
  return random.sample(wishes, WISHES_OF_EACH).flatMap((wish) => {
    const [old, value] = random.sample(wish.values, 2) as [string, string]
    const at = random.whole(FIRST_DAY, TODAY - 90 * DAY)
    const changes = random.chance(0.5)
    const later = random.whole(at + 20 * DAY, TODAY - DAY)
    const by = random.chance(0.7) ? 'concierge' : 'scribe'
    const links = [{ name: person, entity_type: 'person' }]
    const note = (text: string, when: number, until?: number) =>
      startRun({ kind: 'talk', fleet, at: when }).note(text, {
        type: 'preference',
        by,
        links,
        ...(until !== undefined && { until }),
      })
    const says = (held: string) => fill(wish.says, { person, value: `[${held}]` })
    const until = changes && random.chance(0.2) ? later : undefined
    const former = note(fresh(random.pick(told), { wish: says(old) }), at, until)
    if (!changes) return []
    const text = fresh(() => random.pick(changed), { wish: says(value), old })
    return [{ person, wish, former, present: note(text, later), tellsFormer: text.includes(old) }]
  })
}
