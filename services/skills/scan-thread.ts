import { loadLexicon } from '../../domain/scan/lexicon/find-concepts.js'
import { scanSkill } from '../../domain/scan/scan-skill.js'
import { serveTasks } from '../../runtime/threads/serve-tasks.js'

/** The thread of `createSkillScanner`: the only file of the service that imports the rules of the scan. */
const tasks = {
  load: () => loadLexicon(),
  scan: scanSkill,
}
export type ScanTasks = typeof tasks

serveTasks(tasks)
