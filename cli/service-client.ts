import { type Client, createClient } from '../client/index.js'
import { parseApiKey } from '../domain/api-key.js'

/** A client of the running service with one key. Commands end with the first refusal unless they ask for retries. */
export interface ServiceClient extends Client {
  /** True when the key is the admin credential, which belongs to no tenant. */
  readonly isAdmin: boolean
}

/** Throws ArgumentError for a key that cannot be sent. */
export function createServiceClient(url: string, key: string): ServiceClient {
  return { ...createClient({ url, apiKey: key, maxRetries: 0 }), isAdmin: parseApiKey(key) === null }
}

/** Options of the requests of long commands, which go on when the service comes back after a restart. */
export function retryOptions(retryDelayMs = 500) {
  return { maxRetries: 7, retryDelayMs }
}
