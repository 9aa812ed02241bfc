import type { Fields, Query, Request } from './request.js'

export function keysClient(request: Request) {
  return {
    create: (fields: Fields) => request('createKey', { body: fields }),
    list: (query: Query = {}) => request('listKeys', { query }),
    delete: (id: string, query: Query = {}) => request('deleteKey', { params: { key_id: id }, query }),
  }
}

/** Takes the request function that names no tenant to `patch`, whose path does. */
export function tenantsClient(request: Request, unnamed: Request) {
  return {
    list: (query: Query = {}) => request('listTenants', { query }),
    patch: (id: string, fields: Fields) => unnamed('patchTenant', { params: { tenant_id: id }, body: fields }),
  }
}

export function indexingClient(request: Request) {
  return {
    get: (query: Query = {}) => request('getIndexing', { query }),
    retry: (query: Query = {}) => request('retryIndexing', { query }),
    verify: (fields: Fields = {}) => request('verifyIndex', { body: fields }),
    reindex: (query: Query = {}) => request('reindex', { query }),
  }
}

export function enrichmentClient(request: Request) {
  return {
    get: (query: Query = {}) => request('getEnrichment', { query }),
    enrich: (query: Query = {}) => request('enrichMemories', { query }),
  }
}

/** Takes a request function that names no tenant: builds are of the whole service. */
export function indexBuildsClient(unnamed: Request) {
  return {
    create: (fields: Fields = {}) => unnamed('createIndexBuild', { body: fields }),
    list: (query: Query = {}) => unnamed('listIndexBuilds', { query }),
    get: (id: string) => unnamed('getIndexBuild', { params: { build_id: id } }),
    delete: (id: string) => unnamed('deleteIndexBuild', { params: { build_id: id } }),
    switch: (id: string) => unnamed('switchIndexBuild', { params: { build_id: id } }),
    tenants: (id: string, query: Query = {}) => unnamed('listIndexBuildTenants', { params: { build_id: id }, query }),
  }
}

export function erasuresClient(request: Request, unnamed: Request) {
  return {
    create: (fields: Fields) => request('createErasure', { body: fields }),
    verify: (id: string) => unnamed('verifyErasure', { params: { erasure_id: id } }),
  }
}
