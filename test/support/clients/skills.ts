import type { DocumentRecord } from './documents.js'
import type { Fields, Request, RequestHeaders } from './request.js'

/** The fields of a skill that is valid as it is. */
export function skillOf(slug: string, given: Fields = {}): Fields {
  return {
    name: `Rotate ${slug}`,
    slug,
    description: `When the ${slug} key is due for rotation.`,
    summary: `When the ${slug} key has to be rotated in the keyring.`,
    domain: 'security',
    kind: 'create',
    source: 'agent',
    content: `Do this when the ${slug} key is due.\n\n1. Create a new ${slug} key in the keyring.\n2. Publish it.\n3. Retire the old one.\n`,
    ...given,
  }
}

export function skillsClient(request: Request) {
  return {
    /** Writes a skill, under its slug unless `fields` has a `doc_id`. */
    write: (data: Fields, fields: Fields = {}, headers?: RequestHeaders) =>
      request('putDocument', { body: { collection: 'skills', data, ...fields }, headers }),
    get: (docId: string) => request('getDocument', { params: { collection: 'skills', doc_id: docId } }),
  }
}

/** Returns the data of a skill's document, which the service has completed. */
export function dataOf({ data }: DocumentRecord) {
  return data as Fields & {
    readonly status: string
    readonly content_hash: string
    readonly scan: { readonly state: string; readonly findings: readonly { code: string }[] }
  }
}
