import type { Random } from '../random.js'
import { createFormedBook, grouped, type Piece, together, type Voice } from './formed-book.js'

const two = (value: number) => String(value).padStart(2, '0')
const clock = (random: Random) => `${two(random.whole(0, 23))}:${two(random.whole(0, 59))}`
const logged = () => 'log'
const chatted = () => 'chat'

const VOICES: readonly Voice[] = [
  // A log with times and levels.
  {
    formOf: logged,
    write: (pieces, random) =>
      pieces.map((piece) => ({
        ...piece,
        text: `2026-03-${two(random.whole(4, 15))}T${clock(random)}:${two(random.whole(0, 59))}.${random.whole(100, 999)}Z ${levelOf(piece, random)} [${random.pick(['runner', 'agent-2', 'main'])}] ${piece.text}`,
      })),
  },
  // Chat, one line each.
  {
    formOf: chatted,
    write: (pieces, random) =>
      pieces.map((piece) => ({
        ...piece,
        text: `${random.pick(['', '@nora ', '@here ', 'yo, ', 'ok '])}${piece.text}${random.pick(['', ' :+1:', ' …', ' fwiw'])}`,
      })),
  },
  // A timeline of the whole run.
  {
    formOf: chatted,
    write: (pieces, random) => [
      together(pieces, `Timeline (UTC)\n${pieces.map(({ text }) => `${clock(random)} – ${text}`).join('\n')}`),
    ],
  },
  // Fields of a structured log.
  {
    formOf: logged,
    write: (pieces, random) =>
      pieces.map((piece) => ({
        ...piece,
        text: `level=${levelOf(piece, random).toLowerCase()} ts=${random.whole(1_772_000_000, 1_773_000_000)} msg="${piece.text}"`,
      })),
  },
  // A thread with names.
  {
    formOf: chatted,
    write: (pieces, random) =>
      grouped(pieces, 2, random).map((group) =>
        together(group, group.map(({ text }) => `imran [${clock(random)}]: ${text}`).join('\n')),
      ),
  },
  // A hand that writes both.
  {
    formOf: (random) => random.pick(['log', 'chat']),
    write: (pieces) => pieces.map((piece) => ({ ...piece, text: piece.text.replace(/\bthe /g, '') })),
  },
]

function levelOf({ kind }: Piece, random: Random): string {
  return kind === 'note' ? random.pick(['DEBUG', 'INFO']) : 'INFO'
}

/** A data platform: logs of machines and chat of those who watch them. */
export const DATA_BOOK = createFormedBook({ file: 'data.yaml', name: 'data', voices: VOICES })
