import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'

interface WrittenMemory {
  readonly content: string
  readonly agent?: string
  /** The place of the one that it supersedes. */
  readonly supersedes?: number
}

const SECTIONS = readFileSync(new URL('../../docs/recall.md', import.meta.url), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    name: section.split('\n', 1)[0]!,
    blocks: [...section.matchAll(/^```jsonc (\w+)\n([^]*?)^```$/gm)].map(([, kind, text]) => ({
      kind: kind!,
      value: JSON.parse(text!) as unknown,
    })),
  }))

/** Expects that a value has at least what is told: the keys of objects, and the first items of lists; an empty list is empty. */
function expectTold(value: unknown, told: unknown, place: string): void {
  if (typeof told !== 'object' || told === null) expect(value, place).to.equal(told)
  else if (Array.isArray(told) && told.length === 0) expect(value, place).to.deep.equal([])
  else
    for (const [key, part] of Object.entries(told))
      expectTold((value as Record<string, unknown> | undefined)?.[key], part, `${place}.${key}`)
}

describeOnEachProfile((profile) => {
  const service = ownService({ profile })

  describe('docs/recall.md', () => {
    for (const { name, blocks } of SECTIONS)
      it(`tells what recall answers: ${name}`, async () => {
        const tenant = newTenant(service())
        const callers = new Map<string, Caller>()
        for (const agentId of ['ana', 'ben'])
          callers.set(agentId, await tenant.caller({ agentId, fleetId: 'red', trust: 2 }))
        const ana = callers.get('ana')!
        let answer: unknown
        expect(blocks.filter(({ kind }) => kind === 'told')).not.to.deep.equal([])
        for (const { kind, value } of blocks)
          if (kind === 'memories') {
            const ids: string[] = []
            for (const { content, agent = 'ana', supersedes } of value as WrittenMemory[]) {
              const link = supersedes === undefined ? {} : { supersedes_id: ids[supersedes] }
              ids.push(
                (
                  await callers
                    .get(agent)!
                    .memories.create({ content, ...link })
                    .ok()
                ).id,
              )
            }
            await settled(service())
          } else if (kind === 'ask') {
            const { query, ...options } = value as { query: string }
            answer = await ana.memories.recall(query, options).ok()
          } else expectTold(answer, value, kind)
      })
  })
})
