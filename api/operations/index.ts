import type { OperationTable } from '../operation.js'
import { acknowledgeKeystones } from './acknowledgeKeystones.js'
import { createErasure } from './createErasure.js'
import { createIndexBuild } from './createIndexBuild.js'
import { createKey } from './createKey.js'
import { createMemories } from './createMemories.js'
import { createMemory } from './createMemory.js'
import { deleteAgent } from './deleteAgent.js'
import { deleteDocument } from './deleteDocument.js'
import { deleteIndexBuild } from './deleteIndexBuild.js'
import { deleteKey } from './deleteKey.js'
import { deleteKeystone } from './deleteKeystone.js'
import { deleteMemory } from './deleteMemory.js'
import { enrichMemories } from './enrichMemories.js'
import { getAgent } from './getAgent.js'
import { getDocument } from './getDocument.js'
import { getEnrichment } from './getEnrichment.js'
import { getEntity } from './getEntity.js'
import { getFleet } from './getFleet.js'
import { getHealth } from './getHealth.js'
import { getIndexBuild } from './getIndexBuild.js'
import { getIndexing } from './getIndexing.js'
import { getKeystoneCoverage } from './getKeystoneCoverage.js'
import { getLineage } from './getLineage.js'
import { getMemory } from './getMemory.js'
import { getMemoryStats } from './getMemoryStats.js'
import { getOpenapi } from './getOpenapi.js'
import { getPublicStats } from './getPublicStats.js'
import { getReady } from './getReady.js'
import { getRecall } from './getRecall.js'
import { getRoot } from './getRoot.js'
import { getSettings } from './getSettings.js'
import { listAgents } from './listAgents.js'
import { listAudit } from './listAudit.js'
import { listCollections } from './listCollections.js'
import { listDocuments } from './listDocuments.js'
import { listEntities } from './listEntities.js'
import { listFleets } from './listFleets.js'
import { listIndexBuilds } from './listIndexBuilds.js'
import { listIndexBuildTenants } from './listIndexBuildTenants.js'
import { listKeys } from './listKeys.js'
import { listKeystones } from './listKeystones.js'
import { listKeystoneVersions } from './listKeystoneVersions.js'
import { listMemories } from './listMemories.js'
import { listRecalls } from './listRecalls.js'
import { listTenants } from './listTenants.js'
import { moveMemories } from './moveMemories.js'
import { patchAgent } from './patchAgent.js'
import { patchMemory } from './patchMemory.js'
import { patchSettings } from './patchSettings.js'
import { patchTenant } from './patchTenant.js'
import { putAgent } from './putAgent.js'
import { putDocument } from './putDocument.js'
import { putDocuments } from './putDocuments.js'
import { queryDocuments } from './queryDocuments.js'
import { rateMemory } from './rateMemory.js'
import { recall } from './recall.js'
import { redistributeMemories } from './redistributeMemories.js'
import { reindex } from './reindex.js'
import { retryIndexing } from './retryIndexing.js'
import { setKeystone } from './setKeystone.js'
import { verifyErasure } from './verifyErasure.js'
import { searchDocuments } from './searchDocuments.js'
import { switchIndexBuild } from './switchIndexBuild.js'
import { whoami } from './whoami.js'

/** All operations of the contract by their ids. A missing operation, or one with an undeclared answer, does not compile. */
export const operations: OperationTable = {
  acknowledgeKeystones,
  createErasure,
  createIndexBuild,
  createKey,
  createMemories,
  createMemory,
  deleteAgent,
  deleteDocument,
  deleteIndexBuild,
  deleteKey,
  deleteKeystone,
  deleteMemory,
  enrichMemories,
  getAgent,
  getDocument,
  getEnrichment,
  getEntity,
  getFleet,
  getHealth,
  getIndexBuild,
  getIndexing,
  getKeystoneCoverage,
  getLineage,
  getMemory,
  getMemoryStats,
  getOpenapi,
  getPublicStats,
  getReady,
  getRecall,
  getRoot,
  getSettings,
  listAgents,
  listAudit,
  listCollections,
  listDocuments,
  listEntities,
  listFleets,
  listIndexBuilds,
  listIndexBuildTenants,
  listKeys,
  listKeystones,
  listKeystoneVersions,
  listMemories,
  listRecalls,
  listTenants,
  moveMemories,
  patchAgent,
  patchMemory,
  patchSettings,
  patchTenant,
  putAgent,
  putDocument,
  putDocuments,
  queryDocuments,
  searchDocuments,
  rateMemory,
  recall,
  redistributeMemories,
  reindex,
  retryIndexing,
  setKeystone,
  verifyErasure,
  switchIndexBuild,
  whoami,
}
