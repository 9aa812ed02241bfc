import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { servedDocument } from '../../contract/openapi-document.js'
import { matchesTag } from '../../http/entity-tags.js'
import { setSerializedBody } from '../../runtime/json.js'
import type { Operation } from '../operation.js'

interface ServedContract {
  readonly document: { readonly [key: string]: unknown }
  /** Weak, because the compressed bytes have the same. */
  readonly etag: string
}

let served: ServedContract | undefined

export const getOpenapi: Operation<'getOpenapi'> = (_context, _caller, { headers: asked }) => {
  const { document, etag } = (served ??= serialize())
  const headers = { ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' }
  const isKnown = matchesTag(asked['If-None-Match'], etag)
  return Promise.resolve(isKnown ? { status: 304, headers } : { status: 200, headers, body: document })
}

/** Serialises and compresses the contract, which takes some 20 ms, once in the life of the process. */
function serialize(): ServedContract {
  const document = servedDocument()
  const json = Buffer.from(JSON.stringify(document))
  const hash = createHash('sha256').update(json).digest('base64url').slice(0, 22)
  return { document: setSerializedBody({ ...document }, json, gzipSync(json)), etag: `W/"${hash}"` }
}
