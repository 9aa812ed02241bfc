import { withConnection } from '../store/connection.js'

interface ManyDocuments {
  readonly tenantId: string
  readonly collection: string
  /** Number of documents, up to a million. */
  readonly count: number
}

/**
 * Inserts documents with their fields as the service would write them, one second apart, and the statistics that the
 * planner needs. `status` has two values, `team` ten, each `owner` has a hundred documents, `number` is unique, and a
 * tenth of the documents has `due`. Of the three members of `tags` half of the documents have one, a
 * tenth another, a hundred documents the third. Runs SQL as a superuser, without looking up the references of each row.
 */
export async function insertManyDocuments(url: string, { tenantId, collection, count }: ManyDocuments): Promise<void> {
  await withConnection(url, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query('create temporary table made (id uuid, i int, at timestamptz(3), data jsonb)')
    await client.query(
      `insert into made
       select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid, i, at,
         jsonb_build_object('status', case i % 2 when 0 then 'open' else 'closed' end, 'team', 'team-' || i % 10,
           'owner', 'owner-' || i % ($1::int / 100), 'number', i, 'title', 'Document ' || i,
           'tags', jsonb_build_array('half-' || i % 2, 'tenth-' || i % 10, 'hundred-' || i % ($1::int / 100)))
         || case when i % 10 = 3 then jsonb_build_object('due', (i * 7919::bigint) % 100000) else '{}' end
       from (select i, date_trunc('second', now()) - ($1::int - i) * interval '1 s' as at from generate_series(1, $1::int) as i) s`,
      [count],
    )
    await client.query(
      `insert into documents (tenant_id, id, collection, doc_id, data, text_hash, created_at, updated_at, members_stored)
       select $1, id, $2, 'doc-' || lpad(((i * 7919::bigint) % 1000003)::text, 7, '0'), data, sha256((data ->> 'title')::bytea), at,
         at + (i % 977) * interval '1 min', true
       from made`,
      [tenantId, collection],
    )
    await client.query(
      `insert into document_fields (tenant_id, document_id, key, collection, value)
       select $1, id, key, $2, case jsonb_typeof(value) when 'string' then '3' || (value #>> '{}')
         else '2' || encode(set_byte(float8send(value::float8), 0, get_byte(float8send(value::float8), 0) | 128), 'hex') end
       from made, jsonb_each(data) where jsonb_typeof(value) <> 'array'`,
      [tenantId, collection],
    )
    await client.query(
      `insert into document_members (tenant_id, document_id, key, collection, value)
       select $1, id, 'tags', $2, '3' || value from made, jsonb_array_elements_text(data -> 'tags') as value`,
      [tenantId, collection],
    )
    await client.query(
      `insert into document_counter_deltas (tenant_id, collection, changed_at, delta) values ($1, $2, now(), $3)`,
      [tenantId, collection, count],
    )
    await client.query('vacuum analyze documents, document_fields, document_members')
  })
}
