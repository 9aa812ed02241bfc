import { DELETION_RULES } from './deletion.js'
import { DEPENDENCY_RULES } from './dependencies.js'
import { DOWNLOAD_RULES } from './downloads.js'
import { EXECUTION_RULES } from './execution.js'
import { EXFILTRATION_RULES } from './exfiltration.js'
import { HARM_RULES } from './harm.js'
import { HARNESS_RULES } from './harness.js'
import { INJECTION_RULES } from './injection.js'
import { LURE_RULES } from './lures.js'
import { MALWARE_RULES } from './malware.js'
import { PATH_RULES } from './paths.js'
import { PERSISTENCE_RULES } from './persistence.js'
import { RENDERING_RULES } from './rendering.js'
import type { Rule } from './rule.js'
import { SAFEGUARD_RULES } from './safeguards.js'

/** The rules for texts as they are read, decoded or plain; what they find is judged by its context. */
export const RULES: readonly Rule[] = [
  ...INJECTION_RULES,
  ...HARM_RULES,
  ...DOWNLOAD_RULES,
  ...DEPENDENCY_RULES,
  ...DELETION_RULES,
  ...EXECUTION_RULES,
  ...PERSISTENCE_RULES,
  ...SAFEGUARD_RULES,
  ...EXFILTRATION_RULES,
  ...RENDERING_RULES,
  ...PATH_RULES,
  ...LURE_RULES,
  ...MALWARE_RULES,
  ...HARNESS_RULES,
]
