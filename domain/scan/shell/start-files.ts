/** Places that something runs or trusts by itself, in commands and in programs: files, and keys of a registry. */

export const LOGIN_KEYS = /authorized_keys2?$/
export const PROFILES =
  /(?:^|[/\\~])\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login|bash_logout|zlogin|kshrc|tcshrc|cshrc|vimrc)$|\/etc\/(?:profile(?:\.d\/.*)?|bash\.bashrc|zsh\/.*|environment)$|config\.fish$|^\$PROFILE|profile\.ps1$/i
export const SCHEDULES = /^\/etc\/(?:cron.*|anacrontab)$|\/var\/spool\/cron\b.*/
export const SUDOERS = /^\/etc\/sudoers(?:\.d\/.*)?$/
export const ACCOUNTS = /^\/etc\/(?:passwd|shadow|ld\.so\.preload|pam\.d\/.*|group)$/
export const SERVICES =
  /^\/etc\/(?:rc\.local|init\.d\/.*|inittab)$|[/\\](?:systemd[/\\](?:system|user)|autostart|LaunchAgents|LaunchDaemons)(?:[/\\][^/\\]+|[/\\])?$/i
export const GIT_HOOKS = /\.git[/\\]hooks[/\\][\w-]+$/
export const AUTOSTART = /Start Menu\\Programs\\Startup|shell:startup|CurrentVersion\\Run/i
export const SSH_SETTINGS = /\.ssh[/\\](?:rc|config)$/
const PYTHON_START = /(?:site|user)customize\.py$|\.pth$/

/** Returns whether what is written to a place lets somebody in, or starts itself with the system. */
export function givesAccess(path: string): boolean {
  return [LOGIN_KEYS, SUDOERS, ACCOUNTS, AUTOSTART].some((pattern) => pattern.test(path))
}

/** Returns whether a file is run by itself: at a login, by a schedule, by git or by an interpreter. */
export function isStarted(path: string): boolean {
  return [PROFILES, SCHEDULES, SERVICES, GIT_HOOKS, PYTHON_START].some((pattern) => pattern.test(path))
}
