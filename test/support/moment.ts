/** Returns a moment at which everything that was answered before is stored, and before everything that is sent afterwards. */
export async function moment(): Promise<string> {
  const at = Date.now() + 1
  while (Date.now() <= at) await new Promise((resolve) => setImmediate(resolve))
  return new Date(at).toISOString()
}
