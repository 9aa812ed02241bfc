import { expect } from 'chai'
import type { ServiceContext } from '../../services/context.js'
import { recallAs, withoutRecallCounts } from '../../bench/ablation.js'
import { switches } from '../../bench/switches.js'
import { WEIGHTS } from '../../domain/ranking/weights.js'
import { LEGS } from '../../search/search-index.js'
import { settled } from '../support/indexed.js'
import { newTenant } from '../support/tenants.js'
import { createMovingClock } from '../support/moving-clock.js'
import { ownService } from '../support/shared-service.js'

const DAY = 86_400_000
const QUERY = 'When did Ana see the fox, 狐狸, beside Orion on 7 May 2023?'

describe('bench/switches', () => {
  const clock = createMovingClock()
  const service = ownService({ clock })
  const asker = { tenantId: '', agentId: 'ana', fleetId: 'red' }

  before(async () => {
    const tenant = newTenant(service())
    asker.tenantId = tenant.id
    const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
    const inRun = (date: string) => ({ run_id: 'walk', ts_valid_start: `${date}T10:00:00Z` })
    await ben.memories.create({ content: 'We set out for the hills.', ...inRun('2021-01-01') }).ok()
    await ana.memories
      .create({
        content: 'A fox (狐狸) sat there, as last Thursday.',
        entity_links: [{ name: 'Orion' }, { name: 'Rigel' }],
        ...inRun('2023-05-07'),
      })
      .ok()
    await ben.memories.create({ content: 'Nobody spoke of it afterwards.', ...inRun('2024-03-09') }).ok()
    await ben.memories.create({ content: 'Hares are shy.', entity_links: [{ name: 'Rigel' }] }).ok()
    await settled(service())
    clock.advance(100 * DAY)
  })

  const recallWith = async (context: ServiceContext) => {
    const { memories } = await recallAs(context, asker, { query: QUERY, explain: true })
    const found = (beginning: string) => {
      const memory = memories.find(({ content }) => content.startsWith(beginning))
      if (!memory?.score) throw new Error(`no ${beginning}`)
      return { ...memory, score: memory.score, explanation: memory.explanation!, parts: memory.score_parts! }
    }
    return { memories, fox: found('A fox'), found }
  }
  const everything = () => withoutRecallCounts(service().context)
  const without = (name: string, context = everything()) =>
    switches()
      .find((one) => one.name === name)!
      .off(context)

  it('starts from a memory that every kind of evidence and every leg supports', async () => {
    const { fox, found } = await recallWith(everything())
    // A memory is linked to what the query names, or is a hop away.
    const kinds = [...fox.explanation.evidence, ...found('Hares').explanation.evidence].map(({ kind }) => kind)
    expect(fox.explanation.evidence).to.have.length(Object.keys(WEIGHTS).length - 1)
    expect(new Set(kinds).size).to.equal(Object.keys(WEIGHTS).length)
    expect(fox.explanation.legs).to.include.members([...LEGS])
    expect(fox.explanation.neighbours).to.have.length(2)
  })

  for (const kind of Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[])
    it(`removes from the score what ${kind} adds, and nothing else`, async () => {
      const about = kind === 'hop' ? 'Hares' : 'A fox'
      const before = (await recallWith(everything())).found(about)
      const after = (await recallWith(without(kind))).found(about)
      const { evidence } = before.explanation
      const all = evidence.reduce((sum, { adds }) => sum + adds, 0)
      const { adds } = evidence.find((one) => one.kind.replace('_', '') === kind.toLowerCase())!
      expect(adds).to.be.above(0)
      expect(after.score / before.score).to.be.closeTo(1 - adds / (all + 0.01), 0.001)
    })

  for (const leg of LEGS)
    it(`finds nothing by the ${leg} leg, and still by the others`, async () => {
      const { memories, fox } = await recallWith(without(`${leg} leg`))
      expect(memories.flatMap(({ explanation }) => explanation!.legs)).not.to.include(leg)
      expect(fox.explanation.legs).to.include.members(LEGS.filter((other) => other !== leg))
    })

  it('returns nothing that is only next to a hit, and scores none by its neighbours', async () => {
    // Switches off the legs that find everything in so small a store.
    const byWords = without('entity leg', without('vector leg'))
    const { memories: withThem } = await recallWith(byWords)
    expect(withThem.flatMap(({ explanation }) => explanation!.legs)).to.include('context')
    const { memories, fox } = await recallWith(without('neighbours', byWords))
    expect(memories.flatMap(({ explanation }) => explanation!.legs)).not.to.include('context')
    expect(fox.explanation.neighbours).to.be.empty
  })

  it('treats every memory as new', async () => {
    expect((await recallWith(everything())).fox.parts.freshness).to.be.below(1)
    expect((await recallWith(without('freshness'))).fox.parts.freshness).to.equal(1)
  })

  it('leaves the service unchanged', async () => {
    const before = await recallWith(everything())
    for (const { off } of switches()) await recallWith(off(everything()))
    const after = await recallWith(everything())
    expect(after.fox.explanation).to.deep.equal(before.fox.explanation)
    expect(after.fox.parts.recall_boost).to.equal(1)
  })
})
