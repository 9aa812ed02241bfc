import { readData, TEXTS } from '../data-file.js'

export interface LabelledText {
  readonly group: string
  readonly text: string
  /** Labelled spans, in order. */
  readonly spans: readonly { readonly kind: string; readonly start: number; readonly end: number }[]
}

const PLACE = /⟦(\w+)\|([^⟧]+)⟧/

function read(group: string, marked: string): LabelledText {
  const spans: { kind: string; start: number; end: number }[] = []
  let text = marked
  for (let span = PLACE.exec(text); span; span = PLACE.exec(text)) {
    const [whole, kind, held] = span as unknown as [string, string, string]
    spans.push({ kind, start: span.index, end: span.index + held.length })
    text = text.slice(0, span.index) + held + text.slice(span.index + whole.length)
  }
  return { group, text, spans }
}

const { held, harmless } = readData('personal-data/texts.yaml', {
  properties: { held: { values: TEXTS }, harmless: { values: TEXTS } },
})

export const CORPUS: readonly LabelledText[] = [held, harmless].flatMap((groups) =>
  Object.entries(groups).flatMap(([group, texts]) => texts.map((text) => read(group, text))),
)
