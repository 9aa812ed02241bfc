import { InvalidArgumentError } from 'commander'

/** Reads an option of the command line. Throws InvalidArgumentError for anything but a whole number above 0. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}
