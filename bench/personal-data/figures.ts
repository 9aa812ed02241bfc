import { findPersonalData } from '../../domain/personal-data/find.js'
import { CORPUS, type LabelledText } from './corpus.js'

export interface DetectionFigures {
  readonly texts: number
  /** Number of labelled spans. */
  readonly spans: number
  /** Spans found with the right kind, exact to the character. */
  readonly right: number
  /** Spans found that are not labelled, or begin or end elsewhere. */
  readonly wrong: number
  readonly precision: number
  readonly recall: number
}

/** A text in which something was missed or found wrongly: the text as it would be masked, and as it should be. */
interface DetectionFault {
  readonly group: string
  readonly text: string
  readonly found: readonly string[]
  readonly wanted: readonly string[]
}

/** Detects personal data in labelled texts. Returns the figures by group, with all texts first, and each fault. */
export function measureDetection(corpus: readonly LabelledText[] = CORPUS) {
  const results = corpus.map((labelled) => ({ labelled, ...compare(labelled) }))
  const groups = [...new Set(corpus.map(({ group }) => group))]
  const of = (group?: string) => sum(results.filter(({ labelled }) => group === undefined || labelled.group === group))
  return {
    all: of(),
    groups: new Map(groups.map((group) => [group, of(group)])),
    faults: results.flatMap(({ fault }) => fault ?? []),
  }
}

function compare({ group, text, spans }: LabelledText) {
  const say = ({ kind, start, end }: LabelledText['spans'][number]) => `${kind} ${text.slice(start, end)}`
  const found = findPersonalData(text)
  const right = found.filter((span) =>
    spans.some(({ kind, start, end }) => kind === span.kind && start === span.start && end === span.end),
  ).length
  const isRight = right === spans.length && right === found.length
  const fault: DetectionFault | null = isRight ? null : { group, text, found: found.map(say), wanted: spans.map(say) }
  return { right, spans: spans.length, wrong: found.length - right, fault }
}

function sum(results: readonly { right: number; spans: number; wrong: number }[]): DetectionFigures {
  const total = (of: 'right' | 'spans' | 'wrong') => results.reduce((sum, result) => sum + result[of], 0)
  const [right, spans, wrong] = [total('right'), total('spans'), total('wrong')]
  return {
    texts: results.length,
    spans,
    right,
    wrong,
    precision: right + wrong === 0 ? 1 : right / (right + wrong),
    recall: spans === 0 ? 1 : right / spans,
  }
}
