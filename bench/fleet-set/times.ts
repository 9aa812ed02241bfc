import { CHANGES } from './identifiers.js'
import { DAYS, MONTHS, type Period, WEEKS } from './periods.js'
import { DAY, FIRST_DAY, type WrittenNote, type Scribe, TODAY } from './scribe.js'
import { drills, freezes, recurring, releases, rota } from './time-texts.js'
import { type Fleet, FLEETS, peopleOf, type Service, SERVICES } from './world.js'

const HOUR = 3_600_000

/**
 * Writes events of a service or a fleet, each with the same events at other times: no text contains its date, which is
 * the memory's validity alone. Some happen right before and right after the time that is asked for.
 */
export function noteTimes(scribe: Scribe): void {
  const { random } = scribe
  const asked = random.sample(SERVICES, 18)
  const periods = [...DAYS, ...MONTHS.slice(0, 4), ...WEEKS.slice(0, 2)]
  for (const service of SERVICES) noteReleases(scribe, service, periods[asked.indexOf(service)])
  FLEETS.forEach((fleet, i) => noteRota(scribe, fleet, [DAYS[5 + i]!, WEEKS[i === 3 ? 6 : i]!]))
  noteDrills(scribe, 8)
  noteFreezes(scribe, 5)
  noteRecurring(scribe, 6)
}

/**
 * Returns moments in no order, one of them in the period, the others outside of it, two of those within a few days of
 * it.
 */
function momentsAround(scribe: Scribe, count: number, period: Period | undefined): { at: number; isAsked: boolean }[] {
  const { random } = scribe
  const moments = Array.from({ length: count }, () => dayTime(scribe, random.whole(FIRST_DAY, TODAY - DAY)))
  if (period === undefined) return moments.map((at) => ({ at, isAsked: false }))
  const { from, to } = period
  const near = [from - random.whole(1, 3) * DAY, to + random.whole(0, 2) * DAY].map((at) => dayTime(scribe, at))
  const outside = [...moments, ...near].filter((at) => (at < from || at >= to) && at < TODAY)
  const inside = dayTime(scribe, random.whole(from, to - 1))
  return [...outside.map((at) => ({ at, isAsked: false })), { at: inside, isAsked: true }]
}

/** Returns a time within working hours of the same day (UTC). */
function dayTime({ random }: Scribe, at: number): number {
  return Math.floor(at / DAY) * DAY + random.whole(8 * 60, 17 * 60) * 60_000
}

const RELEASES_OF_EACH = 20

function noteReleases(scribe: Scribe, service: Service, period: Period | undefined): void {
  const { random, fresh, fill, ask, wording } = scribe
  const moments = momentsAround(scribe, RELEASES_OF_EACH, period).sort((a, b) => a.at - b.at)
  const changes = random.sample(CHANGES, moments.length)
  const major = random.whole(2, 9)
  moments.forEach(({ at, isAsked }, i) => {
    const run = scribe.run({ kind: 'release', fleet: service.fleet, at })
    const slots = { service: service.name, version: `v${major}.${i + 1}.${random.whole(0, 4)}`, change: changes[i]! }
    const links = [{ name: service.name, entity_type: 'system' }]
    const noted = run.note(fresh(random.pick(releases.noted), slots), { type: 'action', by: 'builder', links })
    if (random.chance(0.4))
      run.note(fresh('Canary of {service} fine for {dozens} minutes, {few} warnings, going on.', slots), {
        type: 'episode',
        by: 'watch',
      })
    if (!isAsked) return
    const text = fill(wording(releases.asked), { service: service.name, when: period!.words })
    ask({ text, category: 'time', evidence: [noted], names: [service.name], period: period! })
  })
}

