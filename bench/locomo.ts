import { randomUUID } from 'node:crypto'
import type { Cleanup } from './cleanup.js'
import { type Conversation, readLocomo } from './locomo-file.js'
import { createEnvironment, type Profile } from './environment.js'
import {
  type AskedQuestion,
  recallAll,
  createQualityMeasurement,
  type QualityMeasurement,
  type QualityOptions,
  reportQuality,
  writeMemories,
} from './quality.js'
import { mintKey, type ServiceAccess, startService, untilIndexed } from './service.js'

interface LocomoOptions extends QualityOptions {
  readonly data: string
}

/**
 * Measures recall quality on LoCoMo's conversations through the public interface. Each conversation is a new tenant,
 * each turn one memory, each question one recall once the index holds the conversation. Resolves to false when a figure
 * is too low.
 */
export async function benchLocomo(options: LocomoOptions, cleanup: Cleanup): Promise<boolean> {
  const conversations = readLocomo(options.data)
  const results = new Map<Profile, QualityMeasurement>()
  for (const profile of options.profiles) {
    const service = await startService(await createEnvironment(profile, cleanup, options.settings), { cleanup })
    const measured = createQualityMeasurement()
    results.set(profile, measured)
    for (const conversation of conversations)
      await recallAll(service.client, await loadConversation(service, conversation, measured), options.topK, measured)
    await service.stop()
  }
  return reportQuality('locomo', results, options)
}

/** Writes a conversation as a new tenant's memories. Resolves to its questions once the index holds all of them. */
export async function loadConversation(
  service: ServiceAccess,
  conversation: Conversation,
  measured: QualityMeasurement,
): Promise<AskedQuestion[]> {
  const tenantId = `locomo-${conversation.id}-${randomUUID().slice(0, 8)}`
  const [agentId, fleetId] = ['recorder', 'bench']
  const key = await mintKey(service, tenantId, agentId, fleetId)
  const evidenceOf = await writeTurns(service, { tenantId, key }, conversation, measured)
  await untilIndexed(service, tenantId)
  return conversation.questions.map((question) => ({
    ...question,
    asker: { tenantId, agentId, fleetId, key },
    evidenceOf,
  }))
}

/** Writes the turns and returns them by the id of the memory that holds them: turns of the same text are one memory. */
async function writeTurns(
  service: ServiceAccess,
  writer: { tenantId: string; key: string },
  conversation: Conversation,
  measured: QualityMeasurement,
): Promise<Map<string, string[]>> {
  const turnsOf = new Map<string, string[]>()
  for (const { number, at, turns } of conversation.sessions) {
    const items = turns.map((turn, i) => ({
      content: `${turn.speaker} said, "${turn.text}"${turn.caption ? ` and shared ${turn.caption}` : ''}`,
      memory_type: 'episode',
      run_id: `${conversation.id}-session-${number}`,
      ts_valid_start: new Date(at + i * 1000).toISOString(),
      metadata: { dia_id: turn.id },
    }))
    const ids = await writeMemories(service.client, { ...writer, items }, measured)
    for (const [i, id] of ids.entries()) turnsOf.set(id, [...(turnsOf.get(id) ?? []), turns[i]!.id])
  }
  return turnsOf
}
