/** Tells by how many milliseconds the clocks of a place are ahead of UTC. Wall time is Unix milliseconds plus this offset: UTC's functions read it. */
export interface TimeZone {
  offsetAt(instant: number): number
}

export const UTC: TimeZone = { offsetAt: () => 0 }

export function fixedZone(offset: number): TimeZone {
  return { offsetAt: () => offset }
}

/** Zones by their names in lower case: at most those that the engine knows, each with a formatter that took some 100 µs to make. */
const known = new Map<string, TimeZone>()

/** Returns a zone of the IANA database, such as `Asia/Tokyo`; null when there is no such zone. */
export function namedZone(name: string): TimeZone | null {
  const key = name.toLowerCase()
  let zone = known.get(key) ?? null
  if (zone === null && (zone = createZone(name)) !== null) known.set(key, zone)
  return zone
}

function createZone(timeZone: string): TimeZone | null {
  try {
    return new DatabaseZone(new Intl.DateTimeFormat('en-US', { ...PARTS, timeZone }))
  } catch {
    return null
  }
}

const PARTS = {
  calendar: 'gregory',
  numberingSystem: 'latn',
  hourCycle: 'h23',
  era: 'short',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const

/** Clocks change at whole quarters of an hour in UTC. */
const QUARTER_MS = 900_000
/** Offsets that are remembered; one that is not takes some 3 µs, and a recall needs two for each of some hundred memories. */
const REMEMBERED_OFFSETS = 10_000

class DatabaseZone implements TimeZone {
  readonly #offsets = new Map<number, number>()

  constructor(private readonly format: Intl.DateTimeFormat) {}

  offsetAt(instant: number): number {
    const quarter = Math.floor(instant / QUARTER_MS)
    let offset = this.#offsets.get(quarter)
    if (offset === undefined) {
      offset = this.#read(quarter * QUARTER_MS)
      if (this.#offsets.size >= REMEMBERED_OFFSETS) this.#offsets.clear()
      this.#offsets.set(quarter, offset)
    }
    return offset
  }

  #read(instant: number): number {
    const parts = Object.fromEntries(this.format.formatToParts(instant).map(({ type, value }) => [type, value]))
    const [year, month, day] = [parts.year, parts.month, parts.day].map(Number) as [number, number, number]
    const wall = new Date(0)
    wall.setUTCFullYear(parts.era === 'BC' ? 1 - year : year, month - 1, day)
    wall.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second))
    return wall.getTime() - instant
  }
}

/** Returns what the clocks of a zone show at an instant, as wall time. */
export function wallTimeOf(instant: number, zone: TimeZone): number {
  return instant + zone.offsetAt(instant)
}

/** Returns the instant at which the clocks of a zone show a wall time: of one that they show twice the first, of one that they skip the moment of the change. */
export function instantOf(wall: number, zone: TimeZone): number {
  if (!Number.isFinite(wall)) return wall
  const [before, after] = [zone.offsetAt(wall - DAY_MS), zone.offsetAt(wall + DAY_MS)]
  const found = [wall - Math.max(before, after), wall - Math.min(before, after)].find(
    (at) => wallTimeOf(at, zone) === wall,
  )
  return found ?? wall - before
}

const DAY_MS = 86_400_000
