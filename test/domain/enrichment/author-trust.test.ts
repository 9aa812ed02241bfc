import { expect } from 'chai'
import { type Authors, authorTrust } from '../../../domain/enrichment/author-trust.js'

describe('the trust of a memory’s authors', () => {
  const cases: [fact: string, authors: Authors, trust: number][] = [
    ['is that of the one agent', { agents: [2], keys: ['of its agent'] }, 2],
    ['is the lowest of all agents', { agents: [3, 1, 2], keys: ['of its agent'] }, 1],
    ['is that of a tenant key', { agents: [], keys: [2] }, 2],
    ['is the lower of a tenant key and the agent that it acts for', { agents: [2], keys: [3] }, 2],
    ['is 1 when an agent is no longer known', { agents: [3, null], keys: ['of its agent'] }, 1],
    ['is 1 when a key is no longer known', { agents: [], keys: [3, null] }, 1],
    ['is 1 when nobody is known to have written it', { agents: [3], keys: [] }, 1],
    ['is 0 for a restricted agent, whatever is not known', { agents: [0, null], keys: [null] }, 0],
  ]
  for (const [fact, authors, trust] of cases) it(fact, () => expect(authorTrust(authors)).to.equal(trust))
})
