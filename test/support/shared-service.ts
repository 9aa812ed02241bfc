import { startService, type TestService, type TestServiceOptions } from './service.js'

/** Returns one service for all tests of the enclosing suite; to be called inside hooks and tests. */
export type SharedService = () => TestService

/** Shares a service. `options` may be a function of what earlier hooks have created. */
export function shareService(options: TestServiceOptions | (() => TestServiceOptions) = {}): SharedService {
  let service: TestService | undefined
  before(async () => {
    service = await startService(typeof options === 'function' ? options() : options)
  })
  after(() => service?.stop())
  return () => service!
}
