import { expect } from 'chai'
import { encode } from 'gpt-tokenizer'
import { randomUUID } from 'node:crypto'
import { envelope } from '../../http/errors.js'
import { MOST_TOKENS } from '../../mcp/fit-answer.js'
import { callToolAlone } from '../support/called-tool.js'

const tokensOf = (value: unknown) => encode(JSON.stringify(value)).length

/** A memory as REST answers it. */
function memory(content: string, fields: object = {}) {
  return {
    id: randomUUID(),
    tenant_id: 'shed',
    fleet_id: null,
    agent_id: 'ana',
    agent_display_name: null,
    memory_type: 'fact',
    title: null,
    content,
    weight: 0.5,
    metadata: {},
    system_metadata: {},
    created_at: '2026-11-26T12:00:00.000Z',
    expires_at: null,
    entity_links: [],
    similarity: 0.7312345678901,
    score: 1.23456789,
    score_parts: { vec_sim: 0.7, fts_score: 0.2 },
    ts_valid_start: null,
    ts_valid_end: null,
    status: 'active',
    visibility: 'scope_team',
    recall_count: 3,
    supersedes_id: null,
    ...fields,
  }
}

function recalled(memories: readonly object[]) {
  const body = {
    recall_id: randomUUID(),
    query: 'x',
    memories,
    memory_count: memories.length,
    summary: null,
    recall_ms: 5.1,
    degraded: null,
  }
  return { body }
}

const search = (answer: object, args: object = {}) =>
  callToolAlone('svc_recall', { op: 'search', query: 'x', ...args }, answer)

