// The thread's first file when the sources run uncompiled (tests, development): registers tsx, then loads the worker.
import { register } from 'tsx/esm/api'

register()
await import('./worker.ts')
