import { readFileSync } from 'node:fs'
import calendar from '../domain/text/english-calendar.json' with { type: 'json' }

/** One two-person chat over many sessions, and questions that some of its turns answer. */
export interface Conversation {
  readonly id: string
  readonly sessions: readonly Session[]
  readonly questions: readonly Question[]
}

interface Session {
  readonly number: number
  /** Unix milliseconds; the data set's local times are read as UTC. */
  readonly at: number
  readonly turns: readonly Turn[]
}

interface Turn {
  readonly id: string
  readonly speaker: string
  readonly text: string
  readonly caption: string | undefined
}

interface Question {
  readonly text: string
  readonly category: string
  /** Ids of turns, all of them of this conversation; never empty. */
  readonly evidence: readonly string[]
}

const CATEGORIES: Readonly<Record<number, string>> = {
  1: 'multi-hop',
  2: 'temporal',
  3: 'open-domain',
  4: 'single-hop',
  5: 'adversarial',
}

/** LoCoMo's own file, in which sessions are numbered keys of `conversation`. */
interface PublishedSample {
  readonly sample_id: string
  readonly conversation: Readonly<Record<string, unknown>>
  readonly qa: readonly {
    readonly question: string
    readonly category: number
    readonly evidence?: readonly string[]
  }[]
}

interface PublishedTurn {
  readonly dia_id: string
  readonly speaker: string
  readonly text: string
  readonly blip_caption?: string
}

/** The conversations, reduced to what retrieval needs. */
interface ReducedFile {
  readonly conversations: readonly {
    readonly id: string
    readonly sessions: readonly {
      readonly session: number
      readonly date_time: string
      readonly turns: readonly (Omit<PublishedTurn, 'blip_caption'> & { readonly caption?: string })[]
    }[]
    readonly questions: PublishedSample['qa']
  }[]
}

/** Reads locomo10.json as published, or its reduced form. Throws when the file is neither. */
export function readLocomo(path: string): Conversation[] {
  const file = JSON.parse(readFileSync(path, 'utf8')) as readonly PublishedSample[] | ReducedFile
  if (Array.isArray(file)) return (file as readonly PublishedSample[]).map(readPublished)
  if (Array.isArray((file as ReducedFile).conversations)) return (file as ReducedFile).conversations.map(readReduced)
  throw new Error(`${path} contains neither LoCoMo's list of samples nor \`conversations\`.`)
}

function readPublished({ sample_id: id, conversation, qa }: PublishedSample): Conversation {
  const numbers = Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
  const sessions = numbers.map((number) => ({
    number,
    at: sessionTime(String(conversation[`session_${number}_date_time`])),
    turns: (conversation[`session_${number}`] as readonly PublishedTurn[]).map((turn) => ({
      id: turn.dia_id,
      speaker: turn.speaker,
      text: turn.text,
      caption: turn.blip_caption,
    })),
  }))
  return { id, sessions, questions: readQuestions(sessions, qa) }
}

function readReduced({ id, sessions: given, questions }: ReducedFile['conversations'][number]): Conversation {
  const sessions = given.map(({ session, date_time: time, turns }) => ({
    number: session,
    at: sessionTime(time),
    turns: turns.map((turn) => ({ id: turn.dia_id, speaker: turn.speaker, text: turn.text, caption: turn.caption })),
  }))
  return { id, sessions, questions: readQuestions(sessions, questions) }
}

/**
 * Returns the questions with their evidence. Evidence as published contains ids like `D8:6; D9:17`, `D30:05` and
 * `D:11:26`: ids that are not turns of the conversation are left out, as are questions that have no other evidence.
 */
function readQuestions(sessions: readonly Session[], qa: PublishedSample['qa']): Question[] {
  const turns = new Set(sessions.flatMap((session) => session.turns.map((turn) => turn.id)))
  return qa.flatMap(({ question, category, evidence = [] }) => {
    const named = evidence.flatMap((text) => [...text.matchAll(/D(\d+):(\d+)/g)].map(([, a, b]) => `D${+a!}:${+b!}`))
    const known = [...new Set(named)].filter((id) => turns.has(id))
    return known.length === 0
      ? []
      : [{ text: question, category: CATEGORIES[category] ?? `category ${category}`, evidence: known }]
  })
}

const MONTHS = calendar.months.split(' ').map((month) => month.slice(0, 3))

/** Returns `1:56 pm on 8 May, 2023` as Unix milliseconds. */
function sessionTime(text: string): number {
  const [, hour, minute, half, day, month, year] = /(\d+):(\d+) (am|pm) on (\d+) (\w+),? (\d{4})/i.exec(text) ?? []
  const index = MONTHS.indexOf((month ?? '').slice(0, 3).toLowerCase())
  if (index < 0) throw new Error(`"${text}" is not the time of a session.`)
  const hours = (Number(hour) % 12) + (half!.toLowerCase() === 'pm' ? 12 : 0)
  return Date.UTC(Number(year), index, Number(day), hours, Number(minute))
}
