import { relative } from 'node:path'
import mocha from 'mocha'

const { Base, Spec } = mocha.reporters

/** Prints what mocha's `spec` prints and, after the failures, the files that they are in. */
export default class extends Spec {
  epilogue() {
    super.epilogue()
    if (this.failures.length === 0) return
    const files = new Set(this.failures.map(fileOf))
    Base.consoleLog('  Failing files:')
    for (const file of files) Base.consoleLog('    %s', file)
    Base.consoleLog()
  }
}

/** Returns the file of a test, or of the suite whose hook failed. */
function fileOf(failed) {
  for (let at = failed; at; at = at.parent) if (at.file) return relative('.', at.file)
  return 'a hook of the whole run'
}
