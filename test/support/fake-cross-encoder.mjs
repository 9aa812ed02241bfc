// The part of @huggingface/transformers that a local reranker uses. A pair's logit is the number of words that the two
// share, minus two. A text of `WAIT <file>` blocks until the file exists, `TOUCH <file>` creates it, `DIE` ends the
// thread, `FAULT` ends it with an error, `THROW …` fails with a message that quotes it.
import { existsSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'

export const AutoTokenizer = {
  async from_pretrained(place, { local_files_only: isFolder }) {
    if (isFolder !== place.startsWith('/'))
      throw new Error(`a folder is taken for a name of the hub, or the reverse: ${place}`)
    if (basename(place) === 'broken') throw new Error('no weights there')
    return (texts, { text_pair, padding, truncation }) => {
      if (!padding || !truncation) throw new RangeError('pairs of different lengths')
      return { pairs: texts.map((text, i) => [text, text_pair[i]]) }
    }
  },
}

export const AutoModelForSequenceClassification = {
  async from_pretrained(place, { dtype }) {
    if (dtype !== 'q8') throw new Error('not the small weights')
    const labels = { 'two-labels': 2, 'three-labels': 3 }[basename(place)] ?? 1
    return async ({ pairs }) => {
      if (pairs.length > 4) throw new RangeError('too much at once')
      if (pairs[0][1] === 'FAULT') {
        setImmediate(() => nobody.there)
        await new Promise(() => undefined)
      }
      const logits = pairs.map(logitOf)
      const data =
        labels === 1
          ? logits
          : logits.flatMap((logit) =>
              Array(labels)
                .fill(100)
                .with(-1, 100 + logit),
            )
      return { logits: { data: Float32Array.from(data), dims: [pairs.length, labels] } }
    }
  },
}

function logitOf([query, text]) {
  if (text.startsWith('WAIT '))
    while (!existsSync(text.slice(5))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  if (text.startsWith('TOUCH ')) writeFileSync(text.slice(6), '')
  if (text === 'DIE') process.exit(3)
  if (text.startsWith('THROW')) throw new TypeError(text)
  if (text === 'NaN') return NaN
  const words = new Set(text.toLowerCase().split(/\W+/))
  return (
    query
      .toLowerCase()
      .split(/\W+/)
      .filter((word) => words.has(word)).length - 2
  )
}
