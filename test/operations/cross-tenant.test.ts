import { expect } from 'chai'
import { withConnection } from '../../store/connection.js'
import { describeCrossTenant } from '../behaviours/cross-tenant.test.js'
import { shareService } from '../support/shared-service.js'

describe('tenant isolation', () => {
  describeCrossTenant(shareService())

  describe('by the statements alone, with row level security disabled', () => {
    const service = shareService()
    before(async () => {
      await withConnection(service().databaseUrl, async (client) => {
        const { rows } = await client.query<{ name: string }>(
          `select tablename as name from pg_policies where policyname = 'tenant' and schemaname = current_schema()`,
        )
        expect(rows).to.not.have.length(0)
        for (const { name } of rows) await client.query(`alter policy tenant on ${name} using (true) with check (true)`)
      })
    })
    describeCrossTenant(service)
  })
})
