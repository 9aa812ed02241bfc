import { ConfigError } from '../runtime/errors.js'
import type { ModelEndpoint } from './model-call.js'

export interface EndpointSettings {
  /** Base URL of the service, such as http://host/v1. */
  readonly url: string
  readonly model: string
  /** Sent as a bearer token. */
  readonly key?: string | null
}

interface EndpointKind {
  /** Name of the endpoint in messages, such as `embeddings endpoint`. */
  readonly what: string
  /** Prefix of the variables that errors name: EMBEDDINGS for EMBEDDINGS_URL. */
  readonly prefix: string
  /** Appended to the base's path. */
  readonly path: string
}

/** Returns the endpoint without sending anything. Throws ConfigError for invalid settings, naming the variable. */
export function modelEndpoint({ url: base, model, key }: EndpointSettings, kind: EndpointKind): ModelEndpoint {
  const { what, prefix, path } = kind
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ConfigError(
      `${prefix}_URL`,
      `must be the base URL of a service that has /${path}, such as http://host/v1.`,
    )
  if (url.username || url.password)
    throw new ConfigError(`${prefix}_URL`, `must not contain credentials; set ${prefix}_KEY instead.`)
  if (!model) throw new ConfigError(`${prefix}_MODEL`, `must name the model to ask ${prefix}_URL for.`)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  try {
    const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json' })
    if (key) headers.set('authorization', `Bearer ${key}`)
    return { what, url, headers, model }
  } catch {
    // The original error quotes the header, that is the key.
    throw new ConfigError(`${prefix}_KEY`, 'has characters that an HTTP header cannot carry.')
  }
}
