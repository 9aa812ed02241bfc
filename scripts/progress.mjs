/** Milliseconds between two looks at the progress: on a terminal, and where each look is a line of a log. */
const LOOK_MS = { terminal: 500, log: 10_000 }
const BAR = 20
/** Share of the work and milliseconds from which on the rest is estimated: before, one package decides. */
const ESTIMATED_FROM = { share: 0.05, ms: 3000 }

/**
 * Runs `work`, printing on stderr what it is and in the end how long it took. Meanwhile a terminal shows one line with a
 * bar, and a log gets a line every ten seconds. `progress` returns the share that is done, from 0 to 1, and in words what
 * that is; how long the rest takes is estimated from it, since machines differ by a factor of ten. The caller reports
 * failures.
 */
export async function tell(what, work, progress) {
  const { stderr } = process
  const began = Date.now()
  let last = { share: -1, ms: 0 }
  const line = () => {
    const { share, words } = progress()
    const ms = Date.now() - began
    if (share !== last.share) last = { share, ms }
    return `setup: ${what} ${describe({ ...last, words }, ms)}`
  }
  // A line that wraps could not be overwritten.
  const rewrite = () => stderr.write(`\r\x1b[K${line().slice(0, (stderr.columns || 80) - 1)}`)
  if (!stderr.isTTY) stderr.write(`setup: ${what} …\n`)
  const ticker = stderr.isTTY
    ? setInterval(rewrite, LOOK_MS.terminal)
    : setInterval(() => stderr.write(`${line()}\n`), LOOK_MS.log)
  try {
    await work()
  } finally {
    clearInterval(ticker)
    if (stderr.isTTY) stderr.write('\r\x1b[K')
  }
  stderr.write(`setup: ${what}: done in ${secondsOf(Date.now() - began)}\n`)
}

/**
 * Returns a bar, what is done, the time `now` since the beginning, and the time that the rest takes at the speed until
 * `ms`, when `share` was reached; not where that time is over already.
 */
export function describe({ share, words, ms }, now) {
  const full = Math.floor(share * BAR)
  const bar = `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}]`
  const left = ms / share - now
  const isEstimated = share >= ESTIMATED_FROM.share && ms >= ESTIMATED_FROM.ms && left > 0
  return `${bar} ${[words, secondsOf(now), ...(isEstimated ? [`some ${secondsOf(left)} left`] : [])].join(', ')}`
}

function secondsOf(ms) {
  return `${Math.round(ms / 1000)} s`
}
