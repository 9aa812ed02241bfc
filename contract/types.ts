import type { components } from '../client/contract.gen.js'
import type { schemaDefaults } from './facts.gen.js'

export type { components, operations } from '../client/contract.gen.js'

/** Adds that the named fields have a value: the contract's checks fill the defaults in. */
export type WithDefaults<T, Name extends PropertyKey> = [Name] extends [never]
  ? T
  : T & { [N in Name & keyof T]-?: Exclude<T[N], undefined> }

/** An object of a schema of the contract after its checks. */
export type Checked<Name extends keyof schemaDefaults> = WithDefaults<components['schemas'][Name], schemaDefaults[Name]>
