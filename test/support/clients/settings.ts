import type { Fields, Request, RequestHeaders } from './request.js'

export function settingsClient(request: Request) {
  return {
    get: () => request('getSettings'),
    patch: (change: Fields, headers?: RequestHeaders) => request('patchSettings', { body: change, headers }),
  }
}
