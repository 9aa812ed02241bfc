import { expect } from 'chai'
import type { ApiContext } from '../../api/context.js'
import { recallAs, uncounted } from '../../bench/ablation.js'
import { switches } from '../../bench/switches.js'
import { WEIGHTS } from '../../domain/ranking/weights.js'
import { LEGS } from '../../search/search-index.js'
import { newTenant, settled } from '../support/caller.js'
import { createMovingClock } from '../support/moving-clock.js'
import { shareService } from '../support/shared-service.js'

const DAY = 86_400_000
const QUERY = 'When did Ana see the fox beside Orion on 7 May 2023?'

describe('bench/switches', () => {
  const clock = createMovingClock()
  const service = shareService({ clock })
  const asker = { tenantId: '', agentId: 'ana', fleetId: 'red' }

  before(async () => {
    const tenant = newTenant(service())
    asker.tenantId = tenant.id
    const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
    const inRun = (date: string) => ({ run_id: 'walk', ts_valid_start: `${date}T10:00:00Z` })
    await ben.remember({ content: 'We set out for the hills.', ...inRun('2021-01-01') })
    await ana.remember({
      content: 'A fox sat there, as last Thursday.',
      entity_links: [{ name: 'Orion' }, { name: 'Capella' }],
      ...inRun('2023-05-07'),
    })
    await ben.remember({ content: 'A badger slept there.', entity_links: [{ name: 'Capella' }] })
    await ben.remember({ content: 'Nobody spoke of it afterwards.', ...inRun('2024-03-09') })
    await settled(service())
    clock.advance(100 * DAY)
  })

  const recallWith = async (context: ApiContext, named = 'A fox') => {
    const { memories } = await recallAs(context, asker, { query: QUERY, explain: true })
    const memory = memories.find(({ content }) => content.startsWith(named))
    if (!memory?.score) throw new Error(`no ${named}`)
    const found = { ...memory, score: memory.score, explanation: memory.explanation!, parts: memory.score_parts! }
    return { memories, found }
  }
  const everything = () => uncounted(service().context)
  const without = (name: string, context = everything()) =>
    switches()
      .find((one) => one.name === name)!
      .off(context)

  it('starts from a memory that every leg and every kind of evidence speaks for, but for the hop that leads away from it', async () => {
    const { found: fox } = await recallWith(everything())
    expect(fox.explanation.evidence).to.have.length(Object.keys(WEIGHTS).length - 1)
    expect(fox.explanation.legs).to.include.members([...LEGS])
    expect(fox.explanation.neighbours).to.have.length(2)
  })

  for (const kind of Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[])
    it(`takes from the score what ${kind} adds, and nothing else`, async () => {
      const named = kind === 'hop' ? 'A badger' : 'A fox'
      const { found: before } = await recallWith(everything(), named)
      const { found: after } = await recallWith(without(kind), named)
      const { evidence } = before.explanation
      const all = evidence.reduce((sum, { adds }) => sum + adds, 0)
      const { adds } = evidence.find((one) => one.kind.replace('_', '') === kind.toLowerCase())!
      expect(adds).to.be.above(0)
      expect(after.score / before.score).to.be.closeTo(1 - adds / (all + 0.01), 0.001)
    })

  for (const leg of LEGS)
    it(`finds nothing by the ${leg} leg, and still by the others`, async () => {
      const { memories, found: fox } = await recallWith(without(`${leg} leg`))
      expect(memories.flatMap(({ explanation }) => explanation!.legs)).not.to.include(leg)
      expect(fox.explanation.legs).to.include.members(LEGS.filter((other) => other !== leg))
    })

  it('shows nothing that only stands beside a hit, and scores none by its neighbours', async () => {
    // Without the legs that find everything in so small a store.
    const byWords = without('entity leg', without('vector leg'))
    const { memories: withThem } = await recallWith(byWords)
    expect(withThem.flatMap(({ explanation }) => explanation!.legs)).to.include('context')
    const { memories, found: fox } = await recallWith(without('neighbours', byWords))
    expect(memories.flatMap(({ explanation }) => explanation!.legs)).not.to.include('context')
    expect(fox.explanation.neighbours).to.be.empty
  })

  it('takes every memory for new', async () => {
    expect((await recallWith(everything())).found.parts.freshness).to.be.below(0.9)
    expect((await recallWith(without('freshness'))).found.parts.freshness).to.equal(1)
  })

  it('leaves the service as it is', async () => {
    const before = await recallWith(everything())
    for (const { off } of switches()) await recallWith(off(everything()))
    const after = await recallWith(everything())
    expect(after.found.explanation).to.deep.equal(before.found.explanation)
    expect(after.found.parts.recall_boost).to.equal(1)
  })
})
