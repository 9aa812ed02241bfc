// A thread's first file when the sources run uncompiled (tests, development): registers tsx, then loads the thread
// itself.
import { register } from 'tsx/esm/api'

register()
await import(process.argv[2])
