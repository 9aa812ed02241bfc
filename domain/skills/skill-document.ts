import type { Document, DocumentData } from '../documents/document.js'
import { documentLanguage } from '../documents/text.js'
import { boundFleetOf } from './fleet-bound.js'
import { SKILLS_COLLECTION, type SkillScan, type SkillVersion } from './skill.js'
import type { SkillFile } from './skill-files.js'

/** Returns `data` of a version: its author's fields, its status, and what the service knows of it. */
function skillDataOf(version: SkillVersion) {
  const { name, slug, description, summary, content, domain, kind, source, goal, tags, status } = version
  const { contentHash: content_hash, fingerprint, origin, evidence, cites, target, scan, gates } = version
  const { frontMatter: front_matter, files } = version
  return {
    ...{ name, slug, description, summary, content, domain, kind, source, goal, tags, status },
    ...{ content_hash, fingerprint, origin, evidence, cites, target, scan, gates },
    ...{ front_matter, files: files.map(presentFile) },
  }
}

/** Returns a file as callers read it. */
export function presentFile({ path, size, hash, isExecutable: executable }: SkillFile) {
  return { path, size, hash, executable }
}

/** Returns a version as the document that is served while it is active. */
export function skillDocumentOf(version: SkillVersion): Document {
  const { content_hash, fingerprint, origin, evidence, cites, target, scan, gates, front_matter, files, ...data } =
    skillDataOf(version)
  return {
    id: version.skillId,
    collection: SKILLS_COLLECTION,
    docId: version.docId,
    fleetId: version.fleetId,
    data,
    version: version.version,
    language: documentLanguage(data),
    systemMetadata: {
      ...version.systemMetadata,
      skill: { content_hash, fingerprint, origin, evidence, cites, target, scan, gates, front_matter, files },
    },
    createdAt: version.skillCreatedAt,
    updatedAt: version.updatedAt,
  }
}

/** Returns the verdict without the findings that quote the evidence of a skill, which is for reviewers. */
export function withoutEvidence(scan: SkillScan): SkillScan {
  return { ...scan, findings: scan.findings.filter(({ field }) => !field.startsWith('evidence')) }
}

/**
 * Returns a document's data as callers read it: of a skill with the facts that are kept beside it. Which memories of a fleet
 * its skill cites, and the steps in their words, are for reviewers, and so are findings in these.
 */
export function presentedData(
  document: Pick<Document, 'collection' | 'docId' | 'fleetId' | 'data' | 'systemMetadata'>,
  { trust }: { readonly trust: number },
): DocumentData {
  const { data, systemMetadata } = document
  if (!systemMetadata.skill) return data
  const skill: DocumentData = { front_matter: null, files: [], ...systemMetadata.skill }
  if (trust >= 3 || boundFleetOf(document) === null) return { ...data, ...skill }
  const { steps: _, ...evidence } = (skill.evidence ?? {}) as Record<string, unknown>
  const scan = skill.scan && withoutEvidence(skill.scan as SkillScan)
  return { ...data, ...skill, cites: [], evidence: skill.evidence && evidence, scan }
}
