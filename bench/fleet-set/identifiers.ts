import { readData, TEXT, TEXTS } from '../data-file.js'
import { nearMisses, upperName } from './near-misses.js'
import { DAY, FIRST_DAY, type WrittenNote, type Scribe, TODAY } from './scribe.js'
import { type Fleet, PLACES, type Service, SERVICES } from './world.js'

const { issues, meanings, changes, endpoints, stages, hostRoles, knobs, forms } = readData(
  'fleet-set/identifiers.yaml',
  {
    properties: {
      issues: TEXTS,
      meanings: TEXTS,
      changes: TEXTS,
      endpoints: TEXTS,
      stages: TEXTS,
      hostRoles: TEXTS,
      knobs: { elements: { properties: { name: TEXT, does: TEXT, asked: TEXTS } } },
      forms: { properties: { ticket: TEXTS, error: TEXTS, commit: TEXTS, version: TEXTS } },
    },
  },
)

/** Changes of commits and releases. */
export const CHANGES: readonly string[] = changes

const PREFIXES: Readonly<Record<Fleet, string>> = { platform: 'PLAT', payments: 'PAY', commerce: 'SHOP', data: 'DATA' }

/**
 * Number of groups, each of one identifier that may be asked for and three or four that differ from it by a digit or
 * two.
 */
const GROUPS_OF_EACH = 14

/**
 * Writes tickets, error codes, commits, versions, ports, hosts and settings. Questions give an identifier as people
 * type it (another case, other separators, the head of a hash) and want its meaning, or the other way round.
 */
export function noteIdentifiers(scribe: Scribe): void {
  noteTickets(scribe, 8)
  noteErrors(scribe, 7)
  noteCommits(scribe, 7)
  noteVersions(scribe, 5)
  notePorts(scribe, 7)
  noteHosts(scribe, 5)
  noteKnobs(scribe, 5)
}

interface NamedIdentifier {
  readonly id: string
  readonly service: Service
  readonly noted: WrittenNote
}

interface Kind {
  readonly kind: string
  readonly makeId: (service: Service) => string
  readonly forms: readonly string[]
  readonly texts: readonly string[]
  readonly type: string
}

/** Writes the first of each group, and its near misses about other things. */
function noteGroups(scribe: Scribe, { kind, makeId, forms, texts, type }: Kind): NamedIdentifier[] {
  const { random, fresh } = scribe
  const taken = new Set<string>()
  return Array.from({ length: GROUPS_OF_EACH }, () => {
    const service = random.pick(SERVICES)
    const ids = [makeId(service)].flatMap((id) => [id, ...nearMisses(id, random, 4)]).filter((id) => !taken.has(id))
    const contents = random.sample(texts, ids.length)
    const notes = ids.map((id, i) => {
      taken.add(id)
      const text = fresh(random.pick(forms), { id, service: service.name, text: contents[i]! })
      const links = [{ name: service.name, entity_type: 'system' }]
      return { id, service, noted: startRun(scribe, kind, service).note(text, { type, by: 'builder', links }) }
    })
    return notes[0]!
  })
}

function startRun({ random, run }: Scribe, kind: string, { fleet }: Service) {
  return run({ kind, fleet, at: random.whole(FIRST_DAY, TODAY - DAY) })
}

interface QuestionForm {
  readonly text: string
  /** Returns the identifier as somebody types it. */
  readonly typed?: (id: string) => string
}

function askForMeaning(
  { random, ask, fill }: Scribe,
  all: readonly NamedIdentifier[],
  count: number,
  questionForms: readonly QuestionForm[],
): void {
  random.sample(all, count).forEach(({ id, service, noted }, i) => {
    const { text, typed = (as: string) => as } = questionForms[i % questionForms.length]!
    const given = typed(id)
    const names = text.includes('{service}') ? [id, given, service.name] : [id, given]
    ask({
      text: fill(text, { id: given, service: service.name }),
      category: 'identifier',
      evidence: [noted],
      names,
    })
  })
}

function noteTickets(scribe: Scribe, count: number): void {
  const makeId = ({ fleet }: Service) => `${PREFIXES[fleet]}-${scribe.random.whole(1100, 9890)}`
  const all = noteGroups(scribe, { kind: 'ticket', makeId, forms: forms.ticket, texts: issues, type: 'task' })
  askForMeaning(scribe, all, count, [
    { text: 'What is {id} about?' },
    { text: 'remind me of {id}', typed: (id) => id.toLowerCase().replace('-', ' ') },
    { text: 'Which trouble does ticket {id} describe?' },
    { text: 'Summary of {id}?', typed: (id) => id.replace('-', '') },
  ])
}

