import type { Random } from '../random.js'
import { createFormedBook, grouped, together, type Voice } from './formed-book.js'

const number = (random: Random) => random.whole(10_000, 99_999)
const english = () => 'en'
const german = () => 'de'

const VOICES: readonly Voice[] = [
  // Updates of a ticket with fields.
  {
    formOf: english,
    write(pieces, random) {
      const ticket = number(random)
      return pieces.map((piece) => ({
        ...piece,
        text: `[#${ticket}] status: ${piece.kind === 'ending' ? 'closed' : random.pick(['open', 'pending', 'in progress'])} | ${piece.text}`,
      }))
    },
  },
  // The same in German, on two lines.
  {
    formOf: german,
    write(pieces, random) {
      const ticket = number(random)
      return pieces.map((piece) => ({
        ...piece,
        text: `Ticket ${ticket} · Status: ${piece.kind === 'ending' ? 'geschlossen' : random.pick(['offen', 'in Bearbeitung', 'wartet'])}\n${piece.text}`,
      }))
    },
  },
  // A mail, several things at once.
  {
    formOf: english,
    write: (pieces, random) =>
      grouped(pieces, 3, random).map((group) =>
        together(
          group,
          `Hi ${random.pick(['team', 'all', 'Svenja'])},\n\n${group.map(({ text }) => `${text}.`).join(' ')}\n\n${random.pick(['Best', 'Cheers', 'Kind regards'])}\nKim`,
        ),
      ),
  },
  // The whole ticket in one memory.
  {
    formOf: german,
    write: (pieces, random) => [
      together(pieces, `Verlauf ${number(random)}:\n${pieces.map(({ text }, i) => `${i + 1}) ${text}`).join('\n')}`),
    ],
  },
  // Chat.
  {
    formOf: english,
    write: (pieces, random) =>
      pieces.map((piece) => ({
        ...piece,
        text: `${random.pick(['hey, ', 'ok so ', '', 'fyi '])}${lower(piece.text)}${random.pick([' :)', '', ' ^^', ' thx'])}`,
      })),
  },
  // Both languages, as it comes.
  {
    formOf: (random) => random.pick(['de', 'en']),
    write: (pieces, random) =>
      pieces.map((piece) => ({ ...piece, text: `${random.pick(['- ', '', '* '])}${piece.text}` })),
  },
]

function lower(text: string): string {
  return text[0]!.toLowerCase() + text.slice(1)
}

/** A support desk in two languages: tickets with fields, mails, chat, whole tickets in one memory. */
export const SUPPORT_BOOK = createFormedBook({ file: 'support.yaml', name: 'support', voices: VOICES })
