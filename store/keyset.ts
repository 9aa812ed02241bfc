/** Which rows of a list to read, in the list's order. */
export interface Keyset<Position> {
  /** Position of the last row of the page before. */
  readonly after?: Position | undefined
  readonly limit: number
}
