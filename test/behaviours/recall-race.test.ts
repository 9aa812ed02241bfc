import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

const WRITERS = 6
const ROUNDS = 12

/** Tests concurrent writes, deletes, indexing and recalls. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('recall while others write, delete and index', () => {
    it('never misses an acknowledged memory, and never returns one whose deletion was answered', async () => {
      const tenant = newTenant(service())
      const callers = await Promise.all(
        [...Array(WRITERS).keys()].map((w) => tenant.caller({ agentId: `agent-${w}`, fleetId: 'red' })),
      )
      // Acknowledged memories that are not deleted so far; each writer deletes its own.
      const alive = new Map<string, string>()
      const dead = new Map<string, string>()
      const recallsOf = async (caller: Caller, word: string) =>
        (await caller.memories.recall(word, { top_k: 5 }).ok()).memories.map(({ id }) => id)

      async function work(caller: Caller, w: number): Promise<void> {
        const own: [id: string, word: string][] = []
        for (let round = 0; round < ROUNDS; round++) {
          const word = `zq${w}x${round}`
          const { id } = await caller.memories.create(`The fox number ${word} came by.`).ok()
          alive.set(id, word)
          own.push([id, word])
          expect(await recallsOf(caller, word), `just written ${word}`).to.include(id)

          // Any writer's memory of any age. It may be deleted during the recall, so it is looked up again afterwards.
          const [otherId, otherWord] = [...alive][(round * 7 + w * 13) % alive.size]!
          const seen = await recallsOf(caller, otherWord)
          if (alive.has(otherId)) expect(seen, `written ${otherWord}`).to.include(otherId)

          if (round % 3 === 2) {
            const [goneId, goneWord] = own.splice((round * 5) % own.length, 1)[0]!
            alive.delete(goneId)
            await caller.memories.delete(goneId).ok()
            dead.set(goneId, goneWord)
            expect(await recallsOf(caller, goneWord), `just deleted ${goneWord}`).to.not.include(goneId)
          }
          const ghosts = [...dead]
          if (ghosts.length > 0) {
            const [ghostId, ghostWord] = ghosts[(round * 11 + w) % ghosts.length]!
            expect(await recallsOf(caller, ghostWord), `deleted ${ghostWord}`).to.not.include(ghostId)
          }
        }
      }
      await Promise.all(callers.map(work))

      for (const indexed of [false, true]) {
        if (indexed) await settled(service())
        for (const [id, word] of alive) expect(await recallsOf(callers[0]!, word), word).to.include(id)
        for (const [id, word] of dead) expect(await recallsOf(callers[0]!, word), word).to.not.include(id)
      }
      expect(await callers[0]!.memories.total()).to.equal(alive.size)
    })

    it('finds all of a bulk of 500 once it was answered, while it is being indexed', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      const items = [...Array(500).keys()].map((i) => ({ content: `The fox number zq${i} came by.` }))
      await ana.memories.createMany(items)
      for (let i = 0; i < 500; i += 25) {
        const { memories, degraded } = await ana.memories.recall(`zq${i}`, { top_k: 3 }).ok()
        // Memories that a slow machine had no time to analyse are reported as pending, and found the next time.
        if (degraded === 'pending') i -= 25
        else expect(memories.map(({ content }) => content)).to.include(items[i]!.content)
      }
    })
  })
})
