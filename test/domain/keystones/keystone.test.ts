import { expect } from 'chai'
import {
  appliesTo,
  changedFields,
  compareKeystones,
  KEYSTONE_SCOPES,
  KEYSTONE_WEIGHTS,
  keystoneHash,
  type KeystoneReach,
  reachFaults,
  trustToChange,
  trustToReplace,
} from '../../../domain/keystones/keystone.js'

const TENANT: KeystoneReach = { scope: 'tenant', fleetId: null, agentId: null }
const fleet = (fleetId: string): KeystoneReach => ({ scope: 'fleet', fleetId, agentId: null })
const agent = (agentId: string): KeystoneReach => ({ scope: 'agent', fleetId: null, agentId })

describe('the trust that a rule requires', () => {
  const changes: [reach: KeystoneReach, acting: string | null, trust: number][] = [
    [TENANT, 'ana', 2],
    [TENANT, null, 2],
    [fleet('red'), 'ana', 2],
    [fleet('ana'), 'ana', 2],
    [agent('ana'), 'ana', 1],
    [agent('ben'), 'ana', 2],
    [agent('ana'), null, 2],
    // A rule that names no agent is nobody's own.
    [{ scope: 'agent', fleetId: null, agentId: null }, null, 2],
  ]
  for (const [reach, acting, trust] of changes)
    it(`is ${trust} for ${reach.scope} ${reach.fleetId ?? reach.agentId ?? ''} by ${acting ?? 'no agent'}`, () => {
      expect(trustToChange(reach, acting)).to.equal(trust)
    })

  const replacements: [before: KeystoneReach | null, after: KeystoneReach, trust: number][] = [
    [null, agent('ana'), 1],
    [null, TENANT, 2],
    [agent('ana'), agent('ana'), 1],
    [TENANT, agent('ana'), 2],
    [agent('ben'), agent('ana'), 2],
    [fleet('red'), agent('ana'), 2],
    [agent('ana'), TENANT, 2],
    [agent('ana'), agent('ben'), 2],
    [agent('ana'), fleet('red'), 2],
  ]
  for (const [before, after, trust] of replacements)
    it(`is ${trust} for ${after.scope} ${after.agentId ?? ''} replacing ${before?.scope ?? 'nothing'} ${before?.agentId ?? ''}, by ana`, () => {
      expect(trustToReplace(before, after, 'ana')).to.equal(trust)
    })
})

describe('the reach of a rule', () => {
  const faults = (reach: KeystoneReach) => reachFaults(reach).map(({ field }) => field)

  it('names a fleet only with the scope fleet, and an agent only with agent', () => {
    for (const sound of [TENANT, fleet('red'), agent('ana')]) expect(faults(sound)).to.deep.equal([])
    expect(faults({ scope: 'fleet', fleetId: null, agentId: null })).to.deep.equal(['fleet_id'])
    expect(faults({ scope: 'agent', fleetId: null, agentId: null })).to.deep.equal(['agent_id'])
    expect(faults({ scope: 'tenant', fleetId: 'red', agentId: 'ana' })).to.deep.equal(['fleet_id', 'agent_id'])
    expect(faults({ scope: 'fleet', fleetId: 'red', agentId: 'ana' })).to.deep.equal(['agent_id'])
    expect(faults({ scope: 'agent', fleetId: 'red', agentId: 'ana' })).to.deep.equal(['fleet_id'])
  })

  it('is the whole tenant, the fleet, or the agent', () => {
    const ana = { fleetId: 'red', agentId: 'ana' }
    const nobody = { fleetId: null, agentId: null }
    expect([TENANT, fleet('red'), fleet('blue'), agent('ana'), agent('ben')].map((reach) => appliesTo(reach, ana))) //
      .to.deep.equal([true, true, false, true, false])
    expect([TENANT, fleet('red'), agent('ana')].map((reach) => appliesTo(reach, nobody))) //
      .to.deep.equal([true, false, false])
  })
})

describe('the order of rules', () => {
  it('is by weight, then from the narrowest scope, then from the newest, whatever the input order', () => {
    const rules = KEYSTONE_WEIGHTS.flatMap((weight) =>
      KEYSTONE_SCOPES.flatMap((scope) =>
        [1, 2].flatMap((time) =>
          [2 * time, 2 * time + 1].map((revision) => ({ weight, scope, updatedAt: new Date(time), revision })),
        ),
      ),
    )
    const words = ({ weight, scope, updatedAt, revision }: (typeof rules)[number]) =>
      `${weight} ${scope} ${updatedAt.getTime()} ${revision}`
    const expected = ['high', 'med', 'low'].flatMap((weight) =>
      ['agent', 'fleet', 'tenant'].flatMap((scope) =>
        ['2 5', '2 4', '1 3', '1 2'].map((newest) => `${weight} ${scope} ${newest}`),
      ),
    )
    const shuffled = [...rules].sort((a, b) => words(a).localeCompare(words(b)))
    expect(shuffled.sort(compareKeystones).map(words)).to.deep.equal(expected)
  })
})

describe('a rule that replaces another', () => {
  const rule = { title: 'T', content: 'C', weight: 'low', ...TENANT } as const

  it('differs in the fields that it changes, under their names in the contract', () => {
    expect(changedFields(rule, { ...rule })).to.deep.equal([])
    expect(changedFields(rule, { ...rule, title: 'U', ...fleet('red') })).to.deep.equal(['title', 'scope', 'fleet_id'])
    expect(changedFields(rule, { ...rule, content: 'D', weight: 'high', ...agent('ana') })) //
      .to.deep.equal(['content', 'scope', 'weight', 'agent_id'])
  })

  it('has the hash of its content', () => {
    expect(keystoneHash('abc')).to.equal('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
