import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import type { MemoryRecord } from '../support/clients/memories.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile, describeOnEmbedded } from '../support/profiles.js'
import { ownService, type SharedService } from '../support/shared-service.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

describeOnEachProfile((profile) => describeAnswers(ownService({ profile }), { indexed: true }))
describeOnEmbedded(() => describeAnswers(ownService({ queues: [] }), { indexed: false }))

/** Tests how POST /recall composes its results to answers (domain/answers). */
function describeAnswers(service: SharedService, { indexed }: { readonly indexed: boolean }): void {
  describe(`answers composed of memories that are ${indexed ? 'indexed' : 'pending'}`, () => {
    let tenant: TestTenant
    let ana: Caller
    let ben: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
      ben = await tenant.caller({ agentId: 'ben', fleetId: 'red', trust: 2 })
    })
    async function remember(caller: Caller, ...given: (string | Record<string, unknown>)[]): Promise<MemoryRecord[]> {
      const records: MemoryRecord[] = []
      for (const fields of given) records.push(await caller.memories.create(fields).ok())
      if (indexed) await settled(service())
      return records
    }
    const noise = [
      'The quarterly budget was approved by the board.',
      'Trains to the coast leave from platform nine.',
      'Payments are settled every night by the ledger service.',
      'Bread needs flour, water, salt and time.',
    ]
    const answersTo = async (query: string, options: Record<string, unknown> = {}, caller = ana) =>
      (await caller.memories.recall(query, options).ok()).memories

    const restated: [query: string, older: string, newer: string][] = [
      [
        'who is on call for payments?',
        'The on-call engineer for payments is Dan.',
        'The on-call engineer for payments is Eve.',
      ],
      ['when is standup?', 'Standup is at 10:15.', 'Standup is at 9:30.'],
      ['Which database do we use now?', 'We use PostgreSQL as our database.', 'We use MySQL as our database.'],
      ['wer hat Bereitschaft?', 'Der Bereitschaftsdienst ist Dan.', 'Der Bereitschaftsdienst ist jetzt Eva.'],
      ['值班工程师是谁?', '值班工程师是小王。', '值班工程师是小李。'],
    ]
    for (const [query, older, newer] of restated)
      for (const [first, last] of [
        [older, newer],
        [newer, older],
      ] as const)
        it(`have what was said last first: ${last}`, async () => {
          await remember(ana, first, ...noise, last)
          const answers = await answersTo(query)
          expect(answers.slice(0, 2).map(({ content }) => content)).to.deep.equal([last, first])
          expect(answers[0]!.score).to.be.at.least(answers[1]!.score!)
        })

    it('have it first whoever said it when', async () => {
      const [former, present] = [
        'The on-call engineer for payments is Dan.',
        'The on-call engineer for payments is Eve.',
      ]
      await remember(ana, { content: former, ts_valid_start: '2024-02-03T00:00:00Z' }, ...noise)
      await remember(ben, { content: present, ts_valid_start: '2026-05-06T00:00:00Z' })
      expect((await answersTo('who is on call for payments?')).slice(0, 2).map(({ content }) => content)).to.deep.equal(
        [present, former],
      )
    })

    it('have the time that they are about before that of the write', async () => {
      await remember(
        ana,
        { content: 'We use PostgreSQL as our database.', ts_valid_start: '2026-01-01T00:00:00Z' },
        { content: 'We use MySQL as our database.', ts_valid_start: '2023-01-01T00:00:00Z' },
      )
      expect((await answersTo('which database do we use?'))[0]!.content).to.include('PostgreSQL')
    })

    it('turn the order round where the question asks for a former statement', async () => {
      const texts = ['Dan', 'Eve'].map((name) => `The on-call engineer for payments is ${name}.`)
      await remember(ana, ...texts)
      const contents = async (query: string) => (await answersTo(query)).map(({ content }) => content)
      expect(await contents('who was originally on call for payments?')).to.deep.equal(texts)
      expect(await contents('who is on call for payments?')).to.deep.equal(texts.toReversed())
    })

    it('turn a chain round where the question asks for a former member of it', async () => {
      const [first] = await remember(ana, 'Deploys to production run every Tuesday.')
      const [second] = await remember(ana, { content: 'Now daily at 9.', supersedes_id: first!.id })
      const [third] = await remember(ana, { content: 'Twice a day.', supersedes_id: second!.id })
      const original = (await answersTo('When did deploys to production originally run?'))[0]!
      expect([original.id, original.later!.map(({ id }) => id), original.earlier]).to.deep.equal([
        first!.id,
        [second!.id, third!.id],
        undefined,
      ])
      const former = (await answersTo('When did deploys to production run before?'))[0]!
      expect([former.id, former.later!.map(({ id }) => id), former.earlier!.map(({ id }) => id)]).to.deep.equal([
        second!.id,
        [third!.id],
        [first!.id],
      ])
    })

    it('show what is in force, not what will be', async () => {
      const [present] = await remember(ana, 'The API limit is 100 requests.')
      const content = 'The API limit is 250 requests.'
      const [future] = await remember(ana, {
        content,
        supersedes_id: present!.id,
        ts_valid_start: '2099-01-01T00:00:00Z',
      })
      const [answer] = await answersTo('what is the API limit?', { explain: true })
      expect(answer!.id).to.equal(present!.id)
      expect(answer!.later!.map(({ id }) => id)).to.deep.equal([future!.id])
    })

    const things: [query: string, ...texts: [string, string]][] = [
      ['how many trucks?', 'The Leeds depot has 12 trucks.', 'The York depot has 12 trucks.'],
      ['what does Ana like?', 'Ana likes tea.', 'Ana likes coffee.'],
      ['are deploys allowed?', 'Deploys are allowed on Friday.', 'Deploys are not allowed on Friday.'],
      ['Is Dan on call?', 'The on-call engineer is Dan.', 'The on-call engineer is Eve.'],
      ['who lives in Paris?', 'I live in Paris.', 'I live in Rome.'],
      ['which ticket?', 'Ticket 4711 is about the login page.', 'Ticket 4712 is about the login page.'],
      ['is the office open?', 'The office is open.', 'The office is open on Sundays.'],
      ['what are the numbers of the rooms?', 'Meeting room 12', 'Meeting room 14'],
    ]
    for (const [query, a, b] of things)
      it(`fold nothing of two things: ${a} ${b}`, async () => {
        await remember(ana, a)
        await remember(ben, b)
        const answers = await answersTo(query)
        expect(answers.map(({ content }) => content)).to.have.members([a, b])
        expect(answers.every((answer) => !('earlier' in answer) && !('copies' in answer))).to.equal(true)
      })

    it('have the successor with what it superseded, though it shares no word with the question', async () => {
      const [older] = await remember(
        ana,
        'Deploys to production run every Tuesday at 14:00 from the main branch.',
        ...noise,
      )
      const [newer] = await remember(ana, { content: 'Now daily at 9.', supersedes_id: older!.id })
      const [latest] = await remember(ana, { content: 'Twice a day, see the wiki.', supersedes_id: newer!.id })
      const answers = await answersTo('When do deploys to production run?', { explain: true })
      expect(answers[0]!.id).to.equal(latest!.id)
      expect(answers[0]!.earlier!.map(({ id, why }) => [id, why])).to.deep.equal([
        [newer!.id, 'superseded'],
        [older!.id, 'superseded'],
      ])
      expect(answers[0]!.explanation!.chain.map(({ memory_id: id }) => id)).to.deep.equal([newer!.id, older!.id])
      expect(answers[0]!.score_parts!.chain_boost).to.be.greaterThan(1)
      expect(answers.map(({ id }) => id)).not.to.include.members([older!.id])
    })

    it('follow no successor that the caller may not see', async () => {
      const [older] = await remember(ana, 'The vault code of the cellar is 1234.')
      await remember(ana, {
        content: 'Changed, ask Zoe.',
        supersedes_id: older!.id,
        visibility: 'scope_agent',
      })
      const answers = await answersTo('what is the vault code of the cellar?', { explain: true }, ben)
      expect(answers.map(({ content }) => content)).to.deep.equal(['The vault code of the cellar is 1234.'])
      expect(answers[0]).not.to.have.property('earlier')
      expect(answers[0]!.explanation!.chain).to.deep.equal([])
    })

    it('say a fact once, with its copies and their authors', async () => {
      const text = 'The staging database is called stage-db-4 and is in Frankfurt.'
      await remember(ana, text)
      const agents = ['cleo', 'dora', 'emil', 'finn']
      for (const agentId of agents) await remember(await tenant.caller({ agentId, fleetId: 'red' }), text)
      await remember(ben, 'The staging database is called stage-db-5 and is in Dublin.')
      const answers = await answersTo('what is the staging database called?')
      const said = answers.find(({ content }) => content.includes('stage-db-4'))!
      expect(answers.filter(({ content }) => content.includes('stage-db-4'))).to.have.length(1)
      expect(said.copies!.count).to.equal(4)
      expect([...said.copies!.agent_ids, said.agent_id]).to.have.members(['ana', ...agents])
    })

    it('say a fact once, however often one author or several restated it', async () => {
      const restated = [
        'The deploy window is Tuesday, 14:00 UTC.',
        'Deploy window: Tuesday, 14:00 UTC',
        'Reminder: the deploy window is Tuesday, 14:00 UTC',
        'the deploy window is now Tuesday, 14:00 UTC',
        '- Deploy window is Tuesday, 14:00 UTC.',
      ]
      const others = [
        'The deploy window is Tuesday, 15:00 UTC.',
        'The deploy window is not Tuesday, 14:00 UTC.',
        'The deploy window of billing is Tuesday, 14:00 UTC.',
      ]
      const records = await remember(ana, ...restated, ...others, ...noise)
      for (const agentId of ['cleo', 'dora'])
        for (const content of restated.slice(0, 4))
          records.push(...(await remember(await tenant.caller({ agentId, fleetId: 'red' }), content)))
      const ids = new Set(records.filter(({ content }) => restated.includes(content)).map(({ id }) => id))
      expect(ids.size).to.equal(13)
      const answers = await answersTo('when is the deploy window?')
      const said = answers.filter(({ id }) => ids.has(id))
      expect(said).to.have.length(1)
      expect(said[0]!.copies!.count).to.equal(12)
      expect([said[0]!.id, ...said[0]!.copies!.memory_ids]).to.have.members([...ids])
      expect([...new Set([said[0]!.agent_id, ...said[0]!.copies!.agent_ids])]).to.have.members(['ana', 'cleo', 'dora'])
      expect(answers.map(({ content }) => content)).to.include.members(others)
      const apart = await answersTo('when is the deploy window?', { compose: false, top_k: 5 })
      expect(apart.filter(({ id }) => ids.has(id)).length).to.be.greaterThan(1)
    })

    it('name no copy that the caller may not see', async () => {
      const [seen] = await remember(ana, 'The vault code of the cellar is 1234.')
      await remember(ana, { content: 'Vault code of the cellar: 1234', visibility: 'scope_agent' })
      const [answer] = await answersTo('what is the vault code of the cellar?', {}, ben)
      expect([answer!.id, answer!.copies]).to.deep.equal([seen!.id, undefined])
      expect((await answersTo('what is the vault code of the cellar?'))[0]!.copies!.count).to.equal(1)
    })

    it('fold no copy into a member of a chain, nor one of another time or status', async () => {
      const [older] = await remember(ana, 'The vault code is 1234.')
      await remember(ana, { content: 'The vault code is 9876.', supersedes_id: older!.id })
      await remember(ben, 'Vault code: 9876', { content: 'Vault code: 1234', status: 'pending' })
      await remember(ana, { content: 'The vault code is 5555.', ts_valid_start: '2026-01-01T00:00:00Z' })
      await remember(ben, { content: 'Vault code: 5555', ts_valid_start: '2026-02-01T00:00:00Z' })
      const answers = await answersTo('what is the vault code?')
      expect(answers.filter(({ copies }) => copies !== undefined)).to.deep.equal([])
      expect(answers.map(({ content }) => content)).to.have.members([
        'The vault code is 9876.',
        'Vault code: 9876',
        'Vault code: 1234',
        'The vault code is 5555.',
        'Vault code: 5555',
      ])
    })

    it('are the results themselves with `compose: false`', async () => {
      const [older] = await remember(ana, 'The offsite is in Leeds.')
      const [newer] = await remember(ana, { content: 'The offsite is in York.', supersedes_id: older!.id })
      const answers = await answersTo('where is the offsite?', { compose: false })
      expect(answers.map(({ id }) => id)).to.have.members([older!.id, newer!.id])
      expect(answers.every((answer) => !('earlier' in answer))).to.equal(true)
    })

    it('have the statement that holds before what it superseded, in a small budget', async () => {
      let former: string | undefined
      for (let n = 1; n <= 12; n++) {
        const content = `The rate limit of the API is ${n}00 requests for each key and minute, as agreed in the meeting.`
        former = (await remember(ana, { content, ...(former && { supersedes_id: former }) }))[0]!.id
      }
      const [answer] = await answersTo('what is the rate limit of the API?', { max_tokens: 60 })
      expect(answer!.content)
        .to.contain('is 1200 requests')
        .and.to.match(/meeting\.$/)
      expect(answer!.earlier!.length).to.be.within(1, 3)
    })

    it('are packed into a budget of tokens, the best first, cut at a sentence', async () => {
      const report = Array.from({ length: 40 }, (_, i) => `Part ${i} of the warehouse report is about shelf ${i}.`)
      await remember(
        ana,
        'The warehouse report is due on Friday.',
        report.join(' '),
        'The warehouse has a report of broken lamps.',
        'Ben wrote the warehouse report.',
      )
      const all = await ana.memories.recall('warehouse report').ok()
      expect([all.memories.length, all.left_out]).to.deep.equal([4, 0])
      const some = await ana.memories.recall('warehouse report', { max_tokens: 60 }).ok()
      expect(some.memories[0]!.id).to.equal(all.memories[0]!.id)
      expect(some.memories.length + some.left_out).to.equal(4)
      const cut = some.memories.filter(({ content_length: length }) => length !== undefined)
      for (const { content, content_length: length } of cut) {
        expect(content).to.match(/^Part 0 .*\.$/)
        expect(length).to.equal(report.join(' ').length)
      }
      const few = await ana.memories.recall('warehouse report', { max_characters: 45 }).ok()
      expect(few.memories.map(({ content }) => content.length).reduce((a, b) => a + b)).to.be.at.most(45)
      expect(few.left_out).to.equal(4 - few.memories.length)
      for (const [bound, value] of [
        ['max_tokens', 0],
        ['max_characters', 1.5],
        ['max_tokens', '9'],
      ] as const)
        expect((await ana.memories.recall('warehouse', { [bound]: value })).status).to.equal(422)
    })

    it('are as many as are asked for, though others are folded', async () => {
      let former: string | undefined
      for (const n of [1, 2, 3, 4, 5]) {
        const content = `The rate limit of the API is ${n}00 requests.`
        former = (await remember(ana, { content, ...(former && { supersedes_id: former }) }))[0]!.id
      }
      await remember(ana, 'Requests beyond the limit of the API are answered with 429.', 'The API has a limit of 2 MB.')
      const answers = await answersTo('rate limit of the API', { top_k: 3 })
      expect(answers).to.have.length(3)
      expect(answers[0]!.content).to.include('500 requests')
      expect(answers[0]!.earlier).to.have.length(4)
    })

    it('hide no conflict', async () => {
      const claim = (port: string) => ({
        content: `The checkout service listens on port ${port}.`,
        entity_links: [{ name: 'checkout service', role: 'subject' }],
        predicate: 'port',
        object_value: port,
        visibility: 'scope_org',
      })
      await remember(ana, claim('6432'))
      const mallory = await tenant.caller({ agentId: 'mallory', fleetId: 'red', trust: 1 })
      await remember(mallory, claim('6433'))
      const answers = await answersTo('which port does the checkout service listen on?')
      expect(answers.map(({ status }) => status)).to.deep.equal(['conflicted', 'conflicted'])
      expect(answers.every((answer) => !('earlier' in answer))).to.equal(true)
    })
  })
}
