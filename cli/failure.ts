import { ConfigError } from '../runtime/errors.js'
import { printable } from './printable.js'

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
  console.error(`cairn: ${printable(error instanceof Error ? (error.stack ?? error.message) : String(error))}`)
  return 1
}
