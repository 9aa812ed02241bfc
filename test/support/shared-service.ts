import { startService, type TestService, type TestServiceOptions } from './service.js'

/** One service for all tests of the enclosing suite; to be asked for inside of hooks and tests. */
export type SharedService = () => TestService

/** `options` may be a function of what earlier hooks have made. */
export function shareService(options: TestServiceOptions | (() => TestServiceOptions) = {}): SharedService {
  let service: TestService | undefined
  before(async () => {
    service = await startService(typeof options === 'function' ? options() : options)
  })
  after(() => service?.stop())
  return () => service!
}
