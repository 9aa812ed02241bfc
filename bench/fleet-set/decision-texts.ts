import { DESIGN_TOPICS } from './design-topics.js'
import { RUNNING_TOPICS } from './running-topics.js'
import type { Topic } from './topic.js'

export const TOPICS: readonly Topic[] = [...DESIGN_TOPICS, ...RUNNING_TOPICS]

export const SETTLED = [
  'Decision: {what} Agreed by {one} and {two}.',
  '{one} and {two} settled it: {what}',
  'After the spike of {few} days we chose: {what} ({one}, {two})',
] as const

export const REVERSED = [
  'Decision: {what} It replaces what was agreed earlier. ({one}, {two})',
  '{one} overruled the earlier choice together with {two}: {what}',
  'Changed course: {what} Signed off by {one} and {two}.',
] as const

export const WEIGHED = [
  'Compared both candidates for {few} days, {dozens} rows in the sheet.',
  'Benchmarks of {someone}: within {percent} % of one another.',
  '{someone} objects, but will go along. Vote was {few} to {few}.',
  'Cost sheet of {someone}: {thousands} euros a year against {thousands}.',
] as const
