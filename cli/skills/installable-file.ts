import { createHash } from 'node:crypto'
import type { components } from '../../contract/types.js'

/** A file that stands beside SKILL.md. */
export type InstallableFile = Readonly<components['schemas']['SkillFile']>

export const HASH = /^sha256:[0-9a-f]{64}$/

export function digestOf(text: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** Returns true for what has the fields of a file; its path may lead anywhere. */
export function isFile(value: unknown): value is InstallableFile {
  const { path, size, hash, executable } = (value ?? {}) as Partial<InstallableFile>
  const isPlace = typeof path === 'string' && typeof executable === 'boolean'
  return isPlace && Number.isInteger(size) && HASH.test(String(hash))
}
