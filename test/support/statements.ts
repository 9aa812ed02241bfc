import pg from 'pg'

/** Returns the statements that this process sends to PostgreSQL while the work runs, in their order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = []
  const client = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown }
  const { query } = client
  client.query = function (this: unknown, ...args: unknown[]) {
    const [config] = args
    texts.push(typeof config === 'string' ? config : (config as { text: string }).text)
    return query.apply(this, args)
  }
  try {
    await work()
  } finally {
    client.query = query
  }
  return texts
}
