// The main thread imports this file and not schema.ts: where OpenSearch is the engine, SQLite's library need not be installed.

/** Increased with every change of the tables or the analysis (domain/text): each version has its own file. */
export const SCHEMA_VERSION = 11

export interface FileShape {
  readonly path: string
  readonly embedderId: string
  readonly dimensions: number
}

/** Returns whether the error says that the file itself is damaged, as opposed to a full disk or a lock. */
export function isDamage(error: unknown): boolean {
  const { code = '' } = error as { code?: string }
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB' || code === FOREIGN_FILE
}

/** Thrown when the file is not the one that this service created. */
export class ForeignFileError extends Error {
  readonly code = FOREIGN_FILE
}
const FOREIGN_FILE = 'FOREIGN_FILE'
