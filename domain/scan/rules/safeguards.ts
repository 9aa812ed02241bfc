import type { Severity } from '../report.js'
import type { Reading } from '../text/reading.js'
import type { Match, Rule } from './rule.js'

/** Commands that switch off what protects the machine, its people, or the traces of what was done. */
const SWITCHES: readonly (readonly [RegExp, Severity])[] = [
  [/\bsetenforce\s+(?:0|Permissive)\b|\bSELINUX=disabled\b/gi, 'critical'],
  [/\bufw\s+(?:--force\s+)?(?:disable|reset)\b/g, 'critical'],
  [/\b(?:ip6?tables|nft)\s+(?:-t \w+ )?(?:-F|--flush|flush ruleset)\b(?!\s+[A-Z]{3,}-\w)/g, 'critical'],
  [/\biptables\s+-P\s+INPUT\s+ACCEPT\b/g, 'warn'],
  [
    /\b(?:systemctl|service|rc-service)\s+(?:--now\s+|-q\s+)?(?:stop|disable|mask|kill)\s+(?:--now\s+)?(?:firewalld|auditd|falco|falcon-sensor|crowdstrike|ufw|apparmor|clamav[\w-]*|fail2ban|osqueryd|wazuh-agent|rsyslog|syslog|sysmon|mdatp|iptables|nftables|ossec|snort|suricata)\b/g,
    'critical',
  ],
  [/\bservice\s+(?:firewalld|auditd|falco|ufw|apparmor|clamav|fail2ban|rsyslog|iptables)\s+stop\b/g, 'critical'],
  [/\bauditctl\s+(?:-e\s*0|-D)\b/g, 'critical'],
  [/\b(?:Set|Add)-MpPreference\b[^\n]{0,80}-(?:Disable\w+\s+(?:\$true|1)|Exclusion\w+)/gi, 'critical'],
  [/\bnetsh\s+(?:advfirewall\s+set\s+\w+\s+state\s+off|firewall\s+set\s+opmode\s+(?:mode=)?disable)\b/gi, 'critical'],
  [/\bSet-NetFirewallProfile\b[^\n]{0,60}-Enabled\s+(?:False|\$false)/gi, 'critical'],
  [
    /\b(?:sc(?:\.exe)?|net)\s+(?:stop|delete|config)\s+(?:WinDefend|wscsvc|mpssvc|Sense|EventLog|SecurityHealthService)\b|\bStop-Service\b[^\n]{0,40}(?:WinDefend|EventLog|mpssvc|Sense)\b/gi,
    'critical',
  ],
  [
    /\bDisable(?:AntiSpyware|RealtimeMonitoring|BehaviorMonitoring|IOAVProtection)\b[^\n]{0,40}\b(?:1|true)\b/gi,
    'critical',
  ],
  [
    /\bcsrutil\s+disable\b|\bspctl\s+--(?:master|global)-disable\b|\bsocketfilterfw\s+--setglobalstate\s+off/g,
    'critical',
  ],
  [/\bEnableLUA\b[^\n]{0,40}\b0\b/g, 'critical'],
  [/\bwevtutil\s+(?:cl|clear-log)\b|\bClear-EventLog\b|\bRemove-EventLog\b/gi, 'critical'],
  [
    /\bunset\s+HISTFILE\b|\bHISTFILE=\/dev\/null\b|\bHISTSIZE=0\b|\bset\s\+o\s+history\b|\bhistory\s+-cw?\b|\bln\s+-sf?\s+\/dev\/null\s+\S{0,20}\.(?:bash|zsh)_history|\brm\s+(?:-\w+\s+)?(?:~|\$HOME)\/\.(?:bash|zsh)_history|>\s*~\/\.(?:bash|zsh)_history|\bClear-History\b/g,
    'critical',
  ],
  [
    /(?:>|\btruncate\s+-s\s*0|\bshred\b[^\n]{0,20}|\brm\s+-\w+)\s*\/var\/log\/(?:auth\.log|secure|syslog|wtmp|btmp|lastlog|audit\/\S*|messages)\b/g,
    'critical',
  ],
  [/\brm\s+-\w+\s+(?:\S+\s+){0,4}?\/var\/log\/\S{0,40}\*|\bfind\s+\/var\/log\b[^\n]{0,60}-delete\b/g, 'warn'],
  [/\bcat\s+\/dev\/null\s*>\s*\/var\/log\//g, 'critical'],
  [/\becho\s+0\s*>\s*\/proc\/sys\/kernel\/randomize_va_space|\bkernel\.randomize_va_space\s?=\s?0/g, 'critical'],
  [
    /\baws\s+(?:cloudtrail\s+(?:stop-logging|delete-trail)|guardduty\s+delete-detector|configservice\s+stop-configuration-recorder)\b/g,
    'critical',
  ],
  [/\bgcloud\s+logging\s+sinks\s+delete\b|\baz\s+monitor\s+diagnostic-settings\s+delete\b/g, 'warn'],
  [
    /\bdocker\s+run\b[^\n]{0,160}(?:--privileged\b[^\n]{0,120}\s-v\s*\/:|-v\s*\/:\/\w*[^\n]{0,120}--privileged|-v\s*\/:\/\w+[^\n]{0,80}chroot)/g,
    'critical',
  ],
  [/\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx?)\s+\/(?:etc|usr|bin|var|home|root)?(?=[\s"'`*]|$)/gm, 'critical'],
  [/\bchmod\s+(?:-R\s+)?0?777\s+\/(?!tmp\b|dev\/shm|path|app\b|workspace)\w[^\s"'`]{1,80}/g, 'warn'],
  [/\bchmod\s+(?:0?666|0?777|a\+w)\s+\/etc\/(?:passwd|shadow|sudoers)\b/g, 'critical'],
  [
    /\b(?:kill(?:all)?|pkill)\s+(?:-\S+\s+){0,2}(?:-f\s+)?(?:falcon\w*|auditd|osqueryd|clamd|mdatp|sentinel\w*|cbdaemon|wazuh\w*|falco)\b/gi,
    'critical',
  ],
  [
    /\b(?:apt-get|apt|yum|dnf|brew)\s+(?:-y\s+)?(?:remove|purge|uninstall|erase)\s+(?:-y\s+)?(?:auditd|falco|clamav\S*|fail2ban|apparmor|ufw|firewalld|crowdstrike\S*|wazuh-agent|osquery)\b/g,
    'critical',
  ],
  [
    /["']?(?:defaultMode|permission_?mode|approval_?policy)["']?\s*[:=]\s*["']?(?:bypassPermissions|bypass|yolo|never)\b|\bautoApprove["']?\s*[:=]\s*(?:true|\[\s*["']\*)|["'](?:disableAllHooks|enableAllProjectMcpServers|skipDangerousModePermissionPrompt)["']\s*:\s*true/gi,
    'critical',
  ],
  [/--dangerously-skip-permissions\b|--dangerously-bypass-approvals-and-sandbox\b|--yolo\b/g, 'warn'],
  [
    /["']?\b(?:allow_all(?:_tools)?|skip_confirmations?|auto_approve(?:_all)?|bypass_(?:approvals?|permissions?|sandbox))["']?\s?[:=]\s?true|\b[A-Z_]{0,30}(?:ALLOW_ALL_TOOLS=(?:true|1)|(?:ENFORCEMENT|APPROVALS?|SANDBOX_MODE|POLICY_CHECKS?)=(?:disabled|off|none|0|false))\b/g,
    'critical',
  ],
  [/["']Bash\(\*(?::\*)?\)["']|\ballowed-tools\s*:\s*["']?\*["']?\s*$/gm, 'warn'],
  [/\bgit\s+config\s+(?:--global\s+)?http\.sslVerify\s+(?:false|0)\b|\bGIT_SSL_NO_VERIFY=(?:1|true)\b/gi, 'warn'],
  [/\bNODE_TLS_REJECT_UNAUTHORIZED['"\]]{0,3}\s{0,3}[=:]\s{0,3}['"]?0/g, 'warn'],
  [
    /\bnpm\s+(?:config\s+)?set\s+strict-ssl\s+false\b|\bPYTHONHTTPSVERIFY=0\b|ssl\._create_default_https_context\s*=\s*ssl\._create_unverified_context/g,
    'warn',
  ],
  [
    /\bStrictHostKeyChecking[= ]no\b|\bcurl\b[^\n|]{0,60}\s(?:-k|--insecure)\b|\b--no-check-certificate\b|\bverify\s*=\s*False\b|\bExecutionPolicy\s+(?:Bypass|Unrestricted)\b|\bxattr\s+-[a-z]{0,4}\s+com\.apple\.quarantine/gi,
    'warn',
  ],
  [
    /\b(?:gh\s+api\b[^\n]{0,120}branches\/\S+\/protection\b[^\n]{0,60}-X\s*DELETE|gh\s+api\b[^\n]{0,40}-X\s*DELETE[^\n]{0,120}branches\/\S+\/protection)\b/g,
    'critical',
  ],
  [
    /\bkubectl\s+create\s+clusterrolebinding\b[^\n]{0,160}cluster-admin[^\n]{0,120}(?:anonymous|unauthenticated|:default\b)/g,
    'critical',
  ],
  [
    /\bpasswd\s+-d\s+root\b|\bPermitRootLogin\s+yes\b[^\n]{0,80}PermitEmptyPasswords\s+yes|\bPermitEmptyPasswords\s+yes\b/g,
    'critical',
  ],
  [/\bsystemctl\s+(?:stop|disable)\s+(?:systemd-)?journald\b/g, 'critical'],
]

const switchesOff: Rule = {
  code: 'shell_safeguard_disabled',
  severity: 'critical',
  says: 'switches off a safeguard or wipes traces',
  *find(reading: Reading): Iterable<Match> {
    for (const [pattern, severity] of SWITCHES)
      for (const found of reading.text.matchAll(pattern))
        yield { start: found.index, end: found.index + Math.max(1, found[0].length), severity }
  },
}

export const SAFEGUARD_RULES: readonly Rule[] = [switchesOff]
