import { LRUCache } from 'lru-cache'
import type { Corpus } from '../../domain/corpus.js'
import { type Connection, wordsOf } from './connection.js'

/**
 * The blocks of the tenants that were searched last, kept by the reading thread. Every read verifies the tenant's
 * version on the search's own snapshot and reads the blocks that changed since.
 */
export interface CodeCache {
  /** Returns the tenant's blocks by their place; undefined where no document has ever had a vector. */
  read(connection: Connection, corpus: Corpus, tenant: number): TenantBlocks
}

export type TenantBlocks = readonly (Uint32Array | undefined)[]

interface CachedTenant {
  readonly version: number
  readonly blocks: (Uint32Array | undefined)[]
}

/** Codes of all cached tenants: 1.4 million vectors of 256 dimensions. A tenant with more is read for each search. */
const CACHE_BYTES = 96 * 2 ** 20
/** Blocks of one statement, so that few are in memory twice. */
const BLOCKS_AT_ONCE = 256

export function createCodeCache(): CodeCache {
  const tenants = new LRUCache<string, CachedTenant>({ maxSize: CACHE_BYTES })
  return {
    read(connection, corpus, tenant) {
      const key = `${corpus}:${tenant}`
      const known = tenants.get(key)
      const [row] = connection.all<[number]>('select codes_version from tenants where number = ?', [tenant])
      const version = row![0]
      if (known?.version === version) return known.blocks
      const blocks = known ? readChanged(connection, tenant, known) : readAll(connection, tenant)
      const size = blocks.reduce((sum, block) => sum + (block?.byteLength ?? 0) + 100, 1)
      tenants.set(key, { version, blocks }, { size })
      return blocks
    },
  }
}

type BlockRow = readonly [block: number, codes: Uint8Array]

function readChanged(
  connection: Connection,
  tenant: number,
  { version, blocks }: CachedTenant,
): CachedTenant['blocks'] {
  const rows = connection.all<BlockRow>('select number - ?, codes from code_blocks where tenant = ? and version > ?', [
    tenant * 2 ** 32,
    tenant,
    version,
  ])
  for (const [block, codes] of rows) blocks[block] = wordsOf(codes)
  return blocks
}

function readAll(connection: Connection, tenant: number): CachedTenant['blocks'] {
  const blocks: CachedTenant['blocks'] = []
  const first = tenant * 2 ** 32
  for (let from = first; ; from = first + blocks.length) {
    const rows = connection.all<BlockRow>(
      'select number - ?, codes from code_blocks where number >= ? and number < ? order by number limit ?',
      [first, from, first + 2 ** 32, BLOCKS_AT_ONCE],
    )
    for (const [block, codes] of rows) blocks[block] = wordsOf(codes)
    if (rows.length < BLOCKS_AT_ONCE) return blocks
  }
}
