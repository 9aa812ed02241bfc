/**
 * Runs `work`, printing on stderr what it is and in the end how long it took. On a terminal one line is rewritten
 * meanwhile, with what `state` returns. The caller reports failures.
 */
export async function tell(what, work, state = () => '') {
  const { stderr } = process
  const began = Date.now()
  const seconds = () => Math.round((Date.now() - began) / 1000)
  // A line that wraps could not be overwritten.
  const fitted = (text) => text.slice(0, (stderr.columns || 80) - 1)
  const line = () =>
    stderr.write(`\r\x1b[K${fitted(`setup: ${what} … ${[state(), `${seconds()} s`].filter(Boolean).join(', ')}`)}`)
  if (!stderr.isTTY) stderr.write(`setup: ${what} …\n`)
  const ticker = stderr.isTTY ? setInterval(line, 500) : undefined
  try {
    await work()
  } finally {
    clearInterval(ticker)
    if (stderr.isTTY) stderr.write('\r\x1b[K')
  }
  stderr.write(`setup: ${what}: done in ${seconds()} s\n`)
}
