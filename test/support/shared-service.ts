import { atEndOfRun } from './end-of-run.js'
import { startService, type Profile, type TestService, type TestServiceOptions } from './service.js'

/** Returns the service of a suite; to be called inside hooks and tests. */
export type SharedService = () => TestService

const started = new Map<Profile, Promise<TestService>>()

/**
 * Returns the service of a profile that all files of the run share. It starts with the first suite that needs it. A
 * tenant of its own keeps a test from others; a test that changes the service, or leaves rows pending, needs
 * `ownService`.
 */
export function sharedService(profile: Profile): SharedService {
  let service: TestService | undefined
  before(async () => {
    if (!started.has(profile)) started.set(profile, startForRun(profile))
    service = await started.get(profile)
  })
  return () => service!
}

async function startForRun(profile: Profile): Promise<TestService> {
  const service = await startService({ profile })
  atEndOfRun(() => service.stop())
  return service
}

/** Returns a service of the enclosing suite alone. `options` may be a function of what earlier hooks have created. */
export function ownService(options: TestServiceOptions | (() => TestServiceOptions) = {}): SharedService {
  let service: TestService | undefined
  before(async () => {
    service = await startService(typeof options === 'function' ? options() : options)
  })
  after(() => service?.stop())
  return () => service!
}
