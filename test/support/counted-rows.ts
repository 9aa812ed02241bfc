import { runSql } from './run-sql.js'
import type { TestService } from './service.js'

/** Statistics of memories. */
export interface Counts {
  readonly total: number
  readonly by_type: Readonly<Record<string, number>>
  readonly by_agent: Readonly<Record<string, number>>
  readonly by_status: Readonly<Record<string, number>>
}

interface CountedRow {
  readonly memory_type: string
  readonly agent_id: string | null
  readonly status: string
}

/** Counts the same row by row. */
export function countRows(rows: readonly CountedRow[]): Counts {
  const by = (column: keyof CountedRow) => {
    const counts: Record<string, number> = {}
    for (const row of rows) counts[row[column] ?? '(none)'] = (counts[row[column] ?? '(none)'] ?? 0) + 1
    return counts
  }
  return { total: rows.length, by_type: by('memory_type'), by_agent: by('agent_id'), by_status: by('status') }
}

/** Counts a tenant's rows in the database; `where` narrows them. */
export async function scanMemories(service: TestService, tenantId: string, where = 'true'): Promise<Counts> {
  const rows = await runSql<CountedRow>(
    service.databaseUrl,
    `select memory_type, agent_id, status from memories where tenant_id = $1 and ${where}`,
    [tenantId],
  )
  return countRows(rows)
}
