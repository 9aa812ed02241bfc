/** A JSON Schema of the contract, with references, or without them after `dereference`. */
export type Schema = Readonly<Record<string, unknown>>
