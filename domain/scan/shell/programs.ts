const LONGEST = 80
const PLAIN = /^[a-z0-9_.-]*[a-z0-9]$/

/** Returns the name of a program in lower case without its folder and suffix: `/bin/RM.exe` is `rm`. Long words are none. */
export function programName(text: string): string {
  if (text.length > LONGEST) return ''
  const slash = Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\'))
  const base = slash === -1 ? text : text.slice(slash + 1)
  if (PLAIN.test(base)) return base.endsWith('.exe') ? base.slice(0, -4) : base
  if (/[[?*]/.test(base)) {
    const matched = matchedName(base, slash !== -1)
    if (matched !== null) return matched
  }
  return base
    .toLowerCase()
    .replace(/\.exe$/, '')
    .replace(/^["'(@]+/, '')
    .replace(/(?<=[^"'):,.!?])["'):,.!?]{1,8}$/, '')
}

/** Programs that rules are about: a wildcard in a name is looked up here, the gravest first. */
const NAMES =
  'curl wget bash sh zsh nc ncat base64 python3 python node perl ruby rm cat dd eval env chmod socat ssh scp'.split(' ')

/** Returns the program that a name with wildcards stands for: `cur[l]`, `/b?n/c?t`, `/bin/ba*`; null for other words. */
function matchedName(base: string, hasFolder: boolean): string | null {
  if (!/^(?:[a-z0-9]|\[[!^]?[a-z0-9-]{1,12}\]|[?*]){2,16}$/.test(base) || !/[a-z]/.test(base)) return null
  // A question ends with the sign, and emphasis is written with it.
  if (!hasFolder && /^\*|[?*]$|\*/.test(base)) return null
  const pattern = new RegExp(
    `^${base
      .replace(/\[[!^]?[a-z0-9]{0,12}-[a-z0-9-]{0,12}\]|\?/g, '.')
      .replaceAll('*', '.{0,12}')
      .replaceAll('[!', '[^')}$`,
  )
  return NAMES.find((name) => pattern.test(name)) ?? null
}
