import type { Severity } from '../report.js'
import type { Reading } from '../text/reading.js'
import type { Match, Rule } from './rule.js'

/** Commands and settings that switch off what protects the machine, its people, or the traces of what was done. */
const SWITCHES: readonly (readonly [RegExp, Severity])[] = [
  [
    /\bsetenforce\s+0\b|\bufw\s+(?:--force\s+)?disable\b|\bip6?tables\s+(?:-F|--flush)\b|\b(?:systemctl|service)\s+(?:stop|disable|mask)\s+(?:firewalld|auditd|falco|ufw|apparmor|fail2ban|rsyslog)\b|\bSet-MpPreference\b[^\n]{0,80}-Disable\w+\s+\$true/gi,
    'critical',
  ],
  [
    /\bunset\s+HISTFILE\b|\bHISTFILE=\/dev\/null\b|\bhistory\s+-cw?\b|\brm\s+(?:-\w+\s+)?(?:~|\$HOME)\/\.(?:bash|zsh)_history/g,
    'critical',
  ],
  [/\brm\s+-\w+\s+(?:\S+\s+){0,4}?\/var\/log\/\S{0,40}\*|\bfind\s+\/var\/log\b[^\n]{0,60}-delete\b/g, 'warn'],
  [/\bchmod\s+(?:-R\s+)?0?777\s+\/(?!tmp\b|dev\/shm|path|app\b|workspace)\w[^\s"'`]{1,80}/g, 'warn'],
  [
    /["']?(?:defaultMode|permission_?mode|approval_?policy)["']?\s*[:=]\s*["']?(?:bypassPermissions|bypass|yolo|never)\b|\bautoApprove["']?\s*[:=]\s*(?:true|\[\s*["']\*)|["'](?:disableAllHooks|enableAllProjectMcpServers|skipDangerousModePermissionPrompt)["']\s*:\s*true/gi,
    'critical',
  ],
  [
    /["']?\b(?:allow_all(?:_tools)?|skip_confirmations?|auto_approve(?:_all)?|bypass_(?:approvals?|permissions?|sandbox))["']?\s?[:=]\s?true|\b[A-Z_]{0,30}(?:ALLOW_ALL_TOOLS=(?:true|1)|(?:ENFORCEMENT|APPROVALS?|SANDBOX_MODE|POLICY_CHECKS?)=(?:disabled|off|none|0|false))\b/g,
    'critical',
  ],
  [/--dangerously-skip-permissions\b|--dangerously-bypass-approvals-and-sandbox\b|--yolo\b/g, 'warn'],
  [/["']Bash\(\*(?::\*)?\)["']|\ballowed-tools\s*:\s*["']?\*["']?\s*$/gm, 'warn'],
  [
    /\bNODE_TLS_REJECT_UNAUTHORIZED['"\]]{0,3}\s{0,3}[=:]\s{0,3}['"]?0|\bPYTHONHTTPSVERIFY=0\b|\bstrict-ssl\s+false\b|\bGIT_SSL_NO_VERIFY=(?:1|true)\b/g,
    'warn',
  ],
  [
    /\bStrictHostKeyChecking[= ]no\b|\bcurl\b[^\n|]{0,60}\s(?:-k|--insecure)\b|\bverify\s*=\s*False\b|\bExecutionPolicy\s+(?:Bypass|Unrestricted)\b/gi,
    'warn',
  ],
]

const switchesOff: Rule = {
  code: 'shell_safeguard_disabled',
  severity: 'critical',
  says: 'switches off a safeguard or wipes traces',
  *find(reading: Reading): Iterable<Match> {
    for (const [pattern, severity] of SWITCHES)
      for (const found of reading.text.matchAll(pattern))
        yield { start: found.index, end: found.index + found[0].length, severity }
  },
}

export const SAFEGUARD_RULES: readonly Rule[] = [switchesOff]
