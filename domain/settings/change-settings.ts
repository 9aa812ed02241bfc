import { isDeepStrictEqual } from 'node:util'
import { DEFAULT_SETTINGS, type Settings } from './settings.gen.js'
import { groupOf, isGroup, type StoredSettings, type Tree } from './settings.js'

/** Any part of the tree; null resets a setting, or a whole group, to its default. Lists are replaced as a whole. */
export type SettingsChange = ChangeOf<Settings>

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

/** Returns what to store after a change that the contract allows; values equal to the defaults are left out. */
export function changedSettings(stored: StoredSettings, change: SettingsChange): StoredSettings {
  return applyChange(stored, change, DEFAULT_SETTINGS)
}

/** Returns the differences in the order of the tree. */
export function differencesOf(before: Settings, after: Settings): SettingDifference[] {
  return collectDifferences(before, after, '')
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
