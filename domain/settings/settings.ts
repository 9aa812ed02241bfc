import { isDeepStrictEqual } from 'node:util'
import { DEFAULT_SETTINGS, type Settings } from './settings.gen.js'

/** The settings that differ from the defaults: any part of the tree. */
export type StoredSettings = PartOf<Settings>

/** Any part of the tree; null resets a setting, or a whole group, to its default. Lists are replaced as a whole. */
export type SettingsChange = ChangeOf<Settings>

type PartOf<T> = T extends readonly unknown[] ? T : T extends object ? { readonly [K in keyof T]?: PartOf<T[K]> } : T
type ChangeOf<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: ChangeOf<T[K]> | null }
    : T

/** A setting that changed; `key` is its path, such as `memory.pii_policy`. */
interface SettingDifference {
  readonly key: string
  readonly from: unknown
  readonly to: unknown
}

type Tree = Readonly<Record<string, unknown>>

/** Returns the whole tree. Stored keys that are not settings of this version are ignored. */
export function settingsOf(stored: StoredSettings): Settings {
  return withDefaults(DEFAULT_SETTINGS, stored) as unknown as Settings
}

/** Returns what to store after a change that the contract allows; values equal to the defaults are left out. */
export function changedSettings(stored: StoredSettings, change: SettingsChange): StoredSettings {
  return applyChange(stored, change, DEFAULT_SETTINGS)
}

/** Returns the differences in the order of the tree. */
export function differencesOf(before: Settings, after: Settings): SettingDifference[] {
  return collectDifferences(before, after, '')
}

function withDefaults(defaults: Tree, stored: Tree): Tree {
  const entries = Object.entries(defaults).map(([key, usual]) => {
    if (isGroup(usual)) return [key, withDefaults(usual, groupOf(stored[key]))]
    return [key, stored[key] === undefined ? usual : stored[key]]
  })
  return Object.fromEntries(entries) as Tree
}

function applyChange(stored: Tree, change: Tree, defaults: Tree): Tree {
  const result: Record<string, unknown> = { ...stored }
  for (const [key, value] of Object.entries(change)) {
    const usual = defaults[key]
    const kept = isGroup(usual) && isGroup(value) ? applyChange(groupOf(stored[key]), value, usual) : value
    if (kept === null || isDeepStrictEqual(kept, isGroup(usual) ? {} : usual)) delete result[key]
    else result[key] = kept
  }
  return result
}

function collectDifferences(before: Tree, after: Tree, path: string): SettingDifference[] {
  return Object.keys(after).flatMap((key) => {
    const [from, to] = [before[key], after[key]]
    if (isGroup(to)) return collectDifferences(groupOf(from), to, `${path}${key}.`)
    return isDeepStrictEqual(from, to) ? [] : [{ key: path + key, from, to }]
  })
}

function isGroup(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function groupOf(value: unknown): Tree {
  return isGroup(value) ? value : {}
}
