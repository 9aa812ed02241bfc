import { DEFAULT_SETTINGS, type Settings } from './settings.gen.js'

/** The settings that differ from the defaults: any part of the tree. */
export type StoredSettings = PartOf<Settings>

type PartOf<T> = T extends readonly unknown[] ? T : T extends object ? { readonly [K in keyof T]?: PartOf<T[K]> } : T

/** A group of settings, or of a part of them, by key. */
export type Tree = Readonly<Record<string, unknown>>

/** Returns the whole tree. Stored keys that are not settings of this version are ignored. */
export function settingsOf(stored: StoredSettings): Settings {
  return withDefaults(DEFAULT_SETTINGS, stored) as unknown as Settings
}

function withDefaults(defaults: Tree, stored: Tree): Tree {
  const entries = Object.entries(defaults).map(([key, usual]) => {
    if (isGroup(usual)) return [key, withDefaults(usual, groupOf(stored[key]))]
    return [key, stored[key] === undefined ? usual : stored[key]]
  })
  return Object.fromEntries(entries) as Tree
}

export function isGroup(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function groupOf(value: unknown): Tree {
  return isGroup(value) ? value : {}
}
