import { ArgumentError, CairnError, ConnectionError, RedirectError, ServiceError } from '../client/index.js'
import { ConfigError } from '../runtime/errors.js'
import { printable } from './printable.js'
import { describeRefusal } from './refusals.js'

/** An error whose message a command prints before it ends with `exitCode`: no stack, no JSON. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message)
    this.name = 'CommandError'
  }
}

/** Returns a handler that throws the failure of a command again as one that ends it with this exit code. */
export function exitWith(exitCode: number): (error: Error) => never {
  return (error) => {
    throw new CommandError(error instanceof CairnError ? describeFailure(error) : error.message, exitCode)
  }
}

/** Returns a handler that throws a refusal again in terms of a command that takes these fields by these arguments. */
export function inTermsOf(named: Readonly<Record<string, string>>): (error: unknown) => never {
  return (error) => {
    throw error instanceof ServiceError ? new CommandError(describeRefusal(error, named)) : error
  }
}

/** Prints on stderr why a command ends, and returns its exit code: 2 for a setting, 1 for anything else. */
export function reportFailure(error: unknown): number {
  if (error instanceof CommandError) {
    console.error(`cairn: ${printable(error.message)}`)
    return error.exitCode
  }
  if (error instanceof ConfigError) {
    console.error(`cairn: ${printable(error.message)}`)
    return 2
  }
  if (error instanceof CairnError) {
    console.error(`cairn: ${printable(describeFailure(error))}`)
    return error instanceof ArgumentError ? 2 : 1
  }
  console.error(`cairn: ${printable(error instanceof Error ? (error.stack ?? error.message) : String(error))}`)
  return 1
}

/** Returns what a command says of an error of the client. */
export function describeFailure(error: CairnError): string {
  if (error instanceof ServiceError) return describeRefusal(error)
  if (error instanceof ConnectionError)
    return `${error.message} Start the service with \`npm start\`, or set CAIRN_URL.`
  if (error instanceof RedirectError)
    return `${error.message} If that is the service, give its address with --url or CAIRN_URL.`
  return error.message
}
