/**
 * Runs `work`, saying on stderr what it is and at its end how long it took. On a terminal one line is written anew meanwhile, with what
 * `state` returns. A failure is the caller's to tell.
 */
export async function tell(what, work, state = () => '') {
  const { stderr } = process
  const began = Date.now()
  const seconds = () => Math.round((Date.now() - began) / 1000)
  // One that wraps could not be written over.
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
