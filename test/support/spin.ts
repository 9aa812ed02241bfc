/** Has the processor until the process has used about these milliseconds of it. */
export function spin(ms: number): void {
  const from = process.cpuUsage()
  for (let used = 0; used < ms * 1_000;) {
    const { user, system } = process.cpuUsage(from)
    used = user + system
  }
}
