import { type Finding, LONGEST_QUOTE, type Opinion, stopsSkill } from '../scan/report.js'
import { withoutHalfCharacter } from '../text/characters.js'

/** Flagged words of one skill that a language model is asked about at most. */
export const MOST_QUESTIONS = 20
/** UTF-16 units of a reason. */
const LONGEST_REASON = 200

/** Flagged words as a model reads them, with what the scan says of them. It answers by `ref`. */
export interface Question {
  readonly ref: string
  readonly message: string
  readonly quote: string
}

/** An answer of a model to one question, as the schema lets it. */
export interface GivenOpinion {
  readonly ref: string
  readonly opinion: Opinion['verdict']
  readonly reason: string
}

/** Opinions by `subjectOf` of what they are about. */
export type Opinions = ReadonlyMap<string, Opinion>

/** Returns what a finding is about to a model: the words, and what the scan says of them, wherever they stand. */
export function subjectOf({ message, quote }: Pick<Finding, 'message' | 'quote'>): string {
  return JSON.stringify([message, quote])
}

/**
 * Returns the findings that a model is asked about: those that flag the skill and quote its words, the same words once, the first
 * `MOST_QUESTIONS`; of these the ones without an opinion of this model.
 */
export function unjudged(findings: readonly Finding[], model: string): Finding[] {
  const asked = findings.filter((one) => one.severity === 'warn' && stopsSkill(one) && one.quote !== '')
  const distinct = [...new Map(asked.toReversed().map((one) => [subjectOf(one), one])).values()].toReversed()
  return distinct.slice(0, MOST_QUESTIONS).filter(({ opinion }) => opinion?.model !== model)
}

/** Returns the question about the finding at a position; its `quote` is what of the words the model may read. */
export function questionOf({ message }: Finding, quote: string, position: number): Question {
  return { ref: `f${position + 1}`, message, quote: cut(quote, LONGEST_QUOTE) }
}

/**
 * Returns the opinions that an answer has of these findings, which were asked about in this order. Drops refs that are unknown, and those
 * that are answered twice: words could ask for either.
 */
export function opinionsFrom(given: readonly GivenOpinion[], asked: readonly Finding[], model: string): Opinions {
  const opinions = new Map<string, Opinion>()
  for (const [position, finding] of asked.entries()) {
    const [answer, ...others] = given.filter(({ ref }) => ref === `f${position + 1}`)
    if (!answer || others.length > 0) continue
    opinions.set(subjectOf(finding), { verdict: answer.opinion, reason: reasonFrom(answer.reason), model })
  }
  return opinions
}

/** Returns the opinions that stand beside findings. */
export function opinionsOf(findings: readonly Finding[]): Opinions {
  return new Map(findings.flatMap((finding) => (finding.opinion ? [[subjectOf(finding), finding.opinion]] : [])))
}

/** Returns findings with those of the opinions that are about them. */
export function withOpinions(findings: readonly Finding[], opinions: Opinions): Finding[] {
  return findings.map((finding) => {
    const opinion = finding.severity === 'warn' ? opinions.get(subjectOf(finding)) : undefined
    return opinion ? { ...finding, opinion } : finding
  })
}

/** Control and format characters, private use, lone surrogates, and the Unicode line and paragraph separators. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]+/gu

/** Returns a reason on one line, without characters that hide or reverse a text, cut to its length. */
function reasonFrom(reason: string): string {
  return cut(reason.replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim(), LONGEST_REASON)
}

function cut(text: string, length: number): string {
  return withoutHalfCharacter(text.slice(0, length))
}
