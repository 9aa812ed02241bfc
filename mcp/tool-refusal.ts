import { type Answer, envelope, type FieldError } from '../http/errors.js'
import type { Field } from './tool-fields.js'

type Content = Readonly<Record<string, unknown>>

/** A fault of an argument, with its place in `loc`: the argument's name, and where in it. */
export type ArgumentFault = Pick<FieldError, 'loc' | 'msg' | 'type'>

/** Thrown for arguments that no operation is called with. */
export class RefusedArguments extends Error {
  override readonly name = 'RefusedArguments'
  constructor(
    message: string,
    readonly details: Content,
  ) {
    super(message)
  }

  static of(op: string, faults: readonly ArgumentFault[]): RefusedArguments {
    return new RefusedArguments(messageOf(op, faults), { errors: faults.map(listed) })
  }
}

/** Returns the answer to a call that could not be sent, or was answered by something else than the service. */
export function failureAnswer(status: number, message: string): Answer {
  return { status, headers: {}, body: envelope(status, message) }
}

export function answerOfRefusal({ message, details }: RefusedArguments): Answer {
  return { status: 422, headers: {}, body: envelope(422, message, details) }
}

/**
 * Returns an error's envelope as tools answer it: faults are told once, with the names of arguments. REST tells them in its message and in
 * `detail` too, and names the parts of a request.
 */
export function toldOnce({ error }: { readonly error: Content }, op: string, fields: readonly Field[]): Content {
  const { errors, ...others } = (error.details ?? {}) as Content
  if (!Array.isArray(errors)) return { error }
  const faults = (errors as FieldError[]).map((fault) => ({ ...fault, loc: argumentOf(fault.loc, fields) }))
  return { error: { ...error, message: messageOf(op, faults), details: { ...others, errors: faults.map(listed) } } }
}

/** Returns the error of one item of a list: its faults in a sentence. */
export function itemErrorOf({ code, message, details }: Content): Content {
  const { errors, ...others } = (details ?? {}) as Content
  if (!Array.isArray(errors)) return { code, message, ...(Object.keys(others).length > 0 && { details: others }) }
  // The place begins with the body, the list and the index, which the result has.
  const sentences = (errors as FieldError[]).map(({ loc, msg }) =>
    [loc.slice(3).join('.'), msg].filter(Boolean).join(': '),
  )
  return { code, message: sentences.join(' ') }
}

/** Names that a message has at most; the others are in the list. */
const MOST_NAMED = 5

/** Names what is missing and what does not fit; the faults themselves are in the list. */
function messageOf(op: string, faults: readonly Pick<ArgumentFault, 'loc' | 'type'>[]): string {
  const isMissing = ({ loc, type }: Pick<ArgumentFault, 'loc' | 'type'>) => type === 'missing' && loc.length === 1
  const missing = namesOf(faults.filter(isMissing))
  const unfit = namesOf(faults.filter((fault) => !isMissing(fault)))
  const parts = [missing && `needs ${missing}`, unfit && `cannot take ${unfit} as given`]
  return `${op} ${parts.filter(Boolean).join(', and ')}; see errors.`
}

function namesOf(faults: readonly Pick<ArgumentFault, 'loc'>[]): string {
  const names = [...new Set(faults.map(({ loc: [name] }) => name ?? 'these arguments'))]
  return names.slice(0, MOST_NAMED).join(', ') + (names.length > MOST_NAMED ? ' and others' : '')
}

function listed({ loc, msg, type }: ArgumentFault): ArgumentFault {
  return { loc: ['arguments', ...loc], msg, type }
}

/** Returns where in the arguments a place of a REST request is. */
function argumentOf([location, name, ...rest]: readonly string[], fields: readonly Field[]): string[] {
  if (name === undefined) return []
  const isOf = (field: Field) => field.restName.toLowerCase() === name.toLowerCase()
  const field = fields.find((one) => one.in === location && isOf(one)) ?? fields.find(isOf)
  return [field?.name ?? name, ...rest]
}
