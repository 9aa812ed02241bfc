import { expect } from 'chai'
import { nearKeys, nearKeysInSteps } from '../../../domain/near-duplicates/near-keys.js'
import type { Visibility } from '../../../domain/visibility.js'

const owned = (visibility: Visibility = 'scope_org', fleetId: string | null = null, agentId: string | null = null) => ({
  visibility,
  fleetId,
  agentId,
})

describe('near keys', () => {
  const text = 'The staging database was moved to port 6432 on Tuesday by the platform team.'
  const sharedWith = (other: string, [a, b] = [owned(), owned()]) => {
    const keys = new Set(nearKeys(text, a))
    return nearKeys(other, b).filter((key) => keys.has(key)).length
  }

  it('are six integers, equal for the same terms', () => {
    const keys = nearKeys(text, owned())
    expect(keys).to.have.length(6)
    for (const key of keys) expect(Number.isSafeInteger(key)).to.equal(true)
    expect(nearKeys(`${text.toUpperCase()}!`, owned())).to.deep.equal(keys)
  })

  it('are shared by similar texts and not by others', () => {
    expect(
      sharedWith('The staging database has moved to port 6432 on Tuesday, by the platform team'),
    ).to.be.greaterThan(2)
    expect(sharedWith('Ana prefers dark roast coffee in the morning.')).to.equal(0)
  })

  it('are empty for a text without terms', () => {
    expect(nearKeys('the of and', owned())).to.deep.equal([])
    expect(nearKeys('', owned())).to.deep.equal([])
  })

  it('are found in many steps in a long text without spaces', () => {
    expect([...nearKeysInSteps('发票服务无法使用'.repeat(1_250), owned())].length).to.be.at.least(20)
  })

  it('are never shared by rows that different callers see', () => {
    const apart: [ReturnType<typeof owned>, ReturnType<typeof owned>][] = [
      [owned('scope_org'), owned('scope_team')],
      [owned('scope_org'), owned('scope_agent', null, 'ana')],
      [owned('scope_team', 'red'), owned('scope_team', 'blue')],
      [owned('scope_team', 'red'), owned('scope_team', null)],
      [owned('scope_agent', 'red', 'ana'), owned('scope_agent', 'red', 'ben')],
      [owned('scope_team', 'ana'), owned('scope_agent', null, 'ana')],
    ]
    for (const pair of apart) expect(sharedWith(text, pair)).to.equal(0)
    const together: [ReturnType<typeof owned>, ReturnType<typeof owned>][] = [
      [owned('scope_org', 'red', 'ana'), owned('scope_org', 'blue', 'ben')],
      [owned('scope_team', 'red', 'ana'), owned('scope_team', 'red', 'ben')],
      [owned('scope_agent', 'red', 'ana'), owned('scope_agent', 'blue', 'ana')],
    ]
    for (const pair of together) expect(sharedWith(text, pair)).to.equal(6)
  })
})
