import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { ConfigError } from '../../runtime/errors.js'

const VARIABLE = 'SVC_SKILL_TARGETS'
const EXAMPLE = '[{"dir": "/srv/agent/skills", "mode": "owned", "register": true}]'
const MODES = ['owned', 'additive'] as const

/** A directory that skills are delivered to. */
export interface SkillTarget {
  /** An absolute path, normalised. */
  readonly dir: string
  /** `owned` holds the catalogue's skills and no others; `additive` holds skills of others too. */
  readonly mode: (typeof MODES)[number]
  /** True when the directory is to be named in the harness' configuration. */
  readonly register: boolean
}

/** Returns the targets that the variable lists. Throws ConfigError that names the entry and what is wrong with it. */
export function parseTargets(text: string | null): SkillTarget[] {
  if (text === null) throw new ConfigError(VARIABLE, `is not set; set it to a JSON array such as ${EXAMPLE}.`)
  let entries: unknown
  try {
    entries = JSON.parse(text)
  } catch (error) {
    throw new ConfigError(VARIABLE, `is not JSON (${(error as Error).message}); an example: ${EXAMPLE}.`)
  }
  if (!Array.isArray(entries)) throw new ConfigError(VARIABLE, `must be a JSON array, such as ${EXAMPLE}.`)
  return entries.map((entry: unknown, i) => parseTarget(entry, (fault) => entryError(i, fault)))
}

function parseTarget(entry: unknown, refuse: (fault: string) => ConfigError): SkillTarget {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw refuse('must be an object with the keys dir, mode and, if wanted, register.')
  const { dir, mode, register = false, ...others } = entry as Record<string, unknown>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw refuse(`unknown key ${JSON.stringify(unknown)}; the keys are dir, mode and register.`)
  if (typeof dir !== 'string' || dir === '') throw refuse('dir must be a path.')
  if (!isAbsolute(dir))
    throw refuse(`dir ${JSON.stringify(dir)} is relative; give an absolute path, because the command may run anywhere.`)
  if (dir.includes('\0') || dirname(resolve(dir)) === resolve(dir))
    throw refuse(`dir ${JSON.stringify(dir)} is no directory for skills.`)
  const known = MODES.find((name) => name === mode)
  if (known === undefined) throw refuse(`mode must be ${MODES.map((name) => `"${name}"`).join(' or ')}.`)
  if (typeof register !== 'boolean') throw refuse('register must be true or false.')
  return { dir: resolve(dir), mode: known, register }
}

/** A target with the path that its files are written under. */
export interface ResolvedTarget extends SkillTarget {
  /** `dir` without symbolic links; what does not exist yet is appended as it is. */
  readonly path: string
}

/**
 * Resolves symbolic links in the targets' own paths. Throws ConfigError when two targets are one directory or one lies
 * in the other: each would remove what the other wrote. Upper and lower case count as one, as on many file systems.
 */
export async function resolveTargets(targets: readonly SkillTarget[]): Promise<ResolvedTarget[]> {
  const resolved = await Promise.all(targets.map(async (target) => ({ ...target, path: await realPath(target.dir) })))
  for (const [i, { dir, path }] of resolved.entries())
    for (const other of resolved.slice(0, i)) {
      const [inner, outer] = [path, other.path].map((name) => name.toLowerCase()) as [string, string]
      if (inner === outer) throw entryError(i, `${dir} is the same directory as ${other.dir}; leave one out.`)
      if (inner.startsWith(outer + sep) || outer.startsWith(inner + sep))
        throw entryError(i, `${dir} and ${other.dir} lie in one another; choose directories beside one another.`)
    }
  return resolved
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(path) === path) return path
    return join(await realPath(dirname(path)), basename(path))
  }
}

function entryError(index: number, fault: string): ConfigError {
  return new ConfigError(VARIABLE, `entry ${index + 1}: ${fault}`)
}
