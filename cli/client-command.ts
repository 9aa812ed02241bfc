import { type Command, InvalidArgumentError } from 'commander'
import { addressOf } from '../client/client.js'
import { ArgumentError } from '../client/index.js'
import { processEnvironment, readClientConfig } from '../runtime/config.js'
import { findCredentials, type RequiredCredential } from './credentials.js'
import { isObject, type JsonObject } from './import/json.js'
import type { ServiceClient } from './service-client.js'

/** The options of every command that calls the running service. */
export interface ClientOptions {
  readonly url?: string
  readonly key?: string
}
export type TenantOptions = ClientOptions & { readonly tenant?: string }

export function clientCommand(command: Command): Command {
  return command
    .option('--url <url>', 'address of the service; by default CAIRN_URL, else PORT of this machine', serviceUrl)
    .option('--key <key>', 'API key; by default CAIRN_API_KEY, else one in DATA_DIR')
}

/** Adds the options of a command that asks for something of one tenant. */
export function tenantCommand(command: Command): Command {
  return clientCommand(command)
    .option('--tenant <id>', "tenant; by default the key's own")
    .option('--json', 'print the whole answer')
}

/** Runs `work` with a client of the service, on the tenant that the command line or the key names. */
export async function withService<T extends TenantOptions>(
  need: RequiredCredential,
  options: T,
  work: (service: ServiceClient, options: T) => Promise<number | void>,
): Promise<void> {
  const config = readClientConfig(processEnvironment())
  const { url = config.url, key } = options
  const { service, tenant } = await findCredentials(config, { url, key, need, tenant: options.tenant })
  await finish(work(service, tenant === undefined ? options : { tenant, ...options }))
}

/** Sets the process' exit code to what the command resolves to; nothing means 0. */
export async function finish(command: Promise<number | void>): Promise<void> {
  process.exitCode = (await command) ?? 0
}

function serviceUrl(text: string): string {
  try {
    return addressOf(text)
  } catch (error) {
    throw error instanceof ArgumentError ? new InvalidArgumentError(error.message) : error
  }
}

/** Parses a number between 0 and 1. */
export function share(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('It must be a number from 0 to 1.')
  return value
}

/** Parses a JSON object. */
export function jsonObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Refused below, like any other JSON.
  }
  throw new InvalidArgumentError('It must be a JSON object.')
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
