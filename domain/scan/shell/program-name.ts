const LONGEST = 80
const PLAIN = /^[a-z0-9_.-]*[a-z0-9]$/

/** Returns the name of a program in lower case without its folder and suffix: `/bin/RM.exe` is `rm`. Long words are none. */
export function programName(text: string): string {
  if (text.length > LONGEST) return ''
  const slash = Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\'))
  const base = slash === -1 ? text : text.slice(slash + 1)
  if (PLAIN.test(base)) return base.endsWith('.exe') ? base.slice(0, -4) : base
  return base
    .toLowerCase()
    .replace(/\.exe$/, '')
    .replace(/^["'(@]+/, '')
    .replace(/(?<=[^"'):,.!?])["'):,.!?]{1,8}$/, '')
}
