import { readData, TEXT } from '../data-file.js'
import { DAY, FIRST_DAY, type Scribe, TODAY } from './scribe.js'
import { FLEETS, peopleOf, type Service, servicesOf } from './world.js'

const RUNS_OF_EACH = 60

const NOTES = readData('fleet-set/background.yaml', { elements: { properties: { type: TEXT, text: TEXT } } })

/** Writes what fleets note all day, which answers no question. */
export function noteBackground(scribe: Scribe): void {
  const { random } = scribe
  for (const fleet of FLEETS)
    for (let i = 0; i < RUNS_OF_EACH; i++) {
      const run = scribe.run({ kind: 'day', fleet, at: random.whole(FIRST_DAY, TODAY - DAY / 2) })
      const service = random.pick<Service>(servicesOf(fleet))
      for (let left = random.whole(3, 7); left > 0; left--) {
        const { type, text } = random.pick(NOTES)
        const slots = { service: service.name, does: service.does, person: random.pick(peopleOf(fleet)) }
        const links = [{ name: service.name, entity_type: 'system' }]
        run.note(scribe.fresh(text, slots), { type, by: random.pick(['watch', 'scribe', 'fixer', 'builder']), links })
      }
    }
}
