import type { Request } from './request.js'

/** The public routes, which are of no tenant. */
export function probesClient(unnamed: Request) {
  return {
    root: () => unnamed('getRoot'),
    openapi: () => unnamed('getOpenapi'),
    health: () => unnamed('getHealth'),
    ready: () => unnamed('getReady'),
    stats: () => unnamed('getPublicStats'),
  }
}
