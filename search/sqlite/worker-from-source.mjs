// The thread's first file when the sources run as they are (tests, development): tsx, then the worker itself.
import { register } from 'tsx/esm/api'

register()
await import('./worker.ts')
