import type { Fields, Query, Request } from './request.js'

/** Takes a request function that names no tenant to begin runs, which by default is for all tenants that opted in. */
export function forgeClient(request: Request, unnamed: Request) {
  return {
    run: (fields: Fields = {}) => unnamed('runForge', { body: fields }),
    fanOut: (fields: Fields = {}) => unnamed('fanOutForge', { body: fields }),
    list: (query: Query = {}) => request('listForgeRuns', { query }),
    get: (id: string) => request('getForgeRun', { params: { run_id: id } }),
  }
}
