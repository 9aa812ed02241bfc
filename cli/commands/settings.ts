import type { components } from '../../contract/types.js'
import { CommandError } from '../failure.js'
import { printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { tenantOf } from './tenant.js'

type Settings = components['schemas']['Settings']

interface Options {
  readonly tenant?: string
}

/** Prints the whole tree, or the value at a path such as `memory.pii_policy`, as JSON. */
export async function getSettings(service: ServiceClient, key: string | undefined, options: Options): Promise<void> {
  const settings = await service.getSettings({ tenant_id: await tenantOf(service, options) })
  printJson(key === undefined ? settings : valueAt(settings, key))
}

/** Sets one setting and prints its new value. `value` is read as JSON (`null` restores the default), else as text. */
export async function setSetting(service: ServiceClient, key: string, value: string, options: Options): Promise<void> {
  const change = key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), parse(value)) as object
  const settings = await service.patchSettings({ ...change, tenant_id: await tenantOf(service, options) })
  printJson(valueAt(settings, key))
}

function valueAt(settings: Settings, key: string): unknown {
  return key.split('.').reduce<unknown>((at, name) => {
    if (typeof at === 'object' && at !== null && !Array.isArray(at) && Object.hasOwn(at, name))
      return (at as Record<string, unknown>)[name]
    throw new CommandError(`Unknown setting ${key}; \`cairn settings get\` lists them.`)
  }, settings)
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
