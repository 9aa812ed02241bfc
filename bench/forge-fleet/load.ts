import type { ForgeMemory } from '../../domain/forge/traces.js'
import { createRandom, type Random } from '../random.js'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 2, 16)
/** Traces of one workflow; a third of all traces follow none. */
const TRACES_OF_WORKFLOW = 20
const STEPS = 6
const WORDS_OF_STEP = 6
const VOCABULARY = 6_000
const AGENTS = 50
const ENDINGS = ['Done and verified.', 'All green, closed.', 'Failed, rolled back.', 'Completed.']

/** Returns memories of one fleet in so many traces of made-up words: only their number and shape matter. */
export function loadOf(traces: number, seed = 1): { memories: ForgeMemory[]; now: number } {
  const random = createRandom(seed)
  const words = Array.from({ length: VOCABULARY }, () => wordOf(random))
  const step = () => Array.from({ length: WORDS_OF_STEP }, () => random.pick(words))
  const workflows = Array.from({ length: Math.ceil((traces * 2) / 3 / TRACES_OF_WORKFLOW) }, () =>
    Array.from({ length: STEPS }, step),
  )
  const memories: ForgeMemory[] = []
  for (let n = 0; n < traces; n++) {
    const workflow =
      n % 3 === 2 ? Array.from({ length: STEPS }, step) : workflows[Math.floor(n / 3) % workflows.length]!
    const texts = [
      ...workflow.map((said) => sentenceOf(said, words, random)),
      `${random.pick(ENDINGS)} ${random.pick(words)}`,
    ]
    const begin = NOW - Math.floor(random.next() * 12 * DAY_MS)
    for (const [i, content] of texts.entries())
      memories.push({
        id: `${n}-${i}`,
        fleetId: 'load',
        agentId: `agent-${random.whole(1, AGENTS)}-${n % 7}`,
        runId: `run-${n}`,
        title: null,
        content,
        memoryType: 'episode',
        status: 'active',
        visibility: 'scope_team',
        createdAt: new Date(begin + i * 60_000),
        validStart: null,
        expiresAt: null,
        names: [],
      })
    for (let i = memories.length - texts.length + 1; i < memories.length; i++)
      memories[i] = { ...memories[i]!, agentId: memories[memories.length - texts.length]!.agentId }
  }
  return { memories, now: NOW }
}

/** Returns most words of a step, one or two others, and a number. */
function sentenceOf(said: readonly string[], words: readonly string[], random: Random): string {
  const kept = said.filter(() => random.chance(0.8))
  return `${[...kept, random.pick(words), ...(random.chance(0.5) ? [random.pick(words)] : [])].join(' ')} ${random.whole(1, 99_999)}.`
}

function wordOf(random: Random): string {
  const syllable = () =>
    random.pick([...'bdfgklmnprstvz']) + random.pick([...'aeiou']) + random.pick(['', '', 'n', 'r', 'l', 's', 'k'])
  return Array.from({ length: random.whole(2, 3) }, syllable).join('')
}
