import type { AttemptsOfSubject } from './attempts.js'

/** Attempts on the service: what anybody may ask, and what only the admin credential may. */
export const SERVICE_ATTEMPTS = {
  getRoot: () => [{ status: 200 }],
  getOpenapi: () => [{ status: 200 }],
  getHealth: () => [{ status: 200 }],
  getReady: () => [{ status: 200 }],
  getPublicStats: () => [{ status: 200 }],
  getIndexing: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  retryIndexing: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  reindex: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  verifyIndex: (victim) => [{ status: 403 }, { status: 403, body: { tenant_id: victim.tenant.id, repair: true } }],
  getEnrichment: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  enrichMemories: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  createIndexBuild: () => [
    { status: 403, body: {} },
    { status: 403, body: { model: 'built-in' } },
  ],
  listIndexBuilds: () => [{ status: 403 }],
  getIndexBuild: ({ service: { buildId } }) => [{ status: 403, params: { build_id: buildId } }],
  deleteIndexBuild: ({ service: { buildId } }) => [{ status: 403, params: { build_id: buildId } }],
  switchIndexBuild: ({ service: { buildId } }) => [{ status: 403, params: { build_id: buildId } }],
  listIndexBuildTenants: ({ service: { buildId }, tenant }) => [
    { status: 403, params: { build_id: buildId } },
    { status: 403, params: { build_id: buildId }, query: { tenant_id: tenant.id } },
  ],
} satisfies AttemptsOfSubject
