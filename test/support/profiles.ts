import type { Suite } from 'mocha'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Profile } from './service.js'
import { scaled } from './services.js'

const TESTS = fileURLToPath(new URL('../', import.meta.url))
/** The only profile to run, or undefined for both. */
const ONLY = process.env.CAIRN_TEST_PROFILE
if (ONLY !== undefined && ONLY !== 'embedded' && ONLY !== 'scaled')
  throw new Error(`CAIRN_TEST_PROFILE is embedded or scaled, not ${ONLY}`)

/**
 * Registers the behaviour of a file for each profile: embedded, and scaled with the services of scripts/services.
 * CAIRN_TEST_PROFILE chooses one. The titles begin with the file and the profile.
 */
export function describeOnEachProfile(suite: (this: Suite, profile: Profile) => void): void {
  describeOnEmbedded(function () {
    suite.call(this, 'embedded')
  })
  describeOnScaled(function () {
    suite.call(this, 'scaled')
  })
}

/** Registers what is true of the embedded profile alone, or needs to be seen on one profile only. */
export function describeOnEmbedded(suite: (this: Suite) => void): void {
  describeOn('embedded', suite)
}

/** Registers what is true of the scaled profile alone. */
export function describeOnScaled(suite: (this: Suite) => void): void {
  describeOn('scaled', function () {
    scaled(['postgres', 'redis', 'opensearch'], () => suite.call(this))
  })
}

function describeOn(profile: Profile, suite: (this: Suite) => void): void {
  if (ONLY !== undefined && ONLY !== profile) return
  describe(profile, function () {
    this.title = `${relative(TESTS, this.file!)} on the ${profile} profile`
    suite.call(this)
  })
}
