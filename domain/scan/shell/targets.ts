const HOME = String.raw`(?:~|\$HOME|\$env:(?:HOME|USERPROFILE|HOMEPATH)|%(?:USERPROFILE|HOMEPATH)%|\$\(\)/~|/root|/(?:home|Users)/[^/*]{1,40}|/(?:home|Users)(?=/?\*?$))`
const SYSTEM =
  'bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var|users|system|library|applications|private|mnt|media|volumes'
const PRECIOUS = String.raw`\.ssh|\.gnupg|\.aws|\.kube|Documents|Desktop|Pictures|Library|\.config|\.password-store|\.\*|\*|\.\[\^\.\]\*`
const DANGEROUS = [
  /^\/+(?:\.?\*?|\.\/?|\{.*)$/,
  new RegExp(`^/+(?:${SYSTEM})(?:/?|/\\*+)$`, 'i'),
  new RegExp(`^${HOME}/?(?:${PRECIOUS})?/?\\*?$`, 'i'),
  /^\/etc\/(?:passwd|shadow|sudoers|fstab|ssh)\b/,
  /^\/var\/(?:log|lib\/(?:postgresql|mysql|mongodb|etcd)|backups?)\/?\*?$/,
  /^(?:[a-z]:|\$env:SystemDrive|%SystemDrive%)[\\/]*(?:\*(?:\.\*)?)?$/i,
  /^(?:[a-z]:[\\/]+(?:windows|users|program files)|\$env:windir|%windir%|%systemroot%)(?:[\\/]{1,2}system32)?[\\/]{0,2}\*?$/i,
  /^\.\.\/\*$|^(?:\.\.\/){2,}\*?$|^\.\.\/\.\.(?:\/\.\.)*\/?\*?$/,
  /^(?:\.\.\/){3,}(?:etc|home|root|usr|var|bin)\b/,
]

/** Returns whether a path is a root, a home, or one of a system's folders as a whole. Deeper ones are somebody's own. */
export function isDangerousTarget(path: string): boolean {
  if (path.length > 120) return false
  const plain = path.replace(/(?<=[^"'`,;:.)])["'`,;:.)]{1,8}$/, (end) =>
    end.startsWith('.') && /(?:^|\/)\.$/.test(path) ? end : '',
  )
  return DANGEROUS.some((pattern) => pattern.test(plain))
}

/** Returns whether a path is one where a shell goes to be at such a place. */
export function isEverythingHere(path: string): boolean {
  return /^(?:\*|\.|\.\/?\*?|\.\/)$/.test(path)
}
