import pg from 'pg'

/** Returns the statements that this process sends to PostgreSQL while the work runs, in their order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await record(work)).map(({ text }) => text)
}

/**
 * Returns the statements of one transaction that the work runs: those between `begin` and `commit` on the connection that
 * sends a text with `part` first. What other connections do meanwhile is left out.
 */
export async function transactionOf(work: () => Promise<unknown>, part: string): Promise<string[]> {
  const statements = await record(work)
  const at = statements.findIndex(({ text }) => text.includes(part))
  if (at === -1) throw new Error(`no statement contains ${part}`)
  const { client } = statements[at]!
  const own = (from: readonly Statement[]) => from.filter((one) => one.client === client).map(({ text }) => text)
  const [before, after] = [own(statements.slice(0, at)), own(statements.slice(at))]
  const begun = before.findLastIndex((text) => text.startsWith('begin'))
  return [...before.slice(begun), ...after.slice(0, after.indexOf('commit'))]
}

interface Statement {
  readonly client: unknown
  readonly text: string
}

async function record(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = []
  const client = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown }
  const { query } = client
  client.query = function (this: unknown, ...args: unknown[]) {
    const [config] = args
    statements.push({ client: this, text: typeof config === 'string' ? config : (config as { text: string }).text })
    return query.apply(this, args)
  }
  try {
    await work()
  } finally {
    client.query = query
  }
  return statements
}
