import { changedSettings, differencesOf, type SettingsChange } from '../../domain/settings/change-settings.js'
import { settingsOf } from '../../domain/settings/settings.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'
import { audit } from '../../store/audit.js'
import type { Writer } from '../../store/store.js'
import { lockSettings, replaceSettings } from '../../store/tenants/settings.js'
import { etagOf, requireMatch } from '../../http/entity-tags.js'
import type { Operation } from '../operation.js'
import { presentSettings } from './present-settings.js'

export const patchSettings: Operation<'patchSettings'> = async ({ store, clock }, principal, { headers, body }) => {
  const { tenant_id: _, ...named } = body
  // The contract generates this type from its `x-change-of`, and the transport has validated the body against it.
  const change = named as SettingsChange
  if (Object.keys(change).length === 0)
    throw InvalidArgumentsError.at([], 'Name at least one setting to change.', 'missing')
  const now = new Date(clock.now())
  const { settings, version } = await store.transact(principal, (writer) =>
    changeSettings(writer, change, headers['If-Match'], now),
  )
  return { status: 200, headers: { ETag: etagOf({ version }) }, body: presentSettings(settings) }
}

async function changeSettings(
  writer: Writer,
  change: SettingsChange,
  ifMatch: string | undefined,
  now: Date,
): Promise<{ settings: Settings; version: number }> {
  const before = await lockSettings(writer)
  requireMatch(ifMatch, before)
  const stored = changedSettings(before.stored, change)
  const settings = settingsOf(stored)
  const changes = differencesOf(settingsOf(before.stored), settings)
  if (changes.length === 0) return { settings, version: before.version }
  const version = await replaceSettings(writer, stored, now)
  const subject = { kind: 'settings', id: writer.tenantId } as const
  await audit(writer, now, [{ action: 'settings.updated', subject, details: { changes, version } }])
  return { settings, version }
}
