import { screenOperations } from './screened-fields.js'
import type { OperationTable } from './operation.js'
import { acknowledgeKeystones } from './keystones/acknowledgeKeystones.js'
import { createErasure } from './erasure/createErasure.js'
import { createIndexBuild } from './admin/createIndexBuild.js'
import { createKey } from './admin/createKey.js'
import { createMemories } from './memories/createMemories.js'
import { createMemory } from './memories/createMemory.js'
import { deleteAgent } from './agents/deleteAgent.js'
import { deleteDocument } from './documents/deleteDocument.js'
import { deleteIndexBuild } from './admin/deleteIndexBuild.js'
import { deleteKey } from './admin/deleteKey.js'
import { deleteKeystone } from './keystones/deleteKeystone.js'
import { deleteMemory } from './memories/deleteMemory.js'
import { fanOutForge } from './forge/fanOutForge.js'
import { getForgeRun } from './forge/getForgeRun.js'
import { listForgeRuns } from './forge/listForgeRuns.js'
import { runForge } from './forge/runForge.js'
import { enrichMemories } from './admin/enrichMemories.js'
import { getAgent } from './agents/getAgent.js'
import { getDocument } from './documents/getDocument.js'
import { getSkillFile } from './skills/getSkillFile.js'
import { getEnrichment } from './admin/getEnrichment.js'
import { getEntity } from './entities/getEntity.js'
import { listAliasProposals } from './entities/listAliasProposals.js'
import { mergeEntity } from './entities/mergeEntity.js'
import { splitEntity } from './entities/splitEntity.js'
import { getFleet } from './agents/getFleet.js'
import { getHealth } from './probes/getHealth.js'
import { getIndexBuild } from './admin/getIndexBuild.js'
import { getIndexing } from './admin/getIndexing.js'
import { getKeystoneCoverage } from './keystones/getKeystoneCoverage.js'
import { getLineage } from './memories/getLineage.js'
import { getMemory } from './memories/getMemory.js'
import { getMemoryStats } from './statistics/getMemoryStats.js'
import { getMemoryTimeline } from './statistics/getMemoryTimeline.js'
import { getRecallStats } from './statistics/getRecallStats.js'
import { getOpenapi } from './probes/getOpenapi.js'
import { getPublicStats } from './probes/getPublicStats.js'
import { getReady } from './probes/getReady.js'
import { getRecall } from './recall/getRecall.js'
import { getRoot } from './probes/getRoot.js'
import { getSettings } from './settings/getSettings.js'
import { listAgents } from './agents/listAgents.js'
import { listAudit } from './audit/listAudit.js'
import { listCollections } from './documents/listCollections.js'
import { listDocuments } from './documents/listDocuments.js'
import { listEntities } from './entities/listEntities.js'
import { listFleets } from './agents/listFleets.js'
import { listIndexBuilds } from './admin/listIndexBuilds.js'
import { listIndexBuildTenants } from './admin/listIndexBuildTenants.js'
import { listKeys } from './admin/listKeys.js'
import { listKeystones } from './keystones/listKeystones.js'
import { listKeystoneVersions } from './keystones/listKeystoneVersions.js'
import { listMemories } from './memories/listMemories.js'
import { listMemoryVersions } from './memories/listMemoryVersions.js'
import { restoreMemoryVersion } from './memories/restoreMemoryVersion.js'
import { listRecalls } from './recall/listRecalls.js'
import { listTenants } from './admin/listTenants.js'
import { moveMemories } from './memories/moveMemories.js'
import { patchAgent } from './agents/patchAgent.js'
import { patchMemory } from './memories/patchMemory.js'
import { patchSettings } from './settings/patchSettings.js'
import { patchTenant } from './admin/patchTenant.js'
import { putAgent } from './agents/putAgent.js'
import { putDocument } from './documents/putDocument.js'
import { putDocuments } from './documents/putDocuments.js'
import { queryDocuments } from './documents/queryDocuments.js'
import { rateMemory } from './memories/rateMemory.js'
import { recall } from './recall/recall.js'
import { archiveMemories } from './memories/archiveMemories.js'
import { redistributeMemories } from './memories/redistributeMemories.js'
import { reindex } from './admin/reindex.js'
import { retryIndexing } from './admin/retryIndexing.js'
import { setKeystone } from './keystones/setKeystone.js'
import { approveSkill } from './skills/approveSkill.js'
import { deferSkill } from './skills/deferSkill.js'
import { editSkill } from './skills/editSkill.js'
import { getInboxSkill } from './skills/getInboxSkill.js'
import { getSkillScan } from './skills/getSkillScan.js'
import { listInbox } from './skills/listInbox.js'
import { listInstallable } from './skills/listInstallable.js'
import { listSkillVersions } from './skills/listSkillVersions.js'
import { quarantineSkill } from './skills/quarantineSkill.js'
import { rejectSkill } from './skills/rejectSkill.js'
import { reportSkillOutcome } from './skills/reportSkillOutcome.js'
import { overruleSkill } from './skills/overruleSkill.js'
import { restoreSkill } from './skills/restoreSkill.js'
import { retireSkill } from './skills/retireSkill.js'
import { rollbackSkill } from './skills/rollbackSkill.js'
import { verifyErasure } from './erasure/verifyErasure.js'
import { searchDocuments } from './documents/searchDocuments.js'
import { switchIndexBuild } from './admin/switchIndexBuild.js'
import { verifyIndex } from './admin/verifyIndex.js'
import { whoami } from './agents/whoami.js'

/** All operations of the contract by their ids. A missing operation, or one with an undeclared answer, does not compile. */
export const operations: OperationTable = screenOperations({
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
  fanOutForge,
  getAgent,
  getDocument,
  getEnrichment,
  getEntity,
  listAliasProposals,
  mergeEntity,
  splitEntity,
  getFleet,
  getForgeRun,
  getHealth,
  getIndexBuild,
  getIndexing,
  getKeystoneCoverage,
  getLineage,
  getMemory,
  getMemoryStats,
  getMemoryTimeline,
  getRecallStats,
  getOpenapi,
  getPublicStats,
  getReady,
  getRecall,
  getRoot,
  getSettings,
  getSkillFile,
  listAgents,
  listAudit,
  listCollections,
  listDocuments,
  listEntities,
  listFleets,
  listForgeRuns,
  listIndexBuilds,
  listIndexBuildTenants,
  listKeys,
  listKeystones,
  listKeystoneVersions,
  listMemories,
  listMemoryVersions,
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
  runForge,
  searchDocuments,
  rateMemory,
  recall,
  archiveMemories,
  redistributeMemories,
  reindex,
  retryIndexing,
  setKeystone,
  approveSkill,
  deferSkill,
  editSkill,
  getInboxSkill,
  getSkillScan,
  listInbox,
  listInstallable,
  listSkillVersions,
  quarantineSkill,
  rejectSkill,
  reportSkillOutcome,
  restoreMemoryVersion,
  restoreSkill,
  overruleSkill,
  retireSkill,
  rollbackSkill,
  verifyErasure,
  switchIndexBuild,
  verifyIndex,
  whoami,
})
