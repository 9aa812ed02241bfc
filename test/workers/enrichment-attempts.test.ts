import { expect } from 'chai'
import { sql } from 'kysely'
import { ModelCallError } from '../../models/model-call.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { SearchAnswer } from '../../search/search-index.js'
import { announceMark, confirmMark, markBuildLost } from '../../store/indexing/index-marks.js'
import { readMarks } from '../../store/indexing/known-marks.js'
import { enrichMemories } from '../../workers/enrichment/enrich-memories.js'
import { type EnrichmentJobs, enrichmentJobs, storeWith } from '../support/enrichment-jobs.js'

type Changed = (answer: SearchAnswer) => SearchAnswer

/** Tests what the job that has memories read counts as an attempt. */
describe('the enrichment job', () => {
  const begin = enrichmentJobs()

  describe('counts', () => {
    it('no attempt while the model is unavailable, and waits', async () => {
      const jobs = await begin({
        answer: () => Promise.reject(new UnavailableError('language model', new ModelCallError('failing', '503'))),
      })
      await jobs.write(['The mill by the river.'])
      expect(await jobs.work()).to.deep.equal({ settled: 0, failed: 0, released: 1 })
      expect(await jobs.pending()).to.have.length(1)
      expect((await jobs.pending())[0]!.attempts).to.equal(0)
    })

    for (const failure of ['timeout', 'failing', 'malformed'] as const)
      it(`an attempt for a text that alone makes the model fail (${failure}), and saves the eighth as failed`, async () => {
        const jobs = await begin({
          answer: () => Promise.reject(new UnavailableError('language model', new ModelCallError(failure, 'late'))),
          isThere: true,
        })
        const [id] = await jobs.write(['The mill by the river.'])
        for (let attempts = 1; attempts < 8; attempts++) {
          expect(await jobs.work({ attempts: 3 })).to.deep.equal({ settled: 0, failed: 1, released: 0 })
          expect((await jobs.pending())[0]!.attempts).to.equal(attempts)
          await jobs.hurry()
        }
        expect(await jobs.work({ attempts: 3 })).to.deep.equal({ settled: 0, failed: 1, released: 0 })
        expect((await jobs.memory(id!)).system_metadata.enrichment).to.deep.include({ state: 'failed' })
        expect([jobs.asked, await jobs.waiting()]).to.deep.equal([8, 0])
      })

    it('no attempt when the model is busy, unreachable or behind an open circuit', async () => {
      const failures = ['busy', 'unreachable', 'circuit open', 'misconfigured'] as const
      const jobs = await begin({
        answer: (before) =>
          Promise.reject(new UnavailableError('language model', new ModelCallError(failures[before]!, ''))),
        isThere: true,
      })
      await jobs.write(['The mill by the river.'])
      for (const failure of failures) {
        expect(await jobs.work(), failure).to.deep.equal({ settled: 0, failed: 0, released: 1 })
        expect((await jobs.pending())[0]!.attempts).to.equal(0)
        await jobs.hurry()
      }
    })

    it('an attempt for an unusable answer, and saves the last one as failed', async () => {
      const jobs = await begin({ answer: () => Promise.reject(new ModelCallError('refused', '400')) })
      const [id] = await jobs.write(['The mill by the river.'])
      for (const attempts of [1, 2]) {
        expect(await jobs.work({ attempts: 3 })).to.deep.equal({ settled: 0, failed: 1, released: 0 })
        expect((await jobs.pending())[0]!.attempts).to.equal(attempts)
        await jobs.hurry()
      }
      expect(await jobs.work({ attempts: 3 })).to.deep.equal({ settled: 0, failed: 1, released: 0 })
      expect((await jobs.memory(id!)).system_metadata.enrichment).to.deep.include({ state: 'failed' })
      expect(await jobs.waiting()).to.equal(0)
    })

    it('an attempt when the result cannot be saved, and marks the row as failed in the end', async () => {
      const jobs = await begin()
      await jobs.write(['The mill by the river.'])
      const { store } = jobs.context()
      let transactions = 0
      const refusing = storeWith(store, {
        // Every other transaction records the cost of the reading.
        transact: (bound, work, options) =>
          store.transact(
            bound,
            async (writer) => {
              if (++transactions % 3 === 2) await sql`select 1 / 0`.execute(writer.db)
              return work(writer)
            },
            options,
          ),
      })
      const outcomes = []
      for (let batch = await jobs.take(); batch; batch = await jobs.take()) {
        outcomes.push(await enrichMemories({ ...jobs.context(), store: refusing }, batch))
        await jobs.hurry()
      }
      expect(outcomes).to.deep.equal(Array(8).fill({ settled: 0, failed: 1, released: 0 }))
      const [row] = await jobs.query(sql<{ error: string }>`
        select error from index_pending where kind = 'enrich' and failed_at is not null and tenant_id = ${jobs.tenant}`)
      expect(row!.error).to.contain('22012')
    })

    it('no attempt while the search engine is unavailable, and asks no model', async () => {
      const jobs = await begin()
      await jobs.write(['The mill by the river.'])
      const away = jobs.context()
      const target = away.indexes.serving()
      const fault = { reason: 'unreachable', detail: 'away' } as const
      const index = { ...target.index, health: () => Promise.resolve(fault) }
      const indexes = { ...away.indexes, serving: () => ({ ...target, index }) }
      expect(await enrichMemories({ ...away, indexes }, (await jobs.take())!)).to.deep.include({ released: 1 })
      expect([jobs.asked, (await jobs.pending())[0]!.attempts]).to.deep.equal([0, 0])
    })

    describe('no try while the index is not whole', () => {
      const known = async ({ test, first }: EnrichmentJobs) =>
        (await test.store.asSystem((s) => readMarks(s, first.id))).marks
      /** Works with the next row; returns what came of it, and whether indexing is slowed down. */
      async function workBeside(jobs: EnrichmentJobs) {
        const context = jobs.context()
        const outcome = await enrichMemories(context, (await jobs.take())!)
        return { ...outcome, isSlowedDown: context.outages.search.isOn }
      }

      it('asks no model where it is lost, and does not slow down what fills another', async () => {
        const jobs = await begin()
        await jobs.write(['The mill by the river.'])
        jobs.indexes.indexOf(jobs.first).isAway = true
        await jobs.test.store.asSystem((s) => markBuildLost(s, jobs.first.id, 'the index is missing'))
        try {
          expect(await workBeside(jobs)).to.deep.include({ settled: 0, released: 1, isSlowedDown: false })
          expect([jobs.asked, (await jobs.pending())[0]!.attempts]).to.deep.equal([0, 0])
        } finally {
          jobs.indexes.indexOf(jobs.first).isAway = false
          await jobs.query(sql`update index_builds set lost_at = null, error = null`)
        }
        await jobs.hurry()
        expect(await workBeside(jobs)).to.deep.include({ settled: 1 })
      })

      it('settles nothing after a search of an index that has another mark', async () => {
        const jobs = await begin()
        const [id] = await jobs.write(['The mill by the river.'])
        const marks = await known(jobs)
        await jobs.indexes.indexOf(jobs.first).remark(marks, 'of another time')
        try {
          expect(await workBeside(jobs)).to.deep.include({ settled: 0, released: 1, isSlowedDown: false })
          expect((await jobs.pending())[0]!.attempts).to.equal(0)
          expect((await jobs.memory(id!)).system_metadata).to.not.have.property('enrichment')
        } finally {
          await jobs.indexes.indexOf(jobs.first).remark(['of another time'], marks[0]!)
        }
      })

      it('but settles where the mark moves on during the search', async () => {
        const jobs = await begin()
        await jobs.write(['The mill by the river.'])
        const index = jobs.indexes.indexOf(jobs.first)
        const real = index.for
        const moveMark = async () => {
          const { next, known } = (await jobs.test.store.asSystem((s) =>
            announceMark(s, jobs.first.id, { everyMs: 0 }),
          ))!
          await index.remark(known, next!)
          await jobs.test.store.asSystem((s) => confirmMark(s, jobs.first.id, next!))
        }
        index.for = (...given) => ({
          ...real(...given),
          async search(request) {
            await moveMark()
            const found = await real(...given).search(request)
            await moveMark()
            return found
          },
        })
        try {
          expect(await workBeside(jobs)).to.deep.include({ settled: 1 })
        } finally {
          index.for = real
        }
      })
    })

    describe('when legs of the search fail', () => {
      /** Runs `work` while the searches of the index answer otherwise. */
      async function whileSearches<T>({ indexes, first }: EnrichmentJobs, answer: Changed, work: () => Promise<T>) {
        const index = indexes.indexOf(first)
        const real = index.for
        index.for = (...given) => ({
          ...real(...given),
          search: async (request) => answer(await real(...given).search(request)),
        })
        try {
          return await work()
        } finally {
          index.for = real
        }
      }

      const alone = (answer: SearchAnswer): SearchAnswer => ({ ...answer, legs: { entity: [] }, failed: ['vector'] })

      it('one alone: an attempt, and what it would have found is asked for again', async () => {
        const jobs = await begin()
        const [id] = await jobs.write(['The mill by the river.'])
        expect(await whileSearches(jobs, alone, () => jobs.work())).to.deep.equal({
          settled: 0,
          failed: 1,
          released: 0,
        })
        expect((await jobs.pending())[0]!.attempts).to.equal(1)
        expect((await jobs.memory(id!)).system_metadata).to.not.have.property('enrichment')
        await jobs.hurry()
        expect(await jobs.work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
      })

      it('one alone, every time: the last attempt saves what was read, without conflicts', async () => {
        const jobs = await begin()
        const [id] = await jobs.write(['The mill by the river.'])
        for (let attempt = 1; attempt < 3; attempt++) {
          expect(await whileSearches(jobs, alone, () => jobs.work())).to.deep.equal({
            settled: 0,
            failed: 1,
            released: 0,
          })
          await jobs.hurry()
        }
        expect(await whileSearches(jobs, alone, () => jobs.work())).to.deep.equal({
          settled: 1,
          failed: 0,
          released: 0,
        })
        expect((await jobs.memory(id!)).system_metadata).to.have.property('enrichment')
      })

      it('all of them: none, since the engine is overloaded', async () => {
        const jobs = await begin()
        await jobs.write(['The mill by the river.'])
        const none = (answer: SearchAnswer): SearchAnswer => ({ ...answer, legs: {}, failed: ['vector'] })
        expect(await whileSearches(jobs, none, () => jobs.work())).to.deep.equal({ settled: 0, failed: 0, released: 1 })
        expect((await jobs.pending())[0]!.attempts).to.equal(0)
      })
    })

    it('none when the process stops: the call is broken off and the row given back at once', async () => {
      const stopping = new AbortController()
      const jobs = await begin({
        answer: (_, signal) => {
          stopping.abort()
          expect(signal?.aborted).to.equal(true)
          return Promise.reject(new UnavailableError('language model', new ModelCallError('aborted', '')))
        },
      })
      await jobs.write(['The mill by the river.'])
      expect(await jobs.work({}, stopping.signal)).to.deep.equal({ settled: 0, failed: 0, released: 1 })
      const [row] = await jobs.pending()
      expect(row!.attempts).to.equal(0)
      expect(row!.in_s).to.be.below(1)
    })
  })
})
