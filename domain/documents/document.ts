import type { PiiRecord } from '../personal-data/screen.js'
import type { Language } from '../text/language.js'

/** A JSON object that a caller stores under a name of its own. */
export interface Document {
  readonly id: string
  readonly collection: string
  readonly docId: string
  readonly fleetId: string | null
  readonly data: DocumentData
  readonly version: number
  /** That of this version's data; null where it is uncertain, or where nobody has looked for it since a process of an earlier version wrote it. */
  readonly language: Language | null
  readonly systemMetadata: DocumentMetadata
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type DocumentData = Readonly<Record<string, unknown>>

/** Metadata that the service itself records about a document. */
export interface DocumentMetadata {
  readonly pii?: PiiRecord
  /** Facts about a skill, which are not searched, and shown as part of `data`. */
  readonly skill?: Readonly<Record<string, unknown>>
}