describe('the answer of a tool', () => {
  describe('is what a model reads', () => {
    it('of a recalled memory: id, content, type, author, time and score, and what else says something', async () => {
      const plain = memory('The crane is here.')
      const told = memory('It is blue.', {
        title: 'Colour',
        metadata: { ticket: null, list: [] },
        ts_valid_end: '2027-01-01T00:00:00.000Z',
        status: 'outdated',
      })
      const { content } = await search(recalled([plain, told]))
      const { id, memory_type, agent_id, created_at } = plain
      expect(content.memories[0]).to.deep.equal({
        id,
        content: plain.content,
        memory_type,
        agent_id,
        created_at,
        score: 1.235,
      })
      expect(content.memories[1]).to.deep.include({
        title: 'Colour',
        metadata: { ticket: null, list: [] },
        ts_valid_end: '2027-01-01T00:00:00.000Z',
        status: 'outdated',
      })
      expect(content).to.have.all.keys('recall_id', 'memories', 'summary', 'degraded', '_status', '_latency_ms')
    })

    it('and all of it with explain, or by read', async () => {
      const one = memory('The crane is here.')
      const answer = recalled([one])
      expect((await search(answer, { explain: true })).content).to.deep.include(answer.body)
      expect((await callToolAlone('svc_memory', { op: 'read', id: one.id }, { body: one })).content).to.deep.include(
        one,
      )
    })

    it('within 1,200 tokens for ten memories of a sentence', async () => {
      const memories = Array.from({ length: 10 }, (_, i) =>
        memory(
          `The crane of berth ${i} lifts ${i + 3} tons and is serviced by team ${'ABCDEFGHIJ'[i]} on every second Monday of a month, before the first ship is unloaded.`,
        ),
      )
      const { content } = await search(recalled(memories))
      const tokens = tokensOf(content)
      console.log(`      ten memories of a sentence: ${tokens} tokens (o200k_base)`)
      expect(tokens).to.be.at.most(1_200)
    })

    it('of a written memory, of a list, of a lineage and after feedback', async () => {
      const one = memory('The crane is here.', { score: null, usage: { memories_stored: 1 } })
      const lean = {
        id: one.id,
        content: one.content,
        memory_type: 'fact',
        agent_id: 'ana',
        created_at: one.created_at,
      }
      const bodyOf = async (args: object, body: object) => {
        const { content } = await callToolAlone('svc_memory', { id: one.id, ...args }, { body })
        const { _status, _latency_ms, ...rest } = content
        return rest as object
      }
      expect(await bodyOf({ op: 'write', id: null, content: 'x' }, one)).to.deep.equal(lean)
      expect(await bodyOf({ op: 'update', content: 'x' }, one)).to.deep.equal(lean)
      expect(await bodyOf({ op: 'feedback', outcome: 'success' }, one)).to.deep.equal({ ...lean, weight: 0.5 })
      expect(await bodyOf({ op: 'list', id: null }, { items: [one], next_cursor: 'c' })).to.deep.equal({
        items: [lean],
        next_cursor: 'c',
      })
      const newer = { ...one, supersedes_id: randomUUID() }
      expect(await bodyOf({ op: 'lineage' }, { memory_id: one.id, items: [newer] })).to.deep.equal({
        items: [{ ...lean, supersedes_id: newer.supersedes_id }],
      })
    })

    it('of documents and skills: their names, and of skills no text before they are read', async () => {
      const data = { name: 'Roll back', description: 'How to.', content: 'x'.repeat(9_000), gates: [] }
      const row = {
        id: randomUUID(),
        tenant_id: 'shed',
        fleet_id: null,
        collection: 'skills',
        doc_id: 'forge/x',
        data,
        version: 2,
        updated_at: 't',
      }
      const found = { ...row, score: 0.98765, similarity: 0.5, score_parts: {} }
      const answer = {
        body: { query: 'x', results: [found], count: 1, truncated: false, search_ms: 1, degraded: null },
      }
      const skills = await callToolAlone('svc_skills', { op: 'search', query: 'x' }, answer)
      expect(skills.content.results).to.deep.equal([
        { doc_id: 'forge/x', score: 0.988, data: { name: 'Roll back', description: 'How to.' }, updated_at: 't' },
      ])
      const documents = await callToolAlone('svc_doc', { op: 'search', query: 'x' }, answer)
      expect(documents.content.results[0]).to.deep.equal({
        collection: 'skills',
        doc_id: 'forge/x',
        score: 0.988,
        data,
        updated_at: 't',
      })
      const written = await callToolAlone('svc_doc', { op: 'write', collection: 'c', doc_id: 'd', data }, { body: row })
      expect(written.content).not.to.have.any.keys('data', 'tenant_id')
    })

    it('of statistics, with the scope that they were asked for', async () => {
      const counts = { total: 1, by_type: {}, by_agent: {}, by_status: {} }
      const statsOf = async (args: object) => (await callToolAlone('svc_stats', { ...args }, { body: counts })).content
      expect(await statsOf({ op: 'read', scope: 'fleet' })).to.deep.include({ ...counts, scope: 'fleet' })
      expect(await statsOf({ op: 'read' })).to.deep.include({ ...counts, scope: null })
    })
  })

  describe('to a refused call', () => {
    const refused = (errors: readonly object[], details = {}) => {
      const message = 'body.top_k: Must be at most 100.'
      return { status: 422, body: { ...envelope(422, message, { ...details, errors }), detail: errors } }
    }

    it('tells each fault once, by the name of its argument', async () => {
      const fault = {
        loc: ['body', 'top_k'],
        msg: 'Must be at most 100.',
        type: 'less_than_equal',
        input: 1000,
        ctx: { le: 100 },
      }
      const { content, isError } = await search(refused([fault]), { top_k: 1000 })
      expect(isError).to.equal(true)
      expect(content.error).to.deep.equal({
        code: 'INVALID_ARGUMENTS',
        message: 'search cannot take top_k as given; see errors.',
        details: { errors: [{ loc: ['arguments', 'top_k'], msg: fault.msg, type: fault.type }] },
      })
      expect(content).not.to.have.property('detail')
    })

    it('names the parts of a path, a header and a list by arguments too', async () => {
      const faults = [
        { loc: ['path', 'memory_id'], msg: 'Must be a UUID.', type: 'uuid' },
        { loc: ['header', 'If-Match'], msg: 'Must be *.', type: 'string_pattern_mismatch' },
        { loc: ['body', 'entity_links', '0', 'name'], msg: 'This field is required.', type: 'missing' },
        { loc: ['body', 'content'], msg: 'This field is required.', type: 'missing' },
      ]
      const { content } = await callToolAlone('svc_memory', { op: 'update', id: 'x' }, refused(faults))
      expect(content.error.details.errors.map(({ loc }: { loc: string[] }) => loc.join('.'))).to.deep.equal([
        'arguments.id',
        'arguments.if_match',
        'arguments.entity_links.0.name',
        'arguments.content',
      ])
      expect(content.error.message).to.equal(
        'update needs content, and cannot take id, if_match, entity_links as given; see errors.',
      )
    })

    it('keeps what else an error says', async () => {
      const body = envelope(409, 'It exists.', { existing_id: 'x' })
      const { content } = await callToolAlone('svc_memory', { op: 'write', content: 'x' }, { status: 409, body })
      expect(content.error).to.deep.equal(body.error)
      expect(content).not.to.have.property('detail')
    })

    it('says of an item of many what was wrong with it', async () => {
      const errors = [{ loc: ['body', 'items', '0', 'weight'], msg: 'Must be at most 1.', type: 'less_than_equal' }]
      const error = {
        code: 'INVALID_ARGUMENTS',
        message: 'body.items.0.weight: Must be at most 1.',
        details: { errors },
      }
      const body = { created: 0, duplicates: 0, errors: 1, results: [{ index: 0, status: 'error', error }], usage: {} }
      const { content } = await callToolAlone('svc_memory', { op: 'write_many', items: [{}] }, { status: 207, body })
      expect(content.results[0].error).to.deep.equal({
        code: 'INVALID_ARGUMENTS',
        message: 'weight: Must be at most 1.',
      })
      expect(content).not.to.have.property('usage')
    })
  })

  describe(`has at most ${MOST_TOKENS} tokens`, () => {
    const TEXTS = {
      English: 'The migration window is Sunday at two in the morning. ',
      Russian: 'Совещание начинается в девять часов утра. ',
      Korean: '결제 서비스는 금요일에 배포하지 않는다. ',
      Chinese: '客户布兰特只接受上午送货，会议室在三楼。',
      hexadecimal: '9f3a0c71be44d2',
      emoji: '👨‍👩‍👧 🚢 ',
    }
    const textOf = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length)

    for (const [language, text] of Object.entries(TEXTS))
      it(`with long memories in ${language}, and names those that it leaves out`, async () => {
        const memories = Array.from({ length: 100 }, () => memory(textOf(text, 9_900)))
        for (const explain of [false, true]) {
          const { content } = await search(recalled(memories), { explain })
          expect(tokensOf(content)).to.be.at.most(MOST_TOKENS)
          const kept = content.memories.length as number
          expect(content.memories.map(({ id }: { id: string }) => id)).to.deep.equal(
            memories.slice(0, kept).map(({ id }) => id),
          )
          expect(content.memories[0].content).to.equal(memories[0]!.content)
          expect(content._notes[0])
            .to.contain(`${100 - kept} more of memories`)
            .and.to.contain(memories[kept]!.id)
        }
      })

    it('and says nothing of it where all fits', async () => {
      const { content } = await search(recalled([memory('x'), memory('y')]))
      expect(content).not.to.have.property('_notes')
    })

    it('with a cursor that goes on after the last row', async () => {
      const rows = Array.from({ length: 50 }, (_, i) =>
        memory(textOf(TEXTS.English, 4_000), { id: `m${i}`, score: null }),
      )
      const { content, requests } = await callToolAlone('svc_memory', { op: 'list' }, ({ query }) => {
        const limit = Number(new URLSearchParams(query).get('limit') ?? 50)
        return { body: { items: rows.slice(0, limit), next_cursor: `after-${limit}` } }
      })
      const kept = content.items.length as number
      expect(requests).to.have.length(2)
      expect(kept).to.be.within(2, 49)
      expect(content.next_cursor).to.equal(`after-${kept}`)
      expect(content._notes).to.deep.equal(['No more rows fit into the answer; next_cursor goes on.'])
      expect(tokensOf(content)).to.be.at.most(MOST_TOKENS)
    })

    it('with all rules, from one call to the next', async () => {
      const rules = Array.from({ length: 12 }, (_, i) => ({
        doc_id: `r${i}`,
        title: 't',
        content: textOf(TEXTS.English, 9_000),
        scope: 'tenant',
        weight: 'high',
      }))
      const seen: string[] = []
      for (let calls = 0; seen.length < rules.length; calls++) {
        expect(calls).to.be.below(rules.length)
        const { content } = await callToolAlone(
          'svc_keystones',
          { op: 'list', skip: seen.length },
          { body: { count: 12, items: rules } },
        )
        expect(tokensOf(content)).to.be.at.most(MOST_TOKENS)
        seen.push(...content.items.map((rule: { doc_id: string }) => rule.doc_id))
        if (seen.length < rules.length) expect(content._notes).to.include(`List them with skip: ${seen.length}.`)
        else expect(content).not.to.have.property('_notes')
      }
      expect(seen).to.deep.equal(rules.map(({ doc_id }) => doc_id))
      for (const skip of [-1, 1.5, 'two']) {
        const { content } = await callToolAlone('svc_keystones', { op: 'list', skip })
        expect(content.error.details.errors[0].loc).to.deep.equal(['arguments', 'skip'])
      }
    })

    it('with the results of many writes, and the index of each that failed', async () => {
      const results = (fails: (i: number) => boolean) =>
        Array.from({ length: 500 }, (_, index) => {
          const error = { code: 'INVALID_ARGUMENTS', message: 'Invalid.' }
          return fails(index) ? { index, status: 'error', error } : { index, status: 'created', id: randomUUID() }
        })
      const answered = async (rows: object[]) => {
        const body = { created: 0, duplicates: 0, errors: 0, results: rows, usage: {} }
        return (await callToolAlone('svc_memory', { op: 'write_many', items: [{}] }, { status: 207, body })).content
      }
      const some = await answered(results((i) => [3, 480, 481, 482, 499].includes(i)))
      const kept = some.results.length as number
      expect(kept).to.be.within(100, 479)
      expect(some._notes).to.deep.equal([
        `${500 - kept} more of results did not fit into the answer; those that failed have the index 480-482, 499.`,
      ])
      const none = await answered(results(() => false))
      expect(none._notes[0]).to.match(/^\d+ more of results did not fit into the answer, and none of them failed\.$/)
      const every = await answered(results((i) => i % 2 === 1))
      expect(every._notes[0]).to.match(/ 495, 497, 499\.$/)
      expect(tokensOf(every)).to.be.at.most(MOST_TOKENS)
    })

    it('with a document that is larger, cut and told where', async () => {
      const texts = { title: 'Minutes', text: textOf(TEXTS.English, 250_000) }
      const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`key ${i}`, i * 1.7]))
      const nested = Array.from({ length: 40 }, () => ({
        list: Array.from({ length: 200 }, (_, i) => `${i} ${randomUUID()}`),
      }))
      const named = { [textOf(TEXTS.Chinese, 200)]: textOf(TEXTS.Chinese, 80_000) }
      const longNames = { steps: [{ [textOf(TEXTS.English, 250_000)]: 'done' }] }
      for (const data of [texts, many, { nested }, named, longNames]) {
        const { content } = await callToolAlone(
          'svc_doc',
          { op: 'read', collection: 'c', doc_id: 'd' },
          { body: { collection: 'c', doc_id: 'd', data } },
        )
        expect(tokensOf(content))
          .to.be.at.most(MOST_TOKENS)
          .and.at.least(MOST_TOKENS / 10)
        expect(content._notes[0]).to.match(/^Cut to fit into an answer: .*data/)
      }
      const { content } = await callToolAlone(
        'svc_doc',
        { op: 'read', collection: 'c', doc_id: 'd' },
        { body: { doc_id: 'd', data: texts } },
      )
      expect(content.data.title).to.equal('Minutes')
      expect(texts.text.startsWith(content.data.text.slice(0, -1))).to.equal(true)
    })
  })

  describe('to a search with a query that is too long', () => {
    for (const [tool, at] of [
      ['svc_recall', 'recall'],
      ['svc_doc', 'searchDocuments'],
      ['svc_skills', 'searchDocuments'],
    ] as const)
      it(`says in ${tool} that it was cut`, async () => {
        const query = `  ${'🚢 ship '.repeat(1_000)}`
        const { content, requests } = await callToolAlone(tool, { op: 'search', query })
        const [{ operationId, body }] = requests as unknown as [{ operationId: string; body: { query: string } }]
        expect([operationId, [...body.query].length]).to.deep.equal([at, 5_000])
        expect(query.trim().startsWith(body.query)).to.equal(true)
        expect(content._notes).to.deep.equal(['query was cut to its first 5000 of 6999 characters.'])
      })

    it('says nothing of one that is not', async () => {
      const query = ` ${'a'.repeat(5_000)} `
      const { content, requests } = await callToolAlone('svc_recall', { op: 'search', query })
      expect((requests[0]!.body as { query: string }).query).to.equal(query)
      expect(content).not.to.have.property('_notes')
    })
  })
})
