import {
  enrichmentClient,
  erasuresClient,
  indexBuildsClient,
  indexingClient,
  keysClient,
  tenantsClient,
} from './admin.js'
import { agentsClient, fleetsClient } from './agents.js'
import { auditClient } from './audit.js'
import { documentsClient } from './documents.js'
import { entitiesClient } from './entities.js'
import { forgeClient } from './forge.js'
import { keystonesClient } from './keystones.js'
import { memoriesClient } from './memories.js'
import { probesClient } from './probes.js'
import { recallsClient } from './recalls.js'
import { requestFor, type Request } from './request.js'
import { settingsClient } from './settings.js'
import { skillsClient } from './skills.js'

export type Subjects = ReturnType<typeof subjectsOf>

/** Returns a client for each subject of the contract. They name the tenant in their requests, where one is given. */
export function subjectsOf(unnamed: Request, tenantId?: string) {
  const request = tenantId === undefined ? unnamed : requestFor(tenantId, unnamed)
  return {
    memories: memoriesClient(request),
    recalls: recallsClient(request),
    documents: documentsClient(request),
    keystones: keystonesClient(request),
    entities: entitiesClient(request),
    agents: agentsClient(request),
    fleets: fleetsClient(request),
    settings: settingsClient(request),
    skills: skillsClient(request),
    audit: auditClient(request),
    keys: keysClient(request),
    tenants: tenantsClient(request, unnamed),
    erasures: erasuresClient(request, unnamed),
    indexing: indexingClient(request),
    indexBuilds: indexBuildsClient(unnamed),
    enrichment: enrichmentClient(request),
    forge: forgeClient(request, unnamed),
    probes: probesClient(unnamed),
  }
}
