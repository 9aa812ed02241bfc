import { screenPersonalData } from '../domain/personal-data/screen.js'
import { serveTasks } from '../runtime/threads/serve-tasks.js'

const tasks = { screen: screenPersonalData }
export type ScreeningTasks = typeof tasks

serveTasks(tasks)
