import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import mocha from 'mocha'

const { Base, Spec } = mocha.reporters
/** The file that receives how long each test file took, in milliseconds with its hooks; none unless a caller asks. */
const TIMES = process.env.CAIRN_TEST_TIMES

/**
 * Prints what mocha's `spec` prints and, after the failures, the files that they are in. A signal ends the test that runs
 * and the run after it, with its hooks, so that nothing that tests have started is left, and with its summary.
 */
export default class extends Spec {
  constructor(runner, options) {
    super(runner, options)
    if (TIMES) writeTimes(runner)
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => this.#stop(runner))
  }

  #stop(runner) {
    // Mocha passes one signal on as two.
    if (this.stopped) return
    this.stopped = runner.currentRunnable
    runner.abort()
    this.stopped?.timeout(1)
  }

  /** Ends the process of a run that was stopped: what the test waits for would keep it. */
  done(failures, end) {
    end(failures)
    if (this.stopped) process.exit(1)
  }

  epilogue() {
    // Its time was up for no fault of its own.
    const at = this.stopped ? this.failures.indexOf(this.stopped) : -1
    if (at >= 0) {
      this.failures.splice(at, 1)
      this.stats.failures--
    }
    super.epilogue()
    if (this.stopped) Base.consoleLog('  Stopped at: %s\n', this.stopped.fullTitle())
    if (this.failures.length === 0) return
    const files = new Set(this.failures.map(fileOf))
    Base.consoleLog('  Failing files:')
    for (const file of files) Base.consoleLog('    %s', file)
    Base.consoleLog()
  }
}

/** Writes the times of the files at the end of the run. A suite of its file has the suites of the whole run as parent. */
function writeTimes(runner) {
  const times = {}
  let since
  runner.on('suite', (suite) => {
    if (suite.parent?.root) since = Date.now()
  })
  runner.on('suite end', (suite) => {
    if (!suite.parent?.root) return
    const file = fileOf(suite)
    times[file] = (times[file] ?? 0) + Date.now() - since
  })
  runner.once('end', () => writeFileSync(TIMES, JSON.stringify(times)))
}

/** Returns the file of a test, or of the suite whose hook failed. */
function fileOf(failed) {
  for (let at = failed; at; at = at.parent) if (at.file) return relative('.', at.file)
  return 'a hook of the whole run'
}
