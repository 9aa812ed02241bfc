import { expect } from 'chai'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { callTool, connectTools } from '../support/tools.js'

const TEXTS: [what: string, text: string][] = [
  ['YAML that begins with spaces', '  x: 1\n  y: 2\n'],
  ['Python that begins with an empty line', '\n    if fox:\n        run()\n\n'],
  ['a Makefile with tabs and CRLF', 'all:\r\n\tmake fox\r\n'],
  ['Markdown with two spaces at a line end', 'fox  \nden\n'],
  ['decomposed letters and strange spaces', '\u00a0Cafe\u0301 fox\u2028\ufeff'],
]

const INVISIBLE = ['\u200b', '\u200d\u2060 \n', '\u00ad', '\u202e', '\u3164', '\ufe0f', '\u2800', '\u0007', '\u{e0041}']

/** Tests that texts are stored as they are written, by every way that writes them. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('a text', () => {
    let tenant: TestTenant, ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 3 })
    })

    for (const [what, text] of TEXTS)
      it(`such as ${what} is kept as written`, async () => {
        const { id, content } = await ana.memories.create({ content: text, title: ' T ' }).ok()
        expect(content).to.equal(text)
        const read = async () => (await ana.memories.get(id).ok()).content
        expect(await read()).to.equal(text)
        await settled(service(), tenant.id)
        expect(await ana.memories.recallContents('fox', { top_k: 1 })).to.deep.equal([text])
        await ana.memories.patch(id, { content: 'Fox.' }).ok()
        expect((await ana.memories.patch(id, { content: text }).ok()).content).to.equal(text)
        expect(await read()).to.equal(text)
        const inBulk = `${text}// in bulk\n `
        const { results } = await ana.memories.createMany([{ content: inBulk }]).ok()
        expect((await ana.memories.get(results[0]!.id!).ok()).content).to.equal(inBulk)
        expect(await ana.keystones.set({ doc_id: 'r', content: text, title: ' T ' }).ok()).to.include({
          content: text,
          title: 'T',
        })
      })

    it('is kept as written by the tools', async () => {
      const key = await service().mintKey({ tenantId: tenant.id, agentId: 'ben', fleetId: 'red', trust: 3 })
      const client = await connectTools(service().url, key)
      const [[, yaml], [, python]] = TEXTS as [(typeof TEXTS)[number], (typeof TEXTS)[number]]
      const written = await callTool(client, 'svc_memory', { op: 'write', content: yaml })
      expect(written.content.content).to.equal(yaml)
      await callTool(client, 'svc_memory', { op: 'write_many', items: [{ content: python }] })
      await callTool(client, 'svc_memory', { op: 'update', memory_id: written.content.id, content: `${yaml}\n` })
      const rule = { doc_id: 'r', title: 'T', content: yaml, scope: 'tenant', weight: 'low' }
      await callTool(client, 'svc_keystones', { op: 'set', ...rule })
      await client.close()
      expect((await ana.memories.listAll()).map(({ content }) => content)).to.have.members([`${yaml}\n`, python])
      expect(((await ana.keystones.list().ok()) as { content: string }[])[0]!.content).to.equal(yaml)
    })

    it('is counted without the white space at its ends', async () => {
      const longest = `  ${'x'.repeat(10_000)}\n\n`
      expect((await ana.memories.create(longest).ok()).content).to.equal(longest)
      const padded = `${' '.repeat(9_999)}y${'\n'.repeat(10_000)}`
      expect((await ana.memories.create(padded).ok()).content).to.equal(padded)
      const longestRule = `\n${'🦊'.repeat(20_000)} `
      expect((await ana.keystones.set({ doc_id: 'r', content: longestRule }).ok()).content).to.equal(longestRule)
    })

    it('is refused when nobody could read it, or when it is too long', async () => {
      for (const content of [
        '',
        ' ',
        ' \n\t\u00a0\u2028\ufeff',
        ...INVISIBLE,
        'x'.repeat(10_001),
        ` ${'x'.repeat(10_001)} `,
        `x${' '.repeat(20_000)}`,
      ]) {
        expect(faultsOf(await ana.memories.create(content))).to.deep.equal(['body.content'])
        const { body } = await ana.memories.createMany([{ content }, { content: 'Fine.' }])
        expect(body.results[0]).to.include({ status: 'error' })
      }
      const { id } = await ana.memories.create('Kept.').ok()
      const client = await connectTools(service().url, await service().mintKey({ tenantId: tenant.id, agentId: 'ana' }))
      for (const content of [' \n', ...INVISIBLE]) {
        expect(faultsOf(await ana.memories.patch(id, { content }))).to.deep.equal(['body.content'])
        expect(faultsOf(await ana.keystones.set({ doc_id: 'r', content }))).to.deep.equal(['body.content'])
        expect(faultsOf(await ana.memories.recall(content))).to.deep.equal(['body.query'])
        const links = [{ name: content }]
        expect(faultsOf(await ana.memories.create({ content: 'x', entity_links: links }))).to.deep.equal([
          'body.entity_links.0.name',
        ])
        const answer = await callTool(client, 'svc_memory', { op: 'write', content })
        expect(answer.content.error).to.deep.include({ code: 'INVALID_ARGUMENTS' })
      }
      await client.close()
      expect((await ana.memories.create('\u200b👩‍👩‍👧\ufe0f').ok()).content).to.equal('\u200b👩‍👩‍👧\ufe0f')
    })
  })
})
