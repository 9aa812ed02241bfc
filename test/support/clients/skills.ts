import type { DocumentRecord } from './documents.js'
import { pagesOf, type Fields, type Query, type Request, type RequestHeaders, type Schemas } from './request.js'

export type SkillCard = Schemas['InboxCard']
type InstallableSkill = Schemas['InstallableSkill']
type InstallablePage = Schemas['InstallablePage']

/** The fields of a skill that is valid as it is. */
export function skillOf(slug: string, given: Fields = {}) {
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
  const named = (slug: string, body: Fields) => ({ params: { slug }, body })
  const installable = (fields: Fields = {}) => request('listInstallable', { body: fields })
  const inbox = (query: Query = {}) => request('listInbox', { query })
  return {
    /** Writes a skill, under its slug unless `fields` has a `doc_id`. */
    write: (data: Fields, fields: Fields = {}, headers?: RequestHeaders) =>
      request('putDocument', { body: { collection: 'skills', data, ...fields }, headers }),
    get: (docId: string) => request('getDocument', { params: { collection: 'skills', doc_id: docId } }),
    /** Resolves with a character for each byte. */
    file: (slug: string, path: string, query: Query = {}, headers?: RequestHeaders) =>
      request('getSkillFile', { params: { slug, path }, query, headers }),
    installable,
    /** Returns the pages of a whole walk. */
    installablePages: async (fields: Fields = {}) => {
      const pages: InstallablePage[] = []
      await pagesOf<InstallableSkill>(async (cursor) => {
        pages.push((await installable({ ...fields, ...(cursor !== undefined && { cursor }) }).ok()) as InstallablePage)
        return pages.at(-1)!
      })
      return pages
    },
    inbox,
    /** Returns the doc_ids that a walk of the inbox shows. */
    inboxIds: async (query: Query = {}) => {
      const items = await pagesOf<SkillCard>(async (cursor) => inbox({ ...query, cursor }).ok())
      return items.map(({ doc_id }) => doc_id)
    },
    waiting: (slug: string) => request('getInboxSkill', { params: { slug } }),
    approve: (slug: string, fields: Fields = {}) => request('approveSkill', named(slug, fields)),
    edit: (slug: string, fields: Fields) => request('editSkill', named(slug, fields)),
    reject: (slug: string, fields: Fields = {}) => request('rejectSkill', named(slug, { reason: 'No.', ...fields })),
    quarantine: (slug: string, fields: Fields = {}) =>
      request('quarantineSkill', named(slug, { reason: 'Suspicious.', ...fields })),
    defer: (slug: string, fields: Fields = {}) => request('deferSkill', named(slug, fields)),
    restore: (slug: string, fields: Fields = {}) => request('restoreSkill', named(slug, fields)),
    overrule: (slug: string, fields: Fields = {}) =>
      request('overruleSkill', named(slug, { reason: 'It is ours.', ...fields })),
    scan: (slug: string) => request('getSkillScan', { params: { slug } }),
    retire: (slug: string, fields: Fields = {}) => request('retireSkill', named(slug, fields)),
    versions: (slug: string, query: Query = {}) => request('listSkillVersions', { params: { slug }, query }),
    rollback: (slug: string, version: number, fields: Fields = {}) =>
      request('rollbackSkill', named(slug, { version, ...fields })),
    report: (slug: string, fields: Fields = {}) =>
      request('reportSkillOutcome', named(slug, { outcome: 'success', ...fields })),
  }
}

/** Returns the data of a skill's document, which the service has completed. */
export function dataOf({ data }: DocumentRecord) {
  return data as Fields & {
    readonly content: string
    readonly status: string
    readonly content_hash: string
    readonly scan: { readonly state: string; readonly findings: readonly { code: string }[] }
  }
}

/** Returns the fields that make a skill an update of a version. */
export function asUpdateOf(stored: DocumentRecord) {
  return { kind: 'update', target: { target_content_hash: dataOf(stored).content_hash } }
}
