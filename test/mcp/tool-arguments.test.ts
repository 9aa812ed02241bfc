import { expect } from 'chai'
import { callToolAlone } from '../support/called-tool.js'

const ID = '01a21a6b-2a66-7631-8dbe-d229028076bc'

/** Returns what one operation was asked for: its path, query, headers and body, without the tenant and the budget that a recall by tool has. */
async function requestBy(tool: string, args: Record<string, unknown>) {
  const { requests, content } = await callToolAlone(tool, args)
  expect(requests, JSON.stringify(content)).to.have.length(1)
  const { params, query, headers, body } = requests[0]!
  const { tenant_id: _, ...fields } = Object.fromEntries(new URLSearchParams(query))
  const { tenant_id: __, max_tokens: ___, ...values } = (body ?? {}) as Record<string, unknown>
  return { params, query: fields, headers, body: values }
}

async function refusedBy(tool: string, args: Record<string, unknown>) {
  const { isError, content, requests } = await callToolAlone(tool, args)
  expect([isError, requests.length, content._status]).to.deep.equal([true, 0, 422])
  return content.error as { message: string; details: { errors: { loc: string[]; msg: string; type: string }[] } }
}

describe('the arguments of a tool', () => {
  it('bound the texts of a recall by 2,000 tokens, unless the call says otherwise', async () => {
    const budgetOf = async (args: object) => {
      const { requests } = await callToolAlone('svc_recall', { op: 'search', query: 'x', ...args })
      return (requests[0]!.body as { max_tokens: unknown }).max_tokens
    }
    expect(await budgetOf({})).to.equal(2_000)
    expect(await budgetOf({ max_tokens: 300 })).to.equal(300)
    expect(await budgetOf({ max_tokens: null })).to.equal(2_000)
  })

  it('may be a filter, an object or as JSON, whether the operation takes it in its body or in its query', async () => {
    const filter = { not: { 'metadata.a': null } }
    for (const given of [filter, JSON.stringify(filter)]) {
      const search = await requestBy('svc_recall', { op: 'search', query: 'x', filter: given })
      expect(search.body).to.deep.equal({ query: 'x', filter })
      const list = await requestBy('svc_memory', { op: 'list', filter: given })
      expect(list.query).to.deep.equal({ filter: JSON.stringify(filter) })
    }
  })

  describe('that are null', () => {
    it('are absent, in the body, the path, the query and the headers', async () => {
      const nothing = { top_k: null, fleet_ids: null, metadata_filter: null, explain: null, tenant_id: null }
      expect((await requestBy('svc_recall', { op: 'search', query: 'x', ...nothing })).body).to.deep.equal({
        query: 'x',
      })
      expect((await requestBy('svc_memory', { op: 'list', limit: null, cursor: null })).query).to.deep.equal({})
      const written = { op: 'write', content: 'x', metadata: null, entity_links: null, idempotency_key: null }
      expect(await requestBy('svc_memory', written)).to.deep.include({ headers: {}, body: { content: 'x' } })
    })

    it('are absent too where they are of another op, or of none', async () => {
      const others = { recall_id: null, id: null, tags: null }
      expect((await requestBy('svc_recall', { op: 'search', query: 'x', ...others })).body).to.deep.equal({
        query: 'x',
      })
    })

    it('are absent within items of a list', async () => {
      const links = [{ name: 'pier 4', role: null, entity_id: null }]
      const { body } = await requestBy('svc_memory', { op: 'write', content: 'x', entity_links: links })
      expect(body.entity_links).to.deep.equal([{ name: 'pier 4' }])
      const many = await requestBy('svc_memory', { op: 'write_many', items: [{ content: 'x', weight: null }] })
      expect(many.body.items).to.deep.equal([{ content: 'x' }])
    })

    it('clear a field that update can clear, and leave the others', async () => {
      const { body } = await requestBy('svc_memory', { op: 'update', id: ID, title: null, weight: null })
      expect(body).to.deep.equal({ title: null })
    })

    it('stay in what is the caller’s own', async () => {
      const metadata = { owner: null, list: [null, ''] }
      const where = { owner: null, tags: ['a', null] }
      expect((await requestBy('svc_memory', { op: 'write', content: 'x', metadata })).body.metadata).to.deep.equal(
        metadata,
      )
      expect((await requestBy('svc_doc', { op: 'query', collection: 'c', where })).body.where).to.deep.equal(where)
    })

    it('are missing where they are required', async () => {
      const { content, requests } = await callToolAlone('svc_memory', { op: 'write', content: null })
      expect(requests[0]!.body).to.deep.equal({ tenant_id: 'shed' })
      expect(content._status).to.equal(200)
      expect(await refusedBy('svc_memory', { op: 'read', id: null })).to.deep.equal({
        code: 'INVALID_ARGUMENTS',
        message: 'read needs id; see errors.',
        details: { errors: [{ loc: ['arguments', 'id'], msg: 'This field is required.', type: 'missing' }] },
      })
    })
  })

  describe('that are empty', () => {
    it('are absent where the contract takes no empty text', async () => {
      const empty = {
        run_id: '',
        memory_type: '',
        supersedes_id: '',
        idempotency_key: '',
        weight: '',
        entity_links: '',
      }
      const { body, headers } = await requestBy('svc_memory', { op: 'write', content: 'x', ...empty })
      expect([body, headers]).to.deep.equal([{ content: 'x' }, {}])
      expect((await requestBy('svc_memory', { op: 'list', cursor: '', status: '' })).query).to.deep.equal({})
      expect(
        (await requestBy('svc_keystones', { op: 'list', agent_id: '', fleet_id: '', if_none_match: '' })).query,
      ).to.deep.equal({ envelope: 'true' })
      expect((await requestBy('svc_entity', { op: 'search', query: 'x', id: '', cursor: '' })).query).to.deep.equal({
        query: 'x',
      })
    })

    it('are texts where the contract takes one, or something is required', async () => {
      const { body } = await requestBy('svc_memory', { op: 'write', content: '', title: '', source_uri: '' })
      expect(body).to.deep.equal({ content: '', title: '', source_uri: '' })
    })

    it('are never absent where they say whose rows are read', async () => {
      const recall = { op: 'search', query: 'x', filter_agent_id: '', fleet_ids: '' }
      expect((await requestBy('svc_recall', recall)).body).to.deep.equal({
        query: 'x',
        filter_agent_id: '',
        fleet_ids: [''],
      })
      expect((await requestBy('svc_memory', { op: 'list', agent_id: '' })).query).to.deep.equal({ agent_id: '' })
      expect((await requestBy('svc_stats', { op: 'read', fleet_id: '' })).query).to.deep.equal({ fleet_id: '' })
      expect((await requestBy('svc_doc', { op: 'search', query: 'x', fleet_id: '' })).body).to.include({ fleet_id: '' })
    })
  })

  describe('that are texts', () => {
    it('are read as the number, boolean, list or object that is wanted', async () => {
      const search = {
        op: 'search',
        query: '7',
        top_k: '3',
        explain: 'true',
        min_score: ' 0.5 ',
        metadata_filter: '{"a":"1"}',
      }
      expect((await requestBy('svc_recall', search)).body).to.deep.equal({
        query: '7',
        top_k: 3,
        explain: true,
        min_score: 0.5,
        metadata_filter: { a: '1' },
      })
      const links = '[{"name":"pier 4"}, "{\\"name\\":\\"pier 5\\"}"]'
      const { body } = await requestBy('svc_memory', {
        op: 'write',
        content: '[1]',
        metadata: '{"n":1}',
        entity_links: links,
      })
      expect(body).to.deep.equal({
        content: '[1]',
        metadata: { n: 1 },
        entity_links: [{ name: 'pier 4' }, { name: 'pier 5' }],
      })
      const many = await requestBy('svc_memory', { op: 'write_many', items: '[{"content":"x","weight":"0.9"}]' })
      expect(many.body.items).to.deep.equal([{ content: 'x', weight: 0.9 }])
      expect((await requestBy('svc_recall', { op: 'search', query: 'x', top_k: 'null' })).body).to.deep.equal({
        query: 'x',
      })
    })

    it('are names where they say whose rows are read, the text null too', async () => {
      for (const [given, taken] of [
        ['null', ['null']],
        [' null ', [' null ']],
        ['["null"]', ['null']],
        [['null'], ['null']],
        ['[]', []],
      ] as const)
        expect((await requestBy('svc_recall', { op: 'search', query: 'x', fleet_ids: given })).body).to.deep.equal({
          query: 'x',
          fleet_ids: taken,
        })
      expect((await requestBy('svc_memory', { op: 'list', agent_id: 'null' })).query).to.deep.equal({
        agent_id: 'null',
      })
    })

    it('stay texts where they are none of that, for the contract to refuse', async () => {
      const search = {
        op: 'search',
        query: 'x',
        top_k: 'three',
        explain: 'yes',
        metadata_filter: '[1]',
        min_score: '1, "a": 2',
      }
      const { body } = await requestBy('svc_recall', search)
      expect(body).to.deep.equal({
        query: 'x',
        top_k: 'three',
        explain: 'yes',
        metadata_filter: '[1]',
        min_score: '1, "a": 2',
      })
    })

    it('stay texts within what is the caller’s own', async () => {
      const metadata = { size: '3', open: 'true', list: '[]' }
      const data = { text: '{"a":1}' }
      expect((await requestBy('svc_memory', { op: 'write', content: 'x', metadata })).body.metadata).to.deep.equal(
        metadata,
      )
      expect((await requestBy('svc_doc', { op: 'write', collection: 'c', doc_id: 'd', data })).body.data).to.deep.equal(
        data,
      )
    })

    it('are refused for a number that JSON cannot keep, and beyond the depth of a body', async () => {
      const ticket = await refusedBy('svc_memory', {
        op: 'write',
        content: 'x',
        metadata: '{"ticket":12345678901234567890}',
      })
      expect(ticket.details.errors.map(({ loc }) => loc)).to.deep.equal([['arguments', 'metadata', 'ticket']])
      const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
      expect(
        (await refusedBy('svc_memory', { op: 'write', content: 'x', metadata: deep })).details.errors[0]!.msg,
      ).to.contain('levels deep')
    })
  })

  describe('that are many texts', () => {
    const text = JSON.stringify({ content: 'x', weight: '0.5', metadata: '{}' })
    const read = { content: 'x', weight: 0.5, metadata: {} }
    const itemsOf = async (count: number) => {
      const items = Array.from({ length: count }, () => text)
      return (await requestBy('svc_memory', { op: 'write_many', items })).body.items
    }

    it('are read up to the length that a list may have', async () => {
      expect(await itemsOf(500)).to.deep.equal(Array.from({ length: 500 }, () => read))
    })

    it('are left to be refused beyond it, unread', async () => {
      expect(await itemsOf(501)).to.deep.equal(Array.from({ length: 501 }, () => text))
    })

    it('let others work meanwhile', async () => {
      const links = Array.from({ length: 50 }, () => '{"name": "x"}')
      const items = Array.from({ length: 500 }, () => ({ content: 'x', entity_links: links }))
      let isOver = false
      let turns = 0
      const count = (): void => {
        turns++
        if (!isOver) setImmediate(count)
      }
      setImmediate(count)
      await requestBy('svc_memory', { op: 'write_many', items })
      isOver = true
      expect(turns).to.be.greaterThan(5)
    })
  })

  it('that are alone are a list of one', async () => {
    const search = { op: 'search', query: 'x', memory_types: 'fact', statuses: '["active"]', fleet_ids: 'red' }
    expect((await requestBy('svc_recall', search)).body).to.deep.equal({
      query: 'x',
      memory_types: ['fact'],
      statuses: ['active'],
      fleet_ids: ['red'],
    })
    expect((await requestBy('svc_memory', { op: 'transition', ids: ID, status: 'archived' })).body).to.deep.equal({
      ids: [ID],
      status: 'archived',
    })
    const link = { name: 'pier 4' }
    for (const entity_links of [link, JSON.stringify(link)])
      expect(
        (await requestBy('svc_memory', { op: 'write', content: 'x', entity_links })).body.entity_links,
      ).to.deep.equal([link])
  })

  describe('that name a row', () => {
    for (const [tool, op, rest, more] of [
      ['svc_memory', 'read', 'memory_id', {}],
      ['svc_memory', 'feedback', 'memory_id', { outcome: 'success' }],
      ['svc_entity', 'read', 'entity_id', {}],
      ['svc_recall', 'read', 'recall_id', {}],
    ] as const)
      it(`are id or ${rest} in ${tool} ${op}`, async () => {
        for (const name of ['id', rest])
          expect((await requestBy(tool, { op, [name]: ID, ...more })).params).to.deep.equal({ [rest]: ID })
      })

    it('are doc_id or slug for skills', async () => {
      for (const name of ['doc_id', 'slug']) {
        const outcome = { op: 'outcome', [name]: 'forge/x', outcome: 'success' }
        expect((await requestBy('svc_skills', outcome)).params).to.deep.equal({ slug: 'forge%2Fx' })
        expect((await requestBy('svc_inbox', { op: 'approve', [name]: 'x' })).params).to.deep.equal({ slug: 'x' })
      }
      expect((await requestBy('svc_skills', { op: 'read', doc_id: 'x' })).params).to.include({ doc_id: 'x' })
    })

    it('may be given twice where they agree', async () => {
      expect((await requestBy('svc_memory', { op: 'read', id: ID, memory_id: ID })).params).to.deep.equal({
        memory_id: ID,
      })
      expect((await requestBy('svc_memory', { op: 'read', id: ID, memory_id: '' })).params).to.deep.equal({
        memory_id: ID,
      })
      await refusedBy('svc_memory', { op: 'read', id: ID, memory_id: 'other' })
    })
  })

  describe('that there are not', () => {
    it('are refused with those that there are, without the tenant', async () => {
      const { message, details } = await refusedBy('svc_recall', { op: 'search', query: 'x', wings: 2 })
      expect(message).to.equal('search has no argument wings.')
      const { expected_arguments: expected } = details as unknown as { expected_arguments: string[] }
      expect(expected).to.include.members(['query', 'top_k']).and.not.to.include('tenant_id')
      expect(details.errors.map(({ loc }) => loc)).to.deep.equal([['arguments', 'wings']])
    })

    it('are told to the admin credential with the tenant, which it must give', async () => {
      const { content } = await callToolAlone('svc_recall', { op: 'search', wings: 2 }, {}, null)
      expect(content.error.details.expected_arguments).to.include('tenant_id')
    })

    it('are guessed', async () => {
      const guessed = async (tool: string, args: Record<string, unknown>) => (await refusedBy(tool, args)).message
      expect(await guessed('svc_recall', { op: 'search', query: 'x', limit: 3 })).to.contain('did you mean top_k?')
      expect(await guessed('svc_memory', { op: 'write', text: 'x' })).to.contain('did you mean content?')
      expect(await guessed('svc_memory', { op: 'write', contnet: 'x' })).to.contain('did you mean content?')
      expect(await guessed('svc_stats', { op: 'read', fleet: 'red', agents: 'a' })).not.to.contain('content')
    })

    it('are refused for another op unless they say nothing', async () => {
      await refusedBy('svc_memory', { op: 'read', id: ID, content: 'x' })
      await refusedBy('svc_memory', { op: 'read', id: ID, wings: '' })
      expect((await requestBy('svc_memory', { op: 'read', id: ID, content: '' })).params).to.deep.equal({
        memory_id: ID,
      })
    })
  })

  it('are refused with half of a surrogate pair where it cannot be sent', async () => {
    const { details } = await refusedBy('svc_memory', { op: 'read', id: '\ud800' })
    expect(details.errors[0]!.loc).to.deep.equal(['arguments', 'id'])
  })
})

