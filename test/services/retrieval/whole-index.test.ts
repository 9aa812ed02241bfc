import { expect } from 'chai'
import { type VerifiedAnswer, verifyAnswer } from '../../../services/retrieval/whole-index.js'
import type { SearchAnswer } from '../../../search/search-index.js'
import type { IndexBuild } from '../../../store/indexing/index-builds.js'
import { announceMark, confirmMark, markBuildLost } from '../../../store/indexing/index-marks.js'
import { type KnownMarks, readMarks } from '../../../store/indexing/known-marks.js'
import { createFakeEmbedder } from '../../support/fake-embedder.js'
import { createTestIndexes } from '../../support/index-builds.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

describe('an answer of the index', () => {
  let test: TestStore
  let build: IndexBuild
  beforeEach(async () => {
    test = await createTestStore()
    build = await createTestIndexes(test, createFakeEmbedder()).first()
  })
  afterEach(() => test.stop())

  const readKnown = () => test.store.asSystem((s) => readMarks(s, build.id))
  const announce = async () => (await test.store.asSystem((s) => announceMark(s, build.id, { everyMs: 0 })))!.next!
  async function moveOn(): Promise<string> {
    const next = await announce()
    await test.store.asSystem((s) => confirmMark(s, build.id, next))
    return next
  }
  const answerOf = (mark: string | null): SearchAnswer => ({ legs: {}, failed: [], statistics: null, mark })
  const trust = (known: KnownMarks, answer: SearchAnswer | null): Promise<VerifiedAnswer> =>
    verifyAnswer({ store: test.store, indexBuildId: build.id }, { tenantId: 'harbour' } as never, known, answer)
  const UNTRUSTED = { answer: null, isWhole: false }

  it('is trusted with the mark that was known before, confirmed or announced', async () => {
    const first = answerOf(await moveOn())
    const next = answerOf(await announce())
    const known = await readKnown()
    expect(await trust(known, first)).to.deep.equal({ answer: first, isWhole: true })
    expect(await trust(known, next)).to.deep.equal({ answer: next, isWhole: true })
  })

  it('is trusted with each mark that the index has had since, however often it has moved on by the time of the look', async () => {
    const known = await readKnown()
    const since = [await moveOn(), await moveOn(), await moveOn(), await announce()]
    for (const mark of since) expect(await trust(known, answerOf(mark))).to.include({ isWhole: true })
  })

  it('is thrown away with a mark from before, as of a copy that was put back, or with one that nobody knows, or none', async () => {
    const old = [build.id, await moveOn(), await moveOn()]
    const mark = await moveOn()
    const known = await readKnown()
    for (const moves of [0, 1, 2]) {
      for (const other of [...old, '', 'foreign', null])
        expect(await trust(known, answerOf(other)), `${other} after ${moves}`).to.deep.equal(UNTRUSTED)
      expect(await trust(known, answerOf(mark))).to.include({ isWhole: true })
      await moveOn()
    }
    expect(await trust(known, null)).to.deep.equal(UNTRUSTED)
  })

  it('is trusted after so many moves that the first is forgotten, and is no longer trusted once it is so itself', async () => {
    const known = await readKnown()
    const [second] = [await moveOn()]
    for (let moves = 0; moves < 127; moves++) await moveOn()
    const late = await moveOn()
    await moveOn()
    expect(await trust(known, answerOf(late))).to.include({ isWhole: true })
    expect(await trust(known, answerOf(second!))).to.deep.equal(UNTRUSTED)
  })

  it('is not of a whole index once that is noted as lost', async () => {
    const known = await readKnown()
    const mark = await moveOn()
    await test.store.asSystem((s) => markBuildLost(s, build.id, 'the index is missing'))
    expect(await trust(known, answerOf(mark))).to.include({ isWhole: false })
    expect(await trust(await readKnown(), answerOf(mark))).to.include({ isWhole: false })
  })
})
