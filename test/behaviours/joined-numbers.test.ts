import { expect } from 'chai'
import { describeOnEachProfile } from '../support/profiles.js'
import { settled } from '../support/indexed.js'
import { sharedService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'

const KINDS = {
  'a telephone number': ['01701234567', '+49 (0)170 123-4567', (i: number) => `+49 (0)17${i} 12${i}-45${i}7`],
  'an ISBN': ['9783161484100', '978-3-16-148410-0', (i: number) => `978-3-1${i}-14841${i}-${i}`],
  thousands: ['10000', '10,000', (i: number) => `${i + 1}0,${i}00`],
  'a code': ['PO202400132', 'PO-2024-00132', (i: number) => `PO-2024-0013${i + 3}`],
} as const

/** Recalls numbers whose separators the query leaves out. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  const plain = (number: string) => number.replace(/[^A-Za-z0-9]/g, '')

  for (const [kind, [joined, grouped, other]] of Object.entries(KINDS))
    for (const [query, wanted, others] of [
      [joined, grouped, other],
      [grouped, joined, (i: number) => plain(other(i))],
    ] as const)
      it(`finds ${kind} written as ${wanted} by ${query} among others, before and after it is indexed`, async () => {
        const tenant = newTenant(service())
        const ana = await tenant.caller({ agentId: 'ana' })
        const numbers = [...Array.from({ length: 7 }, (_, i) => others(i + 1)), wanted]
        const items = numbers.map((number, i) => ({ content: `The entry of customer ${'ABCDEFGX'[i]} is ${number}.` }))
        await ana.memories.createMany(items).ok()
        for (const isIndexed of [false, true]) {
          if (isIndexed) await settled(service(), tenant.id)
          expect((await ana.memories.recallContents(query))[0], `indexed: ${isIndexed}`).to.include(wanted)
        }
      })
})