function noteErrors(scribe: Scribe, count: number): void {
  const makeId = ({ name }: Service) => `ERR_${upperName(name)}_${scribe.random.whole(1010, 9890)}`
  const all = noteGroups(scribe, { kind: 'error', makeId, forms: forms.error, texts: meanings, type: 'fact' })
  askForMeaning(scribe, all, count, [
    { text: 'I got {id}. What is wrong?' },
    { text: 'What is the reason for {id}?', typed: (id) => id.toLowerCase().replaceAll('_', ' ') },
    { text: 'How do I explain {id} to a customer?' },
  ])
}

function noteCommits(scribe: Scribe, count: number): void {
  const makeId = () => Array.from({ length: 12 }, () => scribe.random.whole(0, 15).toString(16)).join('')
  const all = noteGroups(scribe, { kind: 'commit', makeId, forms: forms.commit, texts: changes, type: 'action' })
  askForMeaning(scribe, all, count, [
    { text: 'What did {id} change?' },
    { text: 'What is in commit {id}?', typed: (id) => id.slice(0, 8) },
    { text: 'Bisecting {service} ended at {id}. What was that?', typed: (id) => id.slice(0, 8) },
  ])
}

function noteVersions(scribe: Scribe, count: number): void {
  const { whole } = scribe.random
  const makeId = () => `v${whole(2, 9)}.${whole(31, 58)}.${whole(2, 9)}`
  const all = noteGroups(scribe, { kind: 'version', makeId, forms: forms.version, texts: changes, type: 'fact' })
  askForMeaning(scribe, all, count, [
    { text: 'What does {service} do differently from {id} on?' },
    { text: 'What came with {service} {id}?', typed: (id) => id.slice(1) },
  ])
}

/** Writes a port for each endpoint and stage of some services: asked by what listens, or by number. */
function notePorts(scribe: Scribe, count: number): void {
  const { random, fresh, ask } = scribe
  random.sample(SERVICES, 10).forEach((service, i) => {
    const base = random.whole(62, 97) * 100
    const asked = random.whole(0, stages.length - 1)
    const endpoint = random.pick(endpoints)
    stages.forEach((stage, j) => {
      const port = String(base + 11 * (j + 1) + (j % 2) * 9)
      const run = startRun(scribe, 'port', service)
      const slots = { service: service.name, stage, port: `[${port}]`, endpoint }
      const text = fresh('The {endpoint} of {service} listens on {port} in {stage}.', slots)
      const noted = run.note(text, { type: 'fact', by: 'builder' })
      if (i >= count || j !== asked) return
      const byNumber = i % 3 === 2
      ask({
        text: byNumber
          ? `Something of ${service.name} answers at port ${port}. What is that?`
          : `Where do I connect to for the ${endpoint} of ${service.name} if I mean ${stage}?`,
        category: 'identifier',
        evidence: [noted],
        answer: byNumber ? endpoint : port,
        names: [service.name, ...(byNumber ? [port] : [endpoint, stage])],
      })
    })
  })
}

function noteHosts(scribe: Scribe, count: number): void {
  const { random, fresh, ask } = scribe
  random.sample(SERVICES, 12).forEach((service, i) => {
    const place = random.pick(PLACES)
    const number = random.whole(1, 9)
    const roles = random.sample(hostRoles, 4)
    roles.forEach((role, j) => {
      const host = `${service.name.slice(0, 3)}-${String(number + 10 * (j % 2) + (j > 1 ? 1 : 0)).padStart(2, '0')}.${place}.internal`
      const text = fresh(`{host} is the {role} of {service}.`, { host: `[${host}]`, role, service: service.name })
      const noted = startRun(scribe, 'host', service).note(text, { type: 'fact', by: 'builder' })
      if (i >= count || j > 0) return
      const byName = i % 2 === 0
      ask({
        text: byName
          ? `What do we need ${host.split('.')[0]} in ${place} for?`
          : `Which machine is the ${role} of ${service.name}?`,
        category: 'identifier',
        evidence: [noted],
        answer: byName ? role : host,
        names: byName ? [host, host.split('.')[0]!, place] : [service.name, role],
      })
    })
  })
}

function noteKnobs(scribe: Scribe, count: number): void {
  const { random, fresh, fill, ask, wording } = scribe
  random.sample(SERVICES, 10).forEach((service, i) => {
    const slots = { service: service.name }
    random.sample(knobs, 5).forEach((knob, j) => {
      const name = `${upperName(service.name)}_${knob.name}`
      const text = fresh(`[${name}] ${knob.does}.`, slots)
      const noted = startRun(scribe, 'setting', service).note(text, { type: 'fact', by: 'builder' })
      if (i >= count || j > 0) return
      ask({
        text: fill(`Which environment variable ${wording(knob.asked)}?`, slots),
        category: 'identifier',
        evidence: [noted],
        names: [service.name],
      })
    })
  })
}
