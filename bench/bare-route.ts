import { createHash } from 'node:crypto'
import express from 'express'
import pg from 'pg'
import { serveBare } from './serve-bare.js'
import { v7 as uuidv7 } from 'uuid'

/**
 * The least that an API over PostgreSQL can do with a memory: parse, insert one row, commit, answer it. This is the
 * yardstick of `bench write`, a process of its own: `node bare-route.js DATABASE_URL`; prints the port that it listens
 * on.
 */
const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 })
pool.on('error', () => undefined)
await pool.query(`create table if not exists bare_memories (
  tenant_id text not null, id uuid not null, fleet_id text, agent_id text, memory_type text not null, title text,
  content text not null, content_hash bytea not null, text_hash bytea not null, weight real not null, source_uri text, run_id text,
  metadata jsonb not null, created_at timestamptz not null, updated_at timestamptz not null, expires_at timestamptz,
  valid_start timestamptz, valid_end timestamptz, status text not null, visibility text not null, confidence real,
  primary key (tenant_id, id))`)
await pool.query(`create unique index if not exists bare_duplicate
  on bare_memories (tenant_id, fleet_id, agent_id, content_hash) nulls not distinct where status = 'active'`)

interface Body {
  readonly tenant_id: string
  readonly content: string
  readonly memory_type: string
  readonly run_id: string
  readonly ts_valid_start: string
  readonly metadata: object
}

const server = express()
server.use(express.json({ limit: '1mb' }))
server.post('/memories', async (request, response) => {
  const body = request.body as Body
  const hash = createHash('sha256').update(body.content).digest()
  const now = new Date()
  const { rows } = await pool.query<Record<string, unknown>>(
    `insert into bare_memories values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
     returning *`,
    [
      body.tenant_id,
      uuidv7(),
      'bench',
      'scribe',
      body.memory_type,
      null,
      body.content,
      hash,
      hash,
      0.5,
      null,
      body.run_id,
      body.metadata,
      now,
      now,
      null,
      body.ts_valid_start,
      null,
      'active',
      'scope_team',
      null,
    ],
  )
  const { content_hash: _, text_hash: __, ...row } = rows[0]!
  response.status(201).json(row)
})
serveBare(server, pool)
