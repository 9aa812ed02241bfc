import { repairParser } from '../../domain/scan/code/syntax-tree.js'
import { loadLexicon } from '../../domain/scan/lexicon/find-concepts.js'
import { scanSkill } from '../../domain/scan/scan-skill.js'
import { serveTasks } from '../../runtime/threads/serve-tasks.js'

/** The thread of `createSkillScanner`: the only file of the service that imports the rules of the scan. */
const tasks = {
  async load() {
    loadLexicon()
    await repairParser()
  },
  scan: scanSkill,
}
export type ScanTasks = typeof tasks

serveTasks(tasks)
