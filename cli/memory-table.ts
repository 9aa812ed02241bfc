import Table from 'cli-table3'
import type { components } from '../contract/types.js'
import { printable, printableLines } from './printable.js'

type Memory = components['schemas']['Memory']

/** A column before those of the memory itself. */
interface FirstColumn {
  readonly head: string
  readonly width: number
  readonly valueOf: (memory: Memory) => string
}

const NARROW = { created: 12, type: 12, agent: 18 }
const BORDERS = 8

/**
 * Returns memories as a table as wide as the terminal: what `first` says of each, then when and by whom it was written, its text, and under it the
 * lines of `notesOf`.
 */
export function memoryTable<M extends Memory>(
  memories: readonly M[],
  first: FirstColumn,
  notesOf: (memory: M) => readonly string[] = () => [],
): string {
  const narrow = [first.width, ...Object.values(NARROW)]
  const width = Math.max(30, (process.stdout.columns || 120) - narrow.reduce((a, b) => a + b) - BORDERS)
  const table = new Table({
    head: [first.head, ...Object.keys(NARROW), 'memory'],
    colWidths: [...narrow, width],
    wordWrap: true,
    style: { head: [], border: [] },
  })
  for (const memory of memories)
    table.push([
      first.valueOf(memory),
      memory.created_at.slice(0, 10),
      memory.memory_type,
      printable(memory.agent_display_name ?? memory.agent_id ?? ''),
      printableLines([...(memory.title === null ? [] : [memory.title]), memory.content, ...notesOf(memory)].join('\n')),
    ])
  return table.toString()
}
