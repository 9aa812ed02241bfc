/** Texts come from anyone: what would steer the terminal is shown as a replacement character. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd')
}
