const FOR_PROSE =
  'Say who asks for this and why, or leave it out. A reviewer sees the words and decides; an approval clears the flag.'
const FOR_COMMANDS =
  'Give the command with a fixed target, ask for a confirmation before it, or leave it out. A reviewer at trust 3 may overrule it with a reason.'
const FOR_DATA_OUT =
  'Send only what the task needs, to the host that it is meant for, and name both. A reviewer at trust 3 may overrule it with a reason.'
const FOR_HIDDEN = 'Remove the characters, or write in plain sight what they say.'

/** The codes of findings, and what an author can do about one. */
const ADVICE = {
  prompt_override: FOR_PROSE,
  prompt_role: FOR_PROSE,
  prompt_concealment: FOR_PROSE,
  prompt_leak: FOR_PROSE,
  prompt_tool_misuse: FOR_PROSE,
  prompt_false_report: FOR_PROSE,
  prompt_replication: FOR_PROSE,
  prompt_remote_instructions: FOR_PROSE,
  prompt_markers: 'Leave out the marks of a chat template, or show them in a code block.',
  harmful_instruction: FOR_PROSE,
  shell_piped_download:
    'Name a package manager, or download to a file, check its sum and then run it. A reviewer at trust 3 may overrule it with a reason.',
  shell_recursive_delete: FOR_COMMANDS,
  shell_disk_overwrite: FOR_COMMANDS,
  shell_encoded_execution: 'Write the command in plain text.',
  shell_reverse_shell: FOR_COMMANDS,
  shell_fork_bomb: FOR_COMMANDS,
  shell_persistence: 'Ask the user to install what starts by itself, and show what is installed.',
  shell_safeguard_disabled: 'Say where the safeguard may be off (a local test), or leave the option out.',
  exfiltration: FOR_DATA_OUT,
  credential_harvest: 'Name the one credential that the task needs, and use it without showing it.',
  dependency_source:
    'Name a public registry, or say who stands behind the index. A reviewer at trust 3 may overrule it with a reason.',
  harness_command: 'Leave it out: let the agent run the command, where a person sees it.',
  lure: 'Name a package manager, or the page of the makers. A reviewer at trust 3 may overrule it with a reason.',
  surveillance: 'Record only what the user asks for while he sees it, and say where it is kept.',
  exfiltration_host: FOR_DATA_OUT,
  exfiltration_image: 'Load images from fixed addresses.',
  secret: 'Revoke the secret, and name the variable or the store that holds it instead.',
  hidden_invisible: FOR_HIDDEN,
  hidden_bidi: FOR_HIDDEN,
  hidden_homoglyphs: 'Write the word with the letters of one script.',
  hidden_comment: 'Write in plain sight what the comment tells the agent, or leave it out.',
  hidden_style: 'Write the text where its reader sees it.',
  hidden_control: FOR_HIDDEN,
  unread_code: 'Write the code in its plain form, with its brackets closed.',
  path_escape: "Name paths inside the skill's folder.",
  personal_data: 'Replace the data of a person by an example.',
  citation_stuffing: 'Keep the citations that somebody will follow.',
  size: 'Move parts into files beside the skill, or make it shorter.',
  findings_left_out: 'Mend the listed findings first.',
} as const

export type FindingCode = keyof typeof ADVICE
export const FINDING_CODES = Object.keys(ADVICE) as readonly FindingCode[]

/** Returns what an author can do about a finding of a code. */
export function adviceFor(code: FindingCode): string {
  return ADVICE[code]
}
