import { readFileSync } from 'node:fs'
import express from 'express'
import pg from 'pg'
import { serveBare } from './serve-bare.js'

/**
 * The least that an API over PostgreSQL can do to serve a list that it has in memory: read one row by its key, to see
 * that the list is still current, and send it, or 304. This is the yardstick of `bench keystones`, a process of its
 * own: `node bare-rules.js DATABASE_URL FILE`, where the file contains the list as JSON; prints the port that it
 * listens on.
 */
const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 })
pool.on('error', () => undefined)
await pool.query('create table if not exists bare_sets (tenant_id text primary key, revision bigint not null)')
await pool.query(`insert into bare_sets values ('ruled', 1) on conflict do nothing`)
const list = readFileSync(process.argv[3]!)

const server = express()
server.disable('etag')
server.get('/rules', async (request, response) => {
  const { rows } = await pool.query<{ revision: string }>({
    name: 'revision',
    text: 'select revision from bare_sets where tenant_id = $1',
    values: [request.query.tenant_id],
  })
  const tag = `"${rows[0]!.revision}"`
  response.setHeader('ETag', tag)
  if (request.headers['if-none-match'] === tag) response.status(304).end()
  else response.type('application/json').send(list)
})
serveBare(server, pool)
