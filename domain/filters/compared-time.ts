/**
 * Matches a date, or a date and time with an offset or `Z`, on a day that exists. PostgreSQL matches stored texts by the same expression before it
 * reads them as times, so it uses nothing that the two dialects read differently: `\d` of PostgreSQL has other scripts' digits too.
 */
export const COMPARED_TIME = [
  '^(?!0000)(?:[0-9]{4}-(?:(?:0[13-9]|1[0-2])-(?:0[1-9]|[12][0-9]|30)|(?:0[13578]|1[02])-31|02-(?:0[1-9]|1[0-9]|2[0-8]))',
  '|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)',
  '(?:[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,9})?)?',
  '(?:[Zz]|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?))?$',
].join('')

const TIME = new RegExp(COMPARED_TIME, 'u')
const PARTS = /^(.{10})(?:.(.{5})(:..)?(\.[0-9]{1,3})?[0-9]*(?:[Zz]|([+-]..):?(..)?))?$/u

/** The longest text that is a time. */
const LONGEST = '2026-01-01T00:00:00.123456789+00:00'.length

/**
 * Returns the Unix milliseconds of a text that a filter compares as a time, and null for any other text. A date is its beginning, UTC. A date and
 * time without an offset is no time, because it names a different one in every zone.
 */
export function comparedTime(text: string): number | null {
  if (text.length > LONGEST || !TIME.test(text)) return null
  const [, date, time = '00:00', seconds = ':00', fraction = '', hours = '+00', minutes = '00'] = PARTS.exec(text)!
  return Date.parse(`${date}T${time}${seconds}${fraction}${hours}:${minutes}`)
}
