import { settingsOf } from '../../domain/settings/settings.js'
import { readSettingsRow } from '../../store/tenants/settings.js'
import { etagOf } from '../../http/entity-tags.js'
import type { Operation } from '../operation.js'
import { presentSettings } from './present-settings.js'

export const getSettings: Operation<'getSettings'> = async ({ store }, principal) => {
  const row = await store.read(principal, readSettingsRow)
  return { status: 200, headers: { ETag: etagOf(row) }, body: presentSettings(settingsOf(row.stored)) }
}
