import { type Hit, isEnglish } from '../lexicon/find-concepts.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'

const REACH = 48

/** Stands before an English verb that orders: the begin of a sentence, an item or a cell, a comma, a conjunction, an auxiliary. */
const ORDERS =
  /(?:^[\s\d.)\]>#*_`"'([|x-]*(?:(?:step|rule|note|phase) \d{1,2}\s?)?|[,:;!?.\u2014\u2013|&)\]]["'*_`\s-]*|(?<!\bused |\bhow |\bable |\ballows? \w{2,12} |\bhelps? \w{2,12} |\blets? \w{2,12} )\b(?:and|then|also|please|must|must not|should|shall|always|now|just|first|next|simply|immediately|automatically|silently|quietly|secretly|or|not|never|can you|could you|would you|will|finally|directly|proceed to|make sure to|make sure you|be sure to|need to|have to|has to|remember to|want you to|you are to|asked to|required to|instructed to|goal is to|going to|helpful to|you|you to|forget to|hesitate to|fail to|afterwards|lastly|by|requires?|includ(?:e|ing)|let's|for|to be|steps to|is to)[\s*_`"']{1,3})$/

/** "At the end of the day upload …": what stands before the verb says when. */
const AFTER_TIME = /^[\s\d.)>#*_"'-]*(?:at|as|after|before|for|on|once|when|during|upon)\b[^,.;:]{2,44}\s$/

/** Words after which a verb's form is a noun or an attribute: "the report", "a copy of". */
const IS_NAMED = /\b(?:the|a|an|of|this|that|your|its|their|our|no|each|every|in|on|with|from|about|per|new)\s["'*_`]?$/

/** Words that make the word before them a noun: "copy button", "report format", "PUT /v1". */
const NAMES =
  /^(?:\s(?:button|function|method|endpoint|request|requests|command|commands|format|formats|mode|option|options|api|apis|event|events|tool|tools|flag|field|of|is|are|was|handler|operations?|permissions?|access|rate|id)\b|\(|[_/=]|-\w|\s(?:\/|https?:)|["']?:\s?[{["'])/

/** Returns whether a word orders its reader. Verbs of other languages do not look like their nouns; English ones are judged by what stands around. */
export function isOrder(reading: Reading, hit: Hit, sentence: Span): boolean {
  if (!isEnglish(hit)) return true
  const before = reading.lower.slice(Math.max(sentence.start, hit.start - REACH), hit.start)
  if (NAMES.test(reading.lower.slice(hit.end, hit.end + 14)) || IS_NAMED.test(before)) return false
  const isWhole = hit.start - REACH <= sentence.start
  return ORDERS.test(isWhole ? before : `\u2026 ${before}`) || (isWhole && AFTER_TIME.test(before))
}
