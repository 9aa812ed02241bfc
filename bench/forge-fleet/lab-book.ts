import type { Random } from '../random.js'
import { createFormedBook, grouped, together, type Voice } from './formed-book.js'

const day = (random: Random) => `2026-03-${String(random.whole(4, 15)).padStart(2, '0')}`
const english = () => 'en'
const spanish = () => 'es'

const VOICES: readonly Voice[] = [
  // Entries of a notebook, a headline and some lines each.
  {
    formOf: english,
    write: (pieces, random) =>
      grouped(pieces, 3, random).map((group) =>
        together(
          group,
          `## ${day(random)} — entry ${random.whole(10, 99)}\n${group.map(({ text }) => `- ${text}`).join('\n')}`,
        ),
      ),
  },
  // One line each, in Spanish.
  { formOf: spanish, write: (pieces) => pieces.map((piece) => ({ ...piece, text: `${piece.text}.` })) },
  // By sample.
  {
    formOf: english,
    write: (pieces, random) => {
      const sample = `S-${random.whole(100, 999)}`
      return pieces.map((piece) => ({ ...piece, text: `${sample}: ${piece.text}` }))
    },
  },
  // The page of a day, in Spanish.
  {
    formOf: spanish,
    write: (pieces, random) => [together(pieces, `${day(random)}. ${pieces.map(({ text }) => `${text}.`).join(' ')}`)],
  },
  // Telegraphic.
  {
    formOf: english,
    write: (pieces) =>
      pieces.map((piece) => ({
        ...piece,
        text: piece.text
          .replace(/\b(?:the|a|an) /gi, '')
          .replace(/\bwith\b/g, 'w/')
          .replace(/\bfor\b/g, '@'),
      })),
  },
  // Both languages, as it comes.
  {
    formOf: (random) => random.pick(['en', 'es']),
    write: (pieces, random) =>
      grouped(pieces, 2, random).map((group) => together(group, group.map(({ text }) => text).join('; '))),
  },
]

/** A laboratory in two languages: pages of notebooks, lines by sample, telegraphic notes. */
export const LAB_BOOK = createFormedBook({ file: 'lab.yaml', name: 'lab', voices: VOICES })
