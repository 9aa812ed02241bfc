import pg from 'pg'
import type { Cleanup } from './cleanup.js'
import { sendJson } from './http-client.js'
import { insertManyDocuments } from './many-documents.js'
import { createNoise } from './noise.js'
import { createEnvironment, type Profile } from './environment.js'
import { mintKey, startService } from './service.js'
import { alternate, printPair } from './side-by-side.js'

interface DocumentsOptions {
  readonly profiles: readonly Profile[]
  /** Number of documents in one collection of one tenant. */
  readonly documents: number
  /** Number of queries of each kind. */
  readonly queries: number
}

const TENANT = 'documents'
const COLLECTION = 'tasks'

/** One page of 50: its query, and the rows of the same documents by a statement written for it alone. */
interface Kind {
  readonly name: string
  body(i: number): object
  sql(i: number): [text: string, values: unknown[]]
}

const FROM = `from documents d join document_fields f on f.tenant_id = d.tenant_id and f.document_id = d.id
  where f.tenant_id = '${TENANT}' and f.collection = '${COLLECTION}'`
const MEMBERS = `from documents d join document_members m on m.tenant_id = d.tenant_id and m.document_id = d.id
  where m.tenant_id = '${TENANT}' and m.collection = '${COLLECTION}' and m.key = 'tags'`

function kindsOf(documents: number): Kind[] {
  const owner = (i: number) => `owner-${i % (documents / 100)}`
  const tag = (i: number) => `hundred-${i % (documents / 100)}`
  // All documents of an owner have this status.
  const status = (i: number) => (i % 2 ? 'closed' : 'open')
  return [
    {
      name: 'one value of 100 documents',
      body: (i) => ({ where: { owner: owner(i) } }),
      sql: (i) => [
        `select d.* ${FROM} and f.key = 'owner' and f.value = $1 order by d.id desc limit 50`,
        [`3${owner(i)}`],
      ],
    },
    {
      name: 'one value of half of them',
      body: () => ({ where: { status: 'open' } }),
      sql: () => [
        `select d.* ${FROM} and f.key = 'status' and f.value = '3open' order by f.document_id desc limit 50`,
        [],
      ],
    },
    {
      name: 'two values',
      body: (i) => ({ where: { status: status(i), owner: owner(i) } }),
      sql: (i) => [
        `select d.* ${FROM} and f.key = 'owner' and f.value = $1 and exists (
           select from document_fields o where o.tenant_id = d.tenant_id and o.document_id = d.id and o.key = 'status' and o.value = $2)
         order by d.id desc limit 50`,
        [`3${owner(i)}`, `3${status(i)}`],
      ],
    },
    {
      name: 'a member of a list of 100 documents',
      body: (i) => ({ where: { tags: tag(i) } }),
      sql: (i) => [`select d.* ${MEMBERS} and m.value = $1 order by d.id desc limit 50`, [`3${tag(i)}`]],
    },
    {
      name: 'a member of half of the lists',
      body: () => ({ where: { tags: 'half-0' } }),
      sql: () => [`select d.* ${MEMBERS} and m.value = '3half-0' order by m.document_id desc limit 50`, []],
    },
    {
      name: 'by a key',
      body: (i) => ({ order_by: 'number', order: i % 2 ? 'asc' : 'desc' }),
      sql: (i) => {
        const order = i % 2 ? 'asc' : 'desc'
        return [
          `select d.* ${FROM} and f.key = 'number' order by f.value ${order}, f.document_id ${order} limit 50`,
          [],
        ]
      },
    },
  ]
}

/**
 * Measures pages of POST /documents/query in alternation with the same rows read by bare SQL, without row level
 * security, HTTP or a page's cursor.
 */
export async function benchDocuments(options: DocumentsOptions, cleanup: Cleanup): Promise<void> {
  const { documents, queries } = options
  for (const profile of options.profiles) {
    const environment = await createEnvironment(profile, cleanup)
    const service = await startService(environment, { cleanup })
    const key = await mintKey(service, TENANT, 'reader')
    const started = performance.now()
    await insertManyDocuments(environment.databaseUrl(), { tenantId: TENANT, collection: COLLECTION, count: documents })
    console.log(
      `\ndocuments, ${profile}: ${documents}, inserted in ${Math.round((performance.now() - started) / 1_000)} s`,
    )
    const bare = new pg.Client({ connectionString: environment.databaseUrl() })
    bare.on('error', () => undefined)
    await bare.connect()
    const noise = createNoise()
    for (const kind of kindsOf(documents)) {
      const measured = async (i: number) => {
        const body = { tenant_id: TENANT, collection: COLLECTION, ...kind.body(i) }
        const request = { method: 'POST' as const, path: '/api/v1/documents/query', key, body }
        const { ms } = await sendJson(service.client, request)
        return ms
      }
      const yardstick = async (i: number) => {
        const [text, values] = kind.sql(i)
        const begun = performance.now()
        const { rows } = await bare.query(text, values)
        if (rows.length === 0) throw new Error(`${kind.name}: the yardstick finds nothing`)
        return performance.now() - begun
      }
      for (let i = 0; i < 40; i++) await Promise.all([measured(i), yardstick(i)])
      const pair = await alternate(
        Array.from({ length: queries }, (_, i) => i),
        { measured, yardstick, noise },
      )
      printPair(kind.name, pair, ['POST /documents/query', 'bare SQL'], 'none')
    }
    console.log('noise', noise.summary())
    await bare.end()
    await service.stop()
  }
}
