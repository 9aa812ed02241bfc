import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InstallableSkill } from '../../cli/skills/catalogue.js'

export type StubSkill = InstallableSkill & { readonly content: string }

interface ListRequest {
  readonly tenant_id: string
  readonly fleet_id?: string
  readonly cursor?: string
  readonly limit: number
  readonly known: Readonly<Record<string, string>>
}

/** `drop` breaks the connection, `hang` never answers, a number is a status, an object replaces the answer's fields. */
type Fault = 'drop' | 'hang' | number | object

/** A service that lists the skills a test gives it, and nothing else. */
export interface SkillsStub {
  readonly url: string
  /** The active skills; may be replaced at any time. */
  skills: readonly StubSkill[]
  /** Skills in one answer, whatever the client asks for. */
  pageSize: number
  /** Contents of files by their hashes. */
  readonly bytes: Map<string, Buffer>
  /** Every listing request so far. */
  readonly requests: ListRequest[]
  /** Decides what becomes of a request, by the number of the page in its walk from 1 on. */
  fault: (page: number, request: ListRequest) => Fault | null
  /** Returns the etag of the present skills. */
  etag(): string
  stop(): Promise<void>
}

export function skill(slug: string, fields: Partial<StubSkill> = {}): StubSkill {
  const content = fields.content ?? `# ${slug}\n\nDo it.\n`
  const description = fields.description ?? `When ${slug} is needed.`
  const content_hash = `sha256:${hashOf(description + content)}`
  const source = fields.source ?? 'agent'
  const doc_id = source === 'agent' || source === 'forge' ? `${source}/${slug}` : slug
  const folder = { front_matter: null, files: [] }
  return {
    doc_id,
    slug,
    name: `The ${slug}`,
    description,
    source,
    version: 1,
    content_hash,
    content,
    ...folder,
    ...fields,
  }
}

export async function startSkillsStub(): Promise<SkillsStub> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  })
  const stub: SkillsStub = {
    url: '',
    skills: [],
    pageSize: 200,
    bytes: new Map(),
    requests: [],
    fault: () => null,
    etag: () =>
      hashOf(JSON.stringify(sorted().map(({ doc_id, content_hash, files }) => [doc_id, content_hash, files]))),
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }

  const sorted = () => [...stub.skills].sort((a, b) => (a.doc_id < b.doc_id ? -1 : 1))

  function sendFile(response: ServerResponse, docId: string, path: string) {
    const file = stub.skills.find(({ doc_id }) => doc_id === docId)?.files.find((one) => one.path === path)
    if (!file) return send(response, 404, {})
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(stub.bytes.get(file.hash))
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const body = await readBody(request)
    if (request.url === '/api/v1/whoami') return send(response, 200, { tenant_id: 't', trust_level: 1 })
    const [, slug, path] = /^\/api\/v1\/skills\/([^/]+)\/files\/([^/?]+)/.exec(request.url!) ?? []
    if (slug !== undefined) return sendFile(response, decodeURIComponent(slug), decodeURIComponent(path!))
    if (request.url !== '/api/v1/skills/installable' || request.method !== 'POST') return send(response, 404, {})
    const listing = JSON.parse(body) as ListRequest
    stub.requests.push(listing)
    const [present, etag] = [sorted(), stub.etag()]
    const size = Math.min(stub.pageSize, listing.limit)
    const rest = present.filter(({ doc_id }) => listing.cursor === undefined || doc_id > listing.cursor)
    const fault = stub.fault(1 + Math.ceil((present.length - rest.length) / size), listing)
    if (fault === 'drop') return void request.socket.destroy()
    if (fault === 'hang') return
    if (typeof fault === 'number') return send(response, fault, {})
    const page = rest.slice(0, size)
    const isLast = page.length === rest.length
    send(response, 200, {
      items: page.map(({ content, ...item }) =>
        listing.known[item.doc_id] === item.content_hash ? item : { ...item, content },
      ),
      next_cursor: isLast ? null : page.at(-1)!.doc_id,
      complete: isLast,
      etag,
      ...fault,
    })
  }

  await once(server.listen(0, '127.0.0.1'), 'listening')
  return Object.assign(stub, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
