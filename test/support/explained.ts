import { type CompiledQuery, type QueryId, type RootOperationNode, sql } from 'kysely'
import pg from 'pg'
import type { Reader } from '../../store/store.js'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

/** The execution of one statement. */
interface Plan {
  readonly text: string
  /** Indices that were read, and tables that were read as a whole. */
  readonly indices: readonly string[]
  readonly scans: readonly string[]
  /** Rows read from tables and indices. */
  readonly rowsRead: number
  readonly json: string
}

/**
 * Returns the reader with every statement explained after it is executed: prepared, as the store's own are, so that the
 * plan is the one that is chosen without the values.
 */
export function explainStatements(reader: Reader): { reader: Reader; plans: Plan[] } {
  const plans: Plan[] = []
  const nodes = new WeakMap<QueryId, RootOperationNode>()
  const db = reader.db.withPlugin({
    transformQuery({ node, queryId }) {
      nodes.set(queryId, node)
      return node
    },
    async transformResult({ result, queryId }) {
      plans.push(await explain(reader, reader.db.getExecutor().compileQuery(nodes.get(queryId)!, queryId)))
      return result
    },
  })
  return { reader: { ...reader, db }, plans }
}

let prepared = 0

async function explain({ db }: Reader, { sql: text, parameters }: CompiledQuery): Promise<Plan> {
  const name = `explained_${++prepared}`
  await sql.raw(`prepare ${name} as ${text}`).execute(db)
  const values = parameters.length > 0 ? `(${parameters.map(literal).join(', ')})` : ''
  const { rows } = await sql
    .raw<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, timing off, format json) execute ${name}${values}`)
    .execute(db)
  const nodes = nodesOf(rows[0]!['QUERY PLAN'][0].Plan)
  const reading = nodes.filter((node) => node['Index Name'] !== undefined || node['Relation Name'] !== undefined)
  return {
    text,
    indices: reading.flatMap((node) => node['Index Name'] ?? []),
    scans: reading.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']!),
    rowsRead: reading.reduce((sum, node) => sum + rowsOf(node), 0),
    json: JSON.stringify(rows[0]!['QUERY PLAN'], null, 1),
  }
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

function rowsOf(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return (node['Actual Rows'] + removed) * node['Actual Loops']
}

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((one) => JSON.stringify(one)).join(',')}}`)
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}
