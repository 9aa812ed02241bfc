import { expect } from 'chai'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Caller } from '../support/client.js'
import { KEY_ROTATION } from '../support/forge.js'
import { settled } from '../support/indexed.js'
import { startLanguageModelStub, type ChatCall } from '../support/language-model-stub.js'
import { runCairn } from '../support/processes.js'
import { describeOnEachProfile, describeOnEmbedded } from '../support/profiles.js'
import { ownService, sharedService, type SharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'
import { newTenant } from '../support/tenants.js'

/** Tests the whole life of a skill: from what agents write to the file on a disk, and back. */
describeOnEachProfile((profile) => describeLife(sharedService(profile)))

describeOnEmbedded(() => {
  describe('with a language model', () => {
    let stub: Awaited<ReturnType<typeof startLanguageModelStub>>
    before(async () => {
      stub = await startLanguageModelStub({ reply: wordingOf })
    })
    after(() => stub.stop())
    const service = ownService(() => ({ env: { LLM_URL: stub.url, LLM_MODEL: 'stub', ENRICHMENT_CONCURRENCY: '0' } }))
    describeLife(service, 'Rotate the signing key in the model’s words')
  })
})

/** Words a skill as a model might: two steps that cite what they are taken from, and one that cites nothing. */
function wordingOf({ messages }: ChatCall): object {
  const quoted = [...messages.at(-1)!.content.matchAll(/"ref":\s*"(m\d+)"[^}]*?"text":\s*"([^"]*)"/g)]
  const refsOf = (word: RegExp) => quoted.flatMap(([, ref, text]) => (word.test(text!) ? [ref!] : []))
  return {
    name: 'Rotate the signing key in the model’s words',
    description: 'When the signing key has to be rotated.',
    goal: 'Rotate the signing key',
    domain: 'security',
    tags: ['keyring'],
    steps: [
      { text: 'Create a new signing key in the keyring.', cites: refsOf(/keyring/i) },
      { text: 'Publish the public key at the JWKS endpoint.', cites: refsOf(/JWKS/i) },
      { text: 'Send everybody an e-mail.', cites: [] },
    ],
    what_goes_wrong: [],
  }
}

function describeLife(service: SharedService, modelsName?: string): void {
  it('goes from four agents’ memories to a file on the disk, and away again', async function () {
    this.timeout(180_000)
    const tenant = newTenant(service())
    const operator = await tenant.caller({ trust: 3 })
    const reader = await tenant.caller({ agentId: 'finn', fleetId: 'red' })
    for (const [agentId, texts] of KEY_ROTATION) {
      const agent = await tenant.caller({ agentId, fleetId: 'red' })
      for (const content of texts) await agent.memories.create({ content, run_id: `rotation-${agentId}` }).ok()
    }
    await operator.settings.patch({ skills_factory: { enabled: true } }).ok()
    await ended(operator, (await service().client().forge.run({ tenant_id: tenant.id }).ok()).runs[0]!.run_id)

    await until('a reviewer finds it in the inbox', async () =>
      expect((await operator.skills.inbox().ok()).items).to.have.length(1),
    )
    const docId = (await operator.skills.inbox().ok()).items[0]!.doc_id
    const card = await operator.skills.waiting(docId).ok()
    expect(card).to.include({ status: 'staged', source: 'forge', domain: card.domain })
    expect(card.gates.map(({ name, passed }) => `${name} ${passed}`)).to.deep.equal(
      ['volume', 'diversity', 'freshness', 'poison', 'scan', 'hash_binding'].map((name) => `${name} true`),
    )
    expect(card.origin).to.include({ cluster_size: 4, distinct_agents: 4 })
    expect(card.content)
      .to.match(/keyring/)
      .and.match(/## Evidence/)
    if (modelsName !== undefined) {
      expect(card.name).to.equal(modelsName)
      expect(card.content).not.to.include('e-mail')
    }
    const cited = await Promise.all(card.cites.map((id) => operator.memories.get(id).ok()))
    expect(cited.length).to.be.greaterThan(7)

    await settled(service(), tenant.id)
    const found = async () => {
      const { results } = await reader.documents
        .search('rotate the signing key in the keyring', { collection: 'skills' })
        .ok()
      return results.map(({ doc_id }) => doc_id)
    }
    expect(await found()).to.deep.equal([])
    expect(await operator.skills.approve(docId).ok()).to.include({ previous_status: 'staged', new_status: 'active' })
    await until('it is found', async () => expect(await found()).to.deep.equal([docId]))
    await settled(service(), tenant.id)
    expect(await found()).to.deep.equal([docId])

    const dir = await mkdtemp(join(tmpdir(), 'cairn-skills-'))
    try {
      const sync = async () => {
        const env = {
          CAIRN_URL: service().url,
          CAIRN_API_KEY: await service().mintKey({ tenantId: tenant.id, agentId: 'finn', fleetId: 'red' }),
          SVC_SKILL_TARGETS: JSON.stringify([{ dir, mode: 'owned' }]),
        }
        const { code, stdout, stderr } = await runCairn(['skills', 'sync', '--tenant', tenant.id], { env })
        expect(code, stdout + stderr).to.equal(0)
        return readdir(dir)
      }
      expect(await sync()).to.deep.equal([card.slug])
      const file = await readFile(join(dir, card.slug, 'SKILL.md'), 'utf8')
      expect(file).to.include(card.content.trim()).and.include(card.content_hash).and.include(`doc_id: "${docId}"`)

      expect(await operator.skills.retire(docId).ok()).to.include({ new_status: 'deprecated' })
      expect(await found()).to.deep.equal([])
      expect((await reader.skills.get(docId)).status).to.equal(404)
      expect(await sync()).to.deep.equal([])
    } finally {
      await rm(dir, { recursive: true })
    }
  })
}

async function ended(operator: Caller, runId: string): Promise<void> {
  await until(
    'the run has ended',
    async () => expect((await operator.forge.get(runId).ok()).state).to.equal('succeeded'),
    { within: 90_000 },
  )
}
