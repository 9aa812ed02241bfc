import { memoryFieldTexts } from '../../contract/facts.gen.js'

const FIELD_LINES = Object.entries(memoryFieldTexts).map(([name, text]) => `  ${name.padEnd(18)} ${text}`)

/** Help texts on the fields of an import's lines, for `--help`. Those of a memory are the contract's. */
export const MEMORY_LINES = `
Each line is a JSON object; only content is needed:
  {"content": "The staging database moved to port 6432.", "memory_type": "fact", "run_id": "deploy-17",
   "entity_links": [{"name": "staging", "entity_type": "system", "role": "subject"}]}

${FIELD_LINES.join('\n')}

Times have an offset or Z: 2026-03-01T09:00:00Z
Tenant, agent and fleet are those of the key, or of --tenant, --agent and --fleet; no line names them. Lines that are refused
are listed with their numbers, and the others are written. A memory that exists already is not written twice.`

export const DOCUMENT_LINES = `
Each line is a JSON object, as \`cairn documents export\` writes them:
  {"doc_id": "runbook/7", "data": {"title": "Restart the queue", "minutes": 5}}

  doc_id             the document's name in the collection, up to 200 characters
  data               an object, up to 256 KiB
  fleet_id           a fleet, or null for none; by default --fleet, else the key's

Lines that are refused are listed with their numbers, and the others are written.`
