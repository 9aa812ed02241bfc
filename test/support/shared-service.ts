import { startService, type TestService, type TestServiceOptions } from './service.js'

/** One service for all tests of the enclosing suite; to be asked for inside of hooks and tests. */
export type SharedService = () => TestService

export function shareService(options: TestServiceOptions = {}): SharedService {
  let service: TestService | undefined
  before(async () => {
    service = await startService(options)
  })
  after(() => service?.stop())
  return () => service!
}
