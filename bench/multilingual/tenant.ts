import { randomUUID } from 'node:crypto'
import { type AskedQuestion, type QualityMeasurement, writeMemories } from '../quality.js'
import { mintKey, type ServiceAccess, untilIndexed } from '../service.js'

/** A text, and the name of the piece of evidence that it is. Translations are the same piece. */
export interface EvidenceText {
  readonly text: string
  readonly piece: string
}

/** A tenant whose memories are indexed. */
export type LoadedTenant = Pick<AskedQuestion, 'asker' | 'evidenceOf'>

/** Writes the texts as a new tenant's memories. Resolves once the index holds all of them. */
export async function loadTexts(
  service: ServiceAccess,
  name: string,
  texts: readonly EvidenceText[],
  measured: QualityMeasurement,
): Promise<LoadedTenant> {
  const tenantId = `${name.toLowerCase()}-${randomUUID().slice(0, 8)}`
  const [agentId, fleetId] = ['recorder', 'bench']
  const key = await mintKey(service, tenantId, agentId, fleetId)
  const items = texts.map(({ text }) => ({ content: text, memory_type: 'fact' }))
  const ids = await writeMemories(service.client, { tenantId, key, items }, measured)
  await untilIndexed(service, tenantId)
  return {
    asker: { tenantId, agentId, fleetId, key },
    evidenceOf: new Map(ids.map((id, i) => [id, [texts[i]!.piece]])),
  }
}
