import { createHash } from 'node:crypto'
import anyAscii from 'any-ascii'
import { fold, segmentedWords } from '../text/analysis.js'
import { MOST_SKILL_BYTES } from '../skill-bytes.js'
import { STOP_WORDS, wordsIn } from '../text/words.js'
import { cutAtWord } from './wording.js'

/** The names and texts that a workflow is called by. All of its words stand in memories, except the frame of the trigger. */
export interface Description {
  readonly name: string
  readonly slug: string
  readonly domain: string
  readonly goal: string
  /** Begins with "When". */
  readonly description: string
  /** The trigger and what is done, for the search of skills. */
  readonly summary: string
  readonly tags: readonly string[]
}

export interface Described {
  /** The announced goal, or null. */
  readonly goal: string | null
  /** Names and words that most runs have, the most telling first. */
  readonly subjects: readonly string[]
  readonly steps: readonly string[]
  readonly fingerprint: string
}

const NAMED_SUBJECTS = 3
const MOST_TAGS = 6
const LONGEST_NAME = 80
const LONGEST_SUMMARY = 600
const DOMAIN_WORDS = 3
const SLUG_WORDS = 6
const TAG_WORDS = 3
const LONGEST_SLUG = 64

export function describe({ goal, subjects, steps, fingerprint }: Described, descriptionMaxBytes: number): Description {
  const named = subjects.slice(0, NAMED_SUBJECTS)
  const topic = listed(named)
  const work = goal ?? topic
  const trigger =
    goal === null
      ? `When the work involves ${topic}`
      : `When the work is: ${goal}${isSaid(goal, named) ? '' : ` (${named.join(', ')})`}`
  const domain = slugged(subjects[0] ?? '', DOMAIN_WORDS).slice(0, MOST_SKILL_BYTES.domain) || 'general'
  const rest = slugged(work, SLUG_WORDS)
  const slug = [...new Set([...domain.split('-'), ...rest.split('-').filter(Boolean)])].join('-').slice(0, LONGEST_SLUG)
  return {
    name: cutAtWord(
      // An identifier stays as it is spelled.
      work.replace(/^\p{Ll}(?=\p{L}*(?:[\s,]|$))/u, (letter) => letter.toUpperCase()),
      LONGEST_NAME,
    ),
    slug: slug.replace(/[._-]+$/, '') || `workflow-${shortId(fingerprint)}`,
    domain,
    goal: cutAtWord(work, MOST_SKILL_BYTES.goal),
    description: cutAtWord(trigger, descriptionMaxBytes),
    summary: cutAtWord(`${trigger}: ${steps.join('; ')}`, LONGEST_SUMMARY),
    tags: [...new Set(subjects.map(tagOf).filter(isTag))].slice(0, MOST_TAGS),
  }
}

/** Returns the slug, or with what tells it apart from the taken ones: the same at every tick. */
export function freeSlug(slug: string, fingerprint: string, isTaken: (slug: string) => boolean): string {
  if (!isTaken(slug)) return slug
  for (let length = 6; length < 40; length += 4) {
    const longer = `${slug}-${shortId(fingerprint, length)}`
    if (!isTaken(longer)) return longer
  }
  throw new Error('no slug is free')
}

function shortId(fingerprint: string, length = 8): string {
  return createHash('sha256').update(fingerprint).digest('hex').slice(0, length)
}

function listed(subjects: readonly string[]): string {
  return subjects.length < 2
    ? (subjects[0] ?? 'these steps')
    : `${subjects.slice(0, -1).join(', ')} and ${subjects.at(-1)}`
}

function isSaid(goal: string, subjects: readonly string[]): boolean {
  return subjects.every((subject) => fold(goal).includes(fold(subject)))
}

/** Returns the first content words, those of other scripts in Latin letters, joined by hyphens; empty where there are none. */
function slugged(text: string, most: number): string {
  return withoutStopWords([...segmentedWords(fold(text))])
    .map((word) =>
      anyAscii(word)
        .replace(/[^A-Za-z0-9]/g, '')
        .toLowerCase(),
    )
    .filter((word) => word !== '')
    .slice(0, most)
    .join('-')
}

/** Returns a subject's first content words, as its language writes them, joined by hyphens. */
function tagOf(subject: string): string {
  return withoutStopWords(wordsIn(fold(subject)))
    .slice(0, TAG_WORDS)
    .join('-')
}

/** Returns whether a skill may have it as a tag: what scripts without spaces write as one word may be a whole sentence. */
function isTag(tag: string): boolean {
  return tag !== '' && Buffer.byteLength(tag) <= MOST_SKILL_BYTES.tag
}

function withoutStopWords(words: readonly string[]): string[] {
  return words.filter((word) => !STOP_WORDS.has(word))
}
