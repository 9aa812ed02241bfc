import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { withConnection } from '../../store/connection.js'
import type { TestService } from './service.js'
import { serviceUrl } from './services.js'

/** Returns every row of every table, every document of the index and every job as one text. */
export async function everythingIn(service: TestService): Promise<string> {
  const texts: string[] = []
  await withConnection(service.databaseUrl, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    for (const { name } of tables)
      texts.push(
        ...(await client.query<{ row: string }>(`select t::text as row from ${name} t`)).rows.map(({ row }) => row),
      )
  })
  return [...texts, await indexText(service), await queueText(service)].join('\n').toLowerCase()
}

async function indexText(service: TestService): Promise<string> {
  const { engine } = service.context.index
  if (engine === 'sqlite') {
    const folder = join(service.dataDir, 'index')
    const files = await readdir(folder)
    return (await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')))).join('\n')
  }
  const { name } = await service.context.index.describe()
  const url = new URL(`/${name}/_search?size=1000`, serviceUrl('opensearch')!)
  return (await fetch(url)).text()
}

async function queueText(service: TestService): Promise<string> {
  const url = serviceUrl('redis')
  if (service.context.index.engine === 'sqlite' || url === null) return ''
  const redis = new Redis(url)
  try {
    const texts: string[] = []
    for (const key of await redis.keys('*indexing*'))
      if ((await redis.type(key)) === 'hash') texts.push(JSON.stringify(await redis.hgetall(key)))
    return texts.join('\n')
  } finally {
    redis.disconnect()
  }
}
