import type { Operation } from '../operation.js'
import { runForge } from './runForge.js'

/** Answers at the path without a version, where operators' schedulers call it. */
export const fanOutForge: Operation<'fanOutForge'> = runForge
