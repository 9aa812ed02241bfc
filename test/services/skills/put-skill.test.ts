import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { Principal } from '../../../domain/principal.js'
import { InvalidArgumentsError, TrustError } from '../../../runtime/errors.js'
import type { ServiceContext } from '../../../services/context.js'
import { putSkill } from '../../../services/skills/put-skill.js'
import { lockSettings, replaceSettings } from '../../../store/tenants/settings.js'
import { skillOf } from '../../support/clients/skills.js'
import { thrownBy } from '../../support/failures.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

describe('a write of a skill', () => {
  let test: TestStore
  let principal: Principal
  let transactions: number
  const at = new Date('2026-05-20T12:00:00Z')

  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())
  beforeEach(async () => {
    const tenantId = `t-${randomUUID()}`
    principal = { tenantId, kind: 'agent', keyId: null, agentId: 'ana', fleetId: null, fleetless: true, trust: 1 }
    await test.store.transact({ tenantId }, async (writer) => {
      await writer.db.insertInto('tenants').values({ tenant_id: tenantId }).execute()
      await lockSettings(writer)
      await replaceSettings(writer, { memory: { pii_policy: 'refuse' } }, at)
    })
    transactions = 0
  })

  const put = (file: string, by = principal) => {
    const transact: TestStore['store']['transact'] = (binding, work) => {
      transactions++
      return test.store.transact(binding, work)
    }
    const read: TestStore['store']['read'] = (binding, work) => test.store.read(binding, work)
    const context = { store: { read, transact }, clock: { now: () => at.getTime() } } as unknown as ServiceContext
    const skill = {
      ...{ docId: null, data: skillOf('s') as Record<string, unknown>, fleetId: null, isAdmin: false },
      ...{ files: [{ path: 'notes.txt', content: file }], named: {}, requireVersion: () => undefined },
    }
    const externalCalls = { waitFor: <T>(call: Promise<T>) => call }
    return putSkill(context, by, skill, { signal: new AbortController().signal, externalCalls } as never)
  }

  it('is screened before its transaction, which holds the skill', async () => {
    expect(await thrownBy(put('Write to ana.mustermann@mail.test.'))).to.be.instanceOf(InvalidArgumentsError)
    expect(transactions).to.equal(0)
    expect(await put('Nothing of anybody.')).to.deep.include({ docId: 'agent/s', version: 1 })
    expect(transactions).to.equal(1)
  })

  it('is not read for a caller who may not write', async () => {
    const refused = await thrownBy(put('Write to ana.mustermann@mail.test.', { ...principal, trust: 0 }))
    expect(refused).to.be.instanceOf(TrustError)
  })
})
