import { type RawBuilder, sql } from 'kysely'
import type { Document } from '../../domain/documents/document.js'
import type { Language } from '../../domain/text/language.js'
import { anyOf } from '../conditions.js'
import type { BoundFleets } from '../../domain/skills/fleet-bound.js'

/** A document with the key of its vectors. */
export interface DocumentRow extends Document {
  readonly textHash: Buffer
}

/** Returns the language of `documents` under an alias, which is that of its present version only. */
export function languageColumn(alias: 'd' | 'o' | 'k'): RawBuilder<string | null> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return sql`case when ${column('language_version')} = ${column('version')} then ${column('language')} end`
}

/** Returns the condition that a row of documents is in one of these languages; true for all rows when none is named. */
export function isInLanguages(alias: 'd' | 'o', languages: readonly Language[] | undefined): RawBuilder<boolean> {
  return languages === undefined ? sql<boolean>`true` : sql<boolean>`${languageColumn(alias)} = ${anyOf(languages)}`
}

/** Columns of a `DocumentRow`, read from `documents d`. */
export const DOCUMENT_COLUMNS = sql`
  d.id, d.collection, d.doc_id as "docId", d.fleet_id as "fleetId", d.data, d.text_hash as "textHash", d.version,
  ${languageColumn('d')} as language,
  d.system_metadata as "systemMetadata", d.created_at as "createdAt", d.updated_at as "updatedAt"`

/** Bytes of JSON that one response holds: 200 documents of 256 KiB would make a response of 50 MB. */
export const PAGE_BYTES = 4 * 1024 * 1024

/** Returns the number of JSON bytes of the rows of `documents d` that come before a row in this order. */
export function bytesBefore(order: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`sum(octet_length(d.data::text)) over (order by ${order}) - octet_length(d.data::text)`
}

/**
 * Returns the condition that rows under this alias, which have a `fleet_id`, belong to this fleet or to none; true for
 * all rows when no fleet is named.
 */
export function ofFleetOrNone(alias: 'd' | 'o' | 'c', fleetId: string | undefined): RawBuilder<boolean> {
  const fleet = sql.ref(`${alias}.fleet_id`)
  return fleetId === undefined ? sql<boolean>`true` : sql<boolean>`(${fleet} = ${fleetId} or ${fleet} is null)`
}

/** Returns the expression of whether a row of documents `d` or `o` is bound to its fleet: `boundFleetOf` of the domain. */
export function isFleetBound(alias: 'd' | 'o'): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  // A case, so that only skills' data is read.
  return sql<boolean>`case when ${column('collection')} = 'skills' and ${column('fleet_id')} is not null
    then starts_with(${column('doc_id')}, 'forge/') or coalesce(${column('data')} ->> 'source' = 'forge', false) else false end`
}

/** Returns the condition that a row of documents is seen by whoever sees what is bound to these fleets. */
export function isWithinBounds(alias: 'd' | 'o', bounds: BoundFleets): RawBuilder<boolean> {
  if (bounds === 'all') return sql<boolean>`true`
  return sql<boolean>`(not ${isFleetBound(alias)} or ${sql.ref(`${alias}.fleet_id`)} = any(${bounds as string[]}::text[]))`
}

/** Returns the same condition for `skills s` with their active version `v`. */
export function isSkillWithinBounds(bounds: BoundFleets): RawBuilder<boolean> {
  if (bounds === 'all') return sql<boolean>`true`
  return sql<boolean>`(s.fleet_id is null or not (starts_with(s.doc_id, 'forge/') or v.source = 'forge')
    or s.fleet_id = any(${bounds as string[]}::text[]))`
}
