/** A JSON Schema of the contract, with references or, from `dereference`, without. */
export type Schema = Readonly<Record<string, unknown>>
