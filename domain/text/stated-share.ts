const BETWEEN_SENTENCES = /(?<=[.!?]["'\u201d\u2019)\]]{0,2})\s+|\n+/u
const IS_QUESTION = /\?["'\u201d\u2019)\]]{0,2}$/u

/** Returns the share of a text that is not questions, 0..1 by length: a question does not contain the answer. */
export function statedShare(text: string): number {
  let asked = 0
  let all = 0
  for (const sentence of text.trim().split(BETWEEN_SENTENCES)) {
    all += sentence.length
    if (IS_QUESTION.test(sentence)) asked += sentence.length
  }
  return all === 0 ? 1 : 1 - asked / all
}
