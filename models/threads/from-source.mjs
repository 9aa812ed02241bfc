// A thread's first file when the sources run as they are (tests, development): tsx, then the thread itself.
import { register } from 'tsx/esm/api'

register()
await import(process.argv[2])
