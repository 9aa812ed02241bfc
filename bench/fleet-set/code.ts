import { readData, TEXT, TEXTS } from '../data-file.js'
import { DAY, FIRST_DAY, type WrittenNote, type Scribe, TODAY } from './scribe.js'
import { type Service, SERVICES } from './world.js'

const { verbs, nouns, findings, traces, followUps } = readData('fleet-set/code.yaml', {
  properties: {
    verbs: { values: TEXT },
    nouns: { values: TEXT },
    findings: { elements: { properties: { noted: TEXT, asked: TEXTS } } },
    traces: { elements: { properties: { error: TEXT, typed: TEXT } } },
    followUps: TEXTS,
  },
})

type Finding = (typeof findings)[number]

/** A word as a function's name has it, and in the words of somebody who has not seen the name. */
interface Word {
  readonly name: string
  readonly said: string
}

const VERBS = wordsOf(verbs)
const NOUNS = wordsOf(nouns)

function wordsOf(said: Readonly<Record<string, string>>): Word[] {
  return Object.entries(said).map(([name, text]) => ({ name, said: text }))
}

interface Code {
  readonly verb: Word
  readonly noun: Word
  readonly service: Service
  /** The name as its source spells it. */
  readonly fn: string
  readonly file: string
  readonly finding: Finding
  readonly noted: WrittenNote
}

const FUNCTIONS = 120
const QUESTIONS = 34
const TRACE_QUESTIONS = 8

/**
 * Writes findings about functions, many of which share their verb, their noun or their problem. Half of the sources
 * write camelCase and half snake_case; questions use the other spelling, a description, a file's name, or the problem.
 */
export function noteCode(scribe: Scribe): void {
  const { random } = scribe
  const pairs = VERBS.flatMap((verb) => NOUNS.map((noun) => [verb, noun] as const))
  const all = random.sample(pairs, FUNCTIONS).map(([verb, noun]) => noteFinding(scribe, verb, noun))
  const left = random.sample(all, all.length)
  for (let i = 0; i < QUESTIONS; i++) {
    const way = QUESTION_FORMS[i % QUESTION_FORMS.length]!
    const chosen = left.findIndex((code) => way.fits?.(code, all) ?? true)
    askAbout(scribe, left.splice(chosen, 1)[0]!, way)
  }
  noteTraces(scribe)
}

function noteFinding(scribe: Scribe, verb: Word, noun: Word): Code {
  const { random, fresh } = scribe
  const service = random.pick(SERVICES)
  const isCamel = random.chance(0.5)
  const words = `${verb.name} ${noun.name}`.split(' ')
  const fn = isCamel ? camel(words) : words.join('_')
  const folder = random.pick(['core', 'jobs', 'http', 'batch', 'rules'])
  const file = `${service.name}/src/${folder}/${words.join(isCamel ? '-' : '_')}.${isCamel ? 'ts' : 'py'}`
  const finding = random.pick(findings)
  const at = random.whole(FIRST_DAY, TODAY - 2 * DAY)
  const links = [{ name: service.name, entity_type: 'system' }]
  const run = scribe.run({ kind: 'reading', fleet: service.fleet, at })
  const noted = run.note(fresh(finding.noted, { fn, file }), { type: 'fact', by: 'builder', links })
  run.note(fresh(random.pick(followUps)), { type: 'task', by: 'builder', links })
  return { verb, noun, service, fn, file, finding, noted }
}

interface QuestionForm {
  /** Returns the question; `matter` is the finding in some words. */
  readonly text: (code: Code, matter: string) => string
  readonly names: (code: Code) => readonly string[]
  readonly answer?: (code: Code) => string
  /** Returns whether the question can be asked of the finding; by default it can be asked of every one. */
  readonly fits?: (code: Code, all: readonly Code[]) => boolean
}

/** Ways to ask for the location; the names are what the question gives of it. */
const QUESTION_FORMS: readonly QuestionForm[] = [
  {
    text: ({ fn }) => `What is wrong with ${fn}?`,
    names: ({ fn }) => [fn],
  },
  {
    text: ({ fn }) => `What should I mind about ${otherSpelling(fn)}?`,
    names: ({ fn }) => [fn, otherSpelling(fn)],
  },
  {
    text: ({ verb, noun, service }, matter) =>
      `In ${service.name}, what ${verb.said} ${noun.said} and ${matter}? I need the file.`,
    names: ({ service }) => [service.name],
    answer: ({ file }) => file,
  },
  {
    text: ({ file }) => `Anything known about ${file.split('/').at(-1)!} before I touch it?`,
    names: ({ file }) => [file.split('/').at(-1)!],
  },
  {
    text: ({ verb, noun }) => `What is the matter with the function that ${verb.said} ${noun.said}?`,
    names: () => [],
  },
  {
    text: ({ noun }, matter) => `Which function around ${noun.said} ${matter}?`,
    names: () => [],
    answer: ({ fn }) => fn,
    fits: ({ noun, finding }, all) => all.filter((one) => one.noun === noun && one.finding === finding).length === 1,
  },
]

function askAbout({ ask, wording }: Scribe, code: Code, { text, names, answer }: QuestionForm): void {
  ask({
    text: text(code, wording(code.finding.asked)),
    category: 'code',
    evidence: [code.noted],
    answer: answer?.(code) ?? code.noted.answer,
    names: names(code),
  })
}

/** Writes pasted traces: the same few errors, from different locations. */
function noteTraces(scribe: Scribe): void {
  const { random, fresh, ask } = scribe
  const services = random.sample(SERVICES, 24)
  services.forEach((service, i) => {
    const { error, typed } = traces[i % traces.length]!
    const [a, b] = random.sample(VERBS, 2) as [Word, Word]
    const noun = random.pick(NOUNS)
    const frame = (verb: Word) =>
      `    at ${camel([verb.name, ...noun.name.split(' ')])} (${service.name}/src/{hex}.ts:{dozens}:{few})`
    const top = `${service.name}/src/${noun.name.replace(' ', '-')}.ts`
    const text = `${error}\n    at ${camel([a.name, ...noun.name.split(' ')])} ([${top}:{hundreds}]:{dozens})\n${frame(b)}`
    const run = scribe.run({ kind: 'trace', fleet: service.fleet, at: random.whole(FIRST_DAY, TODAY - DAY) })
    const noted = run.note(fresh(text), { type: 'episode', by: 'watch' })
    if (i >= TRACE_QUESTIONS) return
    ask({
      text: `Where exactly does ${typed} come from in ${service.name}?`,
      category: 'code',
      evidence: [noted],
      names: [service.name],
    })
  })
}

function camel(words: readonly string[]): string {
  return words.map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('')
}

/** Converts camelCase to snake_case, and the other way round. */
function otherSpelling(fn: string): string {
  return fn.includes('_') ? camel(fn.split('_')) : fn.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
