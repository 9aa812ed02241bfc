import type { FleetCorpus } from './fleet-memories.js'

/** A bulk body that is built to keep the one thread of a process busy. */
interface HostileBody {
  readonly path: string
  readonly body: Buffer
}

const BYTES = 15 * 1_048_576
/** A list that fills `metadata` and `scope`, 16 KiB each. */
const OBJECTS = list('{}', 16_384 - 10)

/**
 * Returns bodies that are refused, as a whole or item by item: before they are parsed, afterwards, or for each of their
 * many fields.
 */
export function refusedBodies(tenantId: string): HostileBody[] {
  const fields = Array.from({ length: 1_500 }, (_, i) => `"f${i}":{}`).join(',')
  return [
    bulk(tenantId, `{"content":"One.","metadata":{"a":[${list('{}', BYTES - 100)}]}}`),
    bulk(
      tenantId,
      filled(() => `{"metadata":{"a":[${OBJECTS}]},"scope":{"a":[${OBJECTS}]}}`),
    ),
    bulk(tenantId, `{"content":"${'\\n'.repeat(BYTES / 2 - 100)}"}`),
    bulk(
      tenantId,
      filled(() => `{${fields}}`),
    ),
    bulk(tenantId, list('{}', BYTES - 100)),
  ]
}

/** Returns bodies as large as the contract allows, which are stored. `seed` makes them distinct. */
export function storedBodies(tenantId: string, seed: number): HostileBody[] {
  const memory = (i: number) => {
    const content = `Body ${seed}, item ${i}.`
    return `{"content":"${content}","metadata":{"a":[${OBJECTS}]},"scope":{"a":[${OBJECTS}]}}`
  }
  const document = (i: number) => `{"doc_id":"${seed}/${i}","data":{"a":[${list('[]', 149_000)}]}}`
  return [bulk(tenantId, filled(memory)), bulk(tenantId, filled(document), 'bench')]
}

function list(value: string, bytes: number): string {
  return `${`${value},`.repeat(Math.floor(bytes / (value.length + 1)) - 1)}${value}`
}

/** Returns items up to the size of a body, 500 at most. */
function filled(itemOf: (index: number) => string): string {
  const items: string[] = []
  for (let bytes = 0; items.length < 500;) {
    const item = itemOf(items.length)
    bytes += item.length + 1
    if (bytes > BYTES - 100) break
    items.push(item)
  }
  return items.join(',')
}

function bulk(tenantId: string, items: string, collection?: string): HostileBody {
  const fields = `"tenant_id":"${tenantId}"${collection === undefined ? '' : `,"collection":"${collection}"`}`
  const path = collection === undefined ? '/api/v1/memories/bulk' : '/api/v1/documents/bulk'
  return { path, body: Buffer.from(`{${fields},"items":[${items}]}`) }
}

const LONG_MEMORIES = 400
const WORDS_OF_A_LONG_MEMORY = 150
/** Memories of the corpus whose texts are enough for a long one. */
const ENOUGH = 30

/** Returns 400 memories of 150 words in runs of ten. */
export function longMemories(corpus: FleetCorpus): { readonly content: string; readonly run_id: string }[] {
  const texts = corpus.memories(LONG_MEMORIES + ENOUGH).map(({ content }) => content)
  return Array.from({ length: LONG_MEMORIES }, (_, i) => {
    const words = texts
      .slice(i, i + ENOUGH)
      .join(' ')
      .split(' ')
    return { content: words.slice(0, WORDS_OF_A_LONG_MEMORY).join(' '), run_id: `long-${Math.floor(i / 10)}` }
  })
}

/** Returns a query of almost 5,000 characters, whose words are all different. */
export function longQuery(corpus: FleetCorpus): string {
  const words = corpus.memories(5 * ENOUGH).flatMap(({ content }) => content.split(' '))
  return [...new Set(words)].join(' ').slice(0, 5_000).trim()
}
