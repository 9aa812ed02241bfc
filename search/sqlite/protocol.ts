import type { Corpus } from '../../domain/corpus.js'
import type { IndexChange, IndexOutcome, SearchAnswer, SearchRequest } from '../search-index.js'
import type { FileShape } from './schema.js'

/** The `workerData` of a thread. */
export interface ThreadSettings {
  readonly role: 'read' | 'write'
  readonly files: { readonly [K in Corpus]: FileShape }
}

/** The tasks of a thread by name, with their arguments and answers. */
export interface Tasks {
  make: [mark: string, answer: null]
  mark: [argument: null, answer: string | null]
  remark: [argument: { readonly known: readonly string[]; readonly next: string }, answer: boolean]
  search: [argument: { readonly tenantId: string; readonly request: SearchRequest }, answer: SearchAnswer]
  write: [argument: { readonly tenantId: string; readonly changes: readonly IndexChange[] }, answer: IndexOutcome[]]
  purge: [argument: number, answer: number]
  countOf: [argument: { readonly tenantId: string; readonly ids: readonly string[] }, answer: number]
  /** Counts the documents of one tenant, or of all by the kept counters. */
  count: [argument: { readonly tenantId: string } | null, answer: number]
  expunge: [argument: null, answer: null]
  close: [argument: null, answer: null]
}
export type TaskName = keyof Tasks

export interface TaskMessage<Name extends TaskName = TaskName> {
  /** The corpus whose file is used; `close` closes both. */
  readonly corpus: Corpus
  readonly name: Name
  readonly argument: Tasks[Name][0]
}

/** A task's answer, or its error as SQLite's code only: SQLite's messages may quote content. */
export type TaskReply =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly code: string; readonly damaged: boolean }
