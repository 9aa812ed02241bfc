/** Help texts on the fields of an import's lines, for `--help`. A test compares the fields with the contract. */
export const MEMORY_LINES = `
Each line is a JSON object; only content is needed:
  {"content": "The staging database moved to port 6432.", "memory_type": "fact", "run_id": "deploy-17"}

  content            the text, up to 10,000 characters
  title              up to 200 characters
  memory_type        fact, episode, decision, preference, task, intention, plan, commitment, action, cancellation
  visibility         scope_agent, scope_team (default) or scope_org
  status             active (default), pending or confirmed
  weight, confidence numbers from 0 to 1
  run_id             the run (piece of work) that it belongs to
  source_uri         where it comes from
  metadata, scope    objects of your own, up to 16 KiB each
  entity_links       the entities that it is about: [{"name": "staging", "entity_type": "system", "role": "subject"}]
  subject_entity_id, predicate, object_value
                     the statement that it makes, as a triple
  ts_valid_start, ts_valid_end, expires_at
                     times with an offset or Z: 2026-03-01T09:00:00Z
  supersedes_id      the memory that it supersedes

Tenant, agent and fleet are those of the key, or of --tenant, --agent and --fleet; no line names them. Lines that are refused
are listed with their numbers, and the others are written. A memory that exists already is not written twice.`

export const DOCUMENT_LINES = `
Each line is a JSON object, as \`cairn documents export\` writes them:
  {"doc_id": "runbook/7", "data": {"title": "Restart the queue", "minutes": 5}}

  doc_id             the document's name in the collection, up to 200 characters
  data               an object, up to 256 KiB
  fleet_id           a fleet, or null for none; by default --fleet, else the key's

Lines that are refused are listed with their numbers, and the others are written.`
