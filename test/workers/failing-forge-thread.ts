import { serveTasks } from '../../runtime/threads/serve-tasks.js'

/** Dies at the first page. */
serveTasks({ add: () => process.exit(1) })
