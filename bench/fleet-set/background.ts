import { DAY, FIRST_DAY, type Scribe, TODAY } from './scribe.js'
import { FLEETS, peopleOf, type Service, servicesOf } from './world.js'

const RUNS_OF_EACH = 60

/**
 * Notes that fleets write all day: heartbeats, handovers, plans, tasks; about the same services and people, and
 * answering no question.
 */
const NOTES: readonly { readonly type: string; readonly text: string }[] = [
  { type: 'episode', text: 'Nightly job of {service} done in {hundreds} s, {thousands} rows.' },
  { type: 'episode', text: 'Health of {service}: ok, p99 {dozens} ms, {few} pods.' },
  { type: 'episode', text: 'Handed {service} over to {person}: nothing open but ticket {thousands}.' },
  { type: 'episode', text: 'Read {dozens} log files of {service} for {person}; nothing unusual before {hour}.' },
  { type: 'task', text: '{person} is to look at the dashboard of {service} again, card {thousands}.' },
  { type: 'task', text: 'To do: ask {person} whether {service} still needs the feature branch {hex}.' },
  { type: 'plan', text: 'Plan for {service}: {few} stories of {person}, {dozens} points in all.' },
  { type: 'plan', text: 'Next quarter {service} gets {few} more machines in {place}, says {person}.' },
  { type: 'action', text: 'Merged {few} branches into {service} after review by {person}, build {thousands}.' },
  { type: 'action', text: 'Closed {dozens} stale tickets of {service} with {person}, list {thousands}.' },
  { type: 'fact', text: '{service} {does}; page {thousands} of the handbook.' },
  { type: 'fact', text: 'In {place} {service} has {few} replicas and {dozens} GB each.' },
  { type: 'fact', text: '{person} knows {service} since {dozens} months, note {thousands}.' },
  { type: 'commitment', text: '{person} promised a diagram of {service} by {hour}, {few} boxes.' },
  { type: 'episode', text: 'Thanks {person}, got it, {service} next at {hour}.' },
  { type: 'episode', text: '{person} asked how {service} is doing; answered with graph {thousands}.' },
  {
    type: 'decision',
    text: 'No change for {service} this sprint, {person} and {few} others agree, minute {thousands}.',
  },
  { type: 'preference', text: '{person} would like fewer mails about {service}, at most {few} a day, said at {hour}.' },
]

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