/** Writes shifts of a week each, from Monday at nine; nobody has two weeks in a row. */
function noteRota(scribe: Scribe, fleet: Fleet, periods: readonly Period[]): void {
  const { random, fresh, fill, ask, wording } = scribe
  const firstMonday = Date.UTC(2025, 3, 28, 9)
  const weeks: { at: number; noted: WrittenNote; person: string }[] = []
  for (let at = firstMonday; at < TODAY; at += 7 * DAY) {
    const before = weeks.at(-1)?.person ?? 'nobody'
    const person = random.pick(peopleOf(fleet).filter((one) => one !== before))
    const run = scribe.run({ kind: 'rota', fleet, at, shared: true })
    const slots = { person: `[${person}]`, before, fleet }
    const text = fresh('{person} takes the pager of {fleet} from {before}, {few} alarms open, note {thousands}.', slots)
    weeks.push({ at, person, noted: run.note(text, { type: 'episode', until: at + 7 * DAY }) })
  }
  for (const period of periods) {
    const middle = (period.from + period.to) / 2 + HOUR
    const { noted } = weeks.find(({ at }) => middle >= at && middle < at + 7 * DAY)!
    const text = fill(wording(rota.asked), { fleet, when: period.words })
    ask({ text, category: 'time', evidence: [noted], names: [fleet], period })
  }
}

function noteDrills(scribe: Scribe, count: number): void {
  const { random, fresh, fill, ask, wording } = scribe
  const periods = random.sample([...WEEKS.slice(2), ...MONTHS], count)
  random.sample(SERVICES, 16).forEach((service, i) => {
    random.sample(drills, 4).forEach((drill, j) => {
      const period = j === 0 ? periods[i] : undefined
      for (const { at, isAsked } of momentsAround(scribe, 4, period)) {
        const run = scribe.run({ kind: 'drill', fleet: service.fleet, at })
        const noted = run.note(fresh(drill.noted, { service: service.name }), { type: 'episode', by: 'watch' })
        if (!isAsked) continue
        const text = fill(wording(drill.asked), { service: service.name, when: period!.words })
        ask({ text, category: 'time', evidence: [noted], names: [service.name], period: period! })
      }
    })
  })
}

/** Writes freezes of several days; questions name a day between the first and the last. */
function noteFreezes(scribe: Scribe, count: number): void {
  const { random, fresh, fill, ask, wording } = scribe
  const days = [DAYS[6]!, DAYS[7]!, DAYS[8]!, DAYS[9]!, DAYS[10]!]
  random.sample(SERVICES, 12).forEach((service, i) => {
    const period = i < count ? days[i] : undefined
    const reasons = random.sample(freezes.noted, freezes.noted.length)
    const starts = Array.from({ length: 5 }, (_, k) =>
      dayTime(scribe, FIRST_DAY + (k * 80 + random.whole(0, 50)) * DAY),
    )
    const free = starts.filter((at) => period === undefined || Math.abs(at - period.from) > 20 * DAY)
    const all = period === undefined ? free : [...free, dayTime(scribe, period.from - 3 * DAY)]
    all.forEach((at, k) => {
      const run = scribe.run({ kind: 'freeze', fleet: service.fleet, at })
      const text = fresh(reasons[k]!, { service: service.name })
      const noted = run.note(text, { type: 'commitment', until: at + random.whole(5, 9) * DAY })
      if (period === undefined || k < free.length) return
      const asked = fill(wording(freezes.asked), { service: service.name, when: period.words })
      ask({ text: asked, category: 'time', evidence: [noted], names: [service.name], period })
    })
  })
}

function noteRecurring(scribe: Scribe, count: number): void {
  const { random, fresh, fill, ask, wording } = scribe
  random.sample(SERVICES, 14).forEach((service, i) => {
    const { noted, planned, asked } = random.pick(recurring)
    const slots = { service: service.name }
    const at = (from: number, to: number) => dayTime(scribe, TODAY - random.whole(from, to) * DAY)
    const times = [at(300, 390), at(200, 280), at(110, 180), at(30, 90)]
    const notes = times.map((when) =>
      scribe
        .run({ kind: 'upkeep', fleet: service.fleet, at: when })
        .note(fresh(noted, slots), { type: 'action', by: 'fixer' }),
    )
    scribe.run({ kind: 'plan', fleet: service.fleet, at: at(3, 20) }).note(fresh(planned, slots), { type: 'task' })
    if (i < count)
      ask({ text: fill(wording(asked), slots), category: 'time', evidence: [notes.at(-1)!], names: [service.name] })
  })
}
