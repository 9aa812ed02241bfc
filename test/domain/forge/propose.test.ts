import { expect } from 'chai'
import fc from 'fast-check'
import { DATA_BOOK } from '../../../bench/forge-fleet/data-book.js'
import { DATABASE_BOOK } from '../../../bench/forge-fleet/database-book.js'
import { measureForge } from '../../../bench/forge-fleet/figures.js'
import { LAB_BOOK } from '../../../bench/forge-fleet/lab-book.js'
import { OFFICE_BOOK } from '../../../bench/forge-fleet/office-book.js'
import { plantFleet } from '../../../bench/forge-fleet/plant.js'
import { PLATFORM_BOOK } from '../../../bench/forge-fleet/platform-book.js'
import { SUPPORT_BOOK } from '../../../bench/forge-fleet/support-book.js'
import { proposeSkills } from '../../../domain/forge/propose.js'
import { createStaticEmbedder } from '../../../models/static-embedder.js'
import { keyRotation, LIMITS, memoryOf, runOf, WINDOW } from './forge-memories.js'

const skillsOf = (memories: Parameters<typeof proposeSkills>[0]) =>
  proposeSkills(memories, WINDOW, LIMITS).flatMap(({ proposals }) => proposals.map(({ skill }) => skill))

describe('proposeSkills', () => {
  it('says the same whatever the order of the memories, and at every tick', () => {
    const memories = keyRotation()
    const expected = skillsOf(memories)
    fc.assert(
      fc.property(fc.shuffledSubarray(memories, { minLength: memories.length }), (shuffled) => {
        expect(skillsOf(shuffled)).to.deep.equal(expected)
      }),
      { numRuns: 20 },
    )
  })

  it('refreshes a skill when one more run joins: the sketch finds it again', () => {
    const memories = keyRotation()
    const more = runOf('fay', 'run-fay', [
      'Signing key 4718 created in the keyring.',
      'Put the public key on the JWKS endpoint.',
      'Restarted the token issuer.',
      'Old signing key retired.',
      'All logins work, done.',
    ])
    const [[before], [after]] = [skillsOf(memories), skillsOf([...memories, ...more])]
    expect(after!.figures.clusterSize).to.equal(before!.figures.clusterSize! + 1)
    const same = after!.sketch.filter((value, i) => value === before!.sketch[i]).length
    expect(same / after!.sketch.length).to.be.at.least(0.5)
  })

  it('keeps fleets apart', () => {
    const memories = keyRotation()
    const split = memories.map((memory) => ({ ...memory, fleetId: memory.agentId! < 'c' ? 'f' : 'g' }))
    expect(skillsOf(split).map(({ figures }) => figures.clusterSize)).to.deep.equal([2, 2])
  })

  it('never uses a private memory', () => {
    const memories = keyRotation()
    const secret = memoryOf({
      agentId: 'ana',
      runId: 'run-ana',
      content: 'Signing key 4711 has the passphrase tulip.',
      visibility: 'scope_agent',
    })
    expect(JSON.stringify(skillsOf([...memories, secret]))).not.to.contain('tulip')
  })

  it('says nothing that no cited memory says, whichever memories there are', () => {
    const memories = plantFleet(DATABASE_BOOK, 3).memories.map(({ memory }) => memory)
    const wordsOf = (text: string): string[] => [...(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]
    fc.assert(
      fc.property(fc.subarray(memories, { minLength: 200 }), (some) => {
        for (const { steps, lessons, cites } of skillsOf(some))
          for (const { text, memories: cited } of [...steps, ...lessons]) {
            expect(cites).to.include.members(cited.map(({ id }) => id))
            const isSaid = cited.some(({ content }) => wordsOf(text).every((word) => wordsOf(content).includes(word)))
            expect(isSaid, text).to.equal(true)
          }
      }),
      { numRuns: 8 },
    )
  })

  it('finds the workflows of a cluster in which several have grown together', () => {
    const { judged, figures } = measureForge(plantFleet(DATABASE_BOOK, 4))
    expect(judged.map(({ target }) => target)).to.include('south upgrade')
    expect(figures.found).to.equal(figures.wanted)
  })

  it('finds the workflows of a fleet in logs and chat also by vectors, for which these are two subjects', async () => {
    const fleet = plantFleet(DATA_BOOK, 2)
    const embedder = await createStaticEmbedder()
    const texts = fleet.memories.map(({ memory }) => memory.content)
    const vectors = await embedder.embed(texts, 'passage')
    const { figures } = measureForge(fleet, new Map(fleet.memories.map(({ memory }, i) => [memory.id, vectors[i]!])))
    expect([figures.found, figures.forbidden]).to.deep.equal([figures.wanted, 0])
  })

  it('is nothing without memories', () => {
    expect(proposeSkills([], WINDOW, LIMITS)).to.deep.equal([])
  })
})

const FLEETS = [
  plantFleet(PLATFORM_BOOK, 1),
  plantFleet(OFFICE_BOOK, 1),
  plantFleet(DATABASE_BOOK, 1),
  plantFleet(SUPPORT_BOOK, 1),
  plantFleet(DATA_BOOK, 1),
  plantFleet(LAB_BOOK, 1),
]

for (const fleet of FLEETS)
  describe(`the ${fleet.name} fleet`, () => {
    const { figures, judged } = measureForge(fleet)

    it('gives every planted workflow one skill, and traps none', () => {
      expect(figures.found).to.equal(figures.wanted)
      expect(
        [figures.duplicates, figures.forbidden],
        JSON.stringify(judged.flatMap(({ forbidden }) => forbidden)),
      ).to.deep.equal([0, 0])
      expect(figures.skills).to.equal(figures.wanted)
    })

    it('is clustered with precision .9, recall .8 and .8 of the planted steps', () => {
      expect(figures.precision).to.be.at.least(0.9)
      expect(figures.recall).to.be.at.least(0.8)
      expect(figures.steps).to.be.at.least(0.8)
    })

    it('is worded by its memories alone, and the same at the second tick', () => {
      expect([figures.newWords, figures.changes]).to.deep.equal([0, 0])
    })
  })