describe('the op of a tool', () => {
  it('may be left out where there is one', async () => {
    for (const args of [{}, { op: null }, { op: '' }])
      expect((await callToolAlone('svc_stats', args)).isError).to.equal(false)
    const { message } = await refusedBy('svc_memory', {})
    expect(message).to.equal('op is missing.')
  })

  for (const [tool, given, meant] of [
    ['svc_memory', 'WRITE', 'write'],
    ['svc_memory', 'create', 'write'],
    ['svc_memory', 'get', 'read'],
    ['svc_memory', 'svc_memory.write', 'write'],
    ['svc_memory', 'serach', null],
    ['svc_recall', 'serach', 'search'],
    ['svc_recall', 'recall', 'search'],
    ['svc_keystones', 'get', 'list'],
    ['svc_memory', 'burn', null],
    ['svc_memory', '__proto__', null],
  ] as const)
    it(`is ${meant ?? 'not guessed'} for ${tool} ${given}`, async () => {
      const { message, details } = await refusedBy(tool, { op: given })
      expect(details).to.include({ op: given })
      expect(details).to.have.property('expected_ops')
      if (meant === null) expect(details).not.to.have.property('did_you_mean')
      else expect([message, details]).to.deep.include(`There is no such op; did you mean ${meant}?`)
    })
})
