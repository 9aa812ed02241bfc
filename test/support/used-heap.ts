import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Returns the bytes on the heap after a full garbage collection. */
export function usedHeap(): number {
  collect()
  return process.memoryUsage().heapUsed
}
