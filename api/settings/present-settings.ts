import type { Settings } from '../../domain/settings/settings.gen.js'
import type { components } from '../../contract/types.js'

/** Returns the settings as the contract's tree. */
export function presentSettings(settings: Settings): components['schemas']['Settings'] {
  const { memory } = settings
  return { ...settings, memory: { ...memory, single_valued_predicates: [...memory.single_valued_predicates] } }
}
