import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
export const collectGarbage = runInNewContext('gc') as () => void

/** Returns the bytes on the heap after a full garbage collection. */
export function usedHeap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}
