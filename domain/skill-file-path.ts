const LONGEST_PATH_BYTES = 400
/** File systems have no longer names. */
const LONGEST_SEGMENT_BYTES = 255

const OUTSIDE: ReadonlySet<string> = new Set(['', '.', '..'])
const OWN_NAMES: ReadonlySet<string> = new Set(['skill.md', '.cairn-skill.json'].map(foldedName))
const DEVICE_NAME =
  /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d\u00b9\u00b2\u00b3]|lpt[\d\u00b9\u00b2\u00b3])\s*(?:\.|$)/iu
/** Matches what no name of Windows has: a colon leads into another stream of the file. */
const UNPORTABLE = /[<>:"|?*]/
/** Matches a short name of Windows, by which it finds a file that has a longer one: `GIT~1` is `.git`. */
const SHORT_NAME = /^[^.~]{0,7}~\d{1,6}(?:\.[^.]{0,3})?$/

/** Returns whether Windows takes a name for that of a device, whatever its ending. */
export function isDeviceName(name: string): boolean {
  return DEVICE_NAME.test(name)
}

/**
 * Returns why a path cannot name a file of a skill's folder, on any system; null when it can. A harness may take any SKILL.md that it
 * finds for a skill, and git runs what `.git` tells it to.
 */
export function pathFault(path: string): string | null {
  const segments = path.split('/')
  const has = (isWrong: (segment: string) => boolean) => segments.some(isWrong)
  if (Buffer.byteLength(path) > LONGEST_PATH_BYTES) return `has more than ${LONGEST_PATH_BYTES} bytes`
  if (/[\p{Surrogate}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path)) return 'has characters that cannot be seen'
  if (path.includes('\\') || /^[a-z]:/i.test(path) || has((segment) => OUTSIDE.has(segment.trim())))
    return 'does not lead to a file within the folder'
  if (has((segment) => OWN_NAMES.has(foldedName(segment))))
    return `is a name that only the skill itself has in its folder`
  if (has((segment) => Buffer.byteLength(segment) > LONGEST_SEGMENT_BYTES))
    return `has a part of more than ${LONGEST_SEGMENT_BYTES} bytes`
  if (has((segment) => /[. ]$/.test(segment))) return 'has a part that ends with a dot or a space'
  if (has((segment) => foldedName(segment) === foldedName('.git'))) return 'leads into a repository of git'
  if (has((segment) => isDeviceName(segment) || UNPORTABLE.test(segment)))
    return 'has a name that not every system allows'
  return has((segment) => SHORT_NAME.test(segment)) ? 'has a name that Windows takes for a short form of another' : null
}

/**
 * Returns two paths that some file systems take for one, or of which one is a file where the other has a folder; null for none.
 */
export function collidingPaths(paths: readonly string[]): readonly [string, string] | null {
  const seen = new Map<string, { readonly path: string; readonly isFile: boolean }>()
  for (const path of paths) {
    const segments = path.split('/')
    for (let i = 1; i <= segments.length; i++) {
      const part = segments.slice(0, i).join('/')
      const isFile = i === segments.length
      const other = seen.get(foldedName(part))
      if (other && (other.path !== part || isFile || other.isFile)) return [other.path, path]
      seen.set(foldedName(part), { path: part, isFile })
    }
  }
  return null
}

/** Returns what file systems compare that know neither case nor Unicode forms: full case folding, as far as upper case is it. */
function foldedName(name: string): string {
  return name.normalize('NFD').toUpperCase().normalize('NFC')
}
