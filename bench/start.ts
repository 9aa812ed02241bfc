import type { Cleanup } from './cleanup.js'
import { createNoise } from './noise.js'
import { createEnvironment } from './environment.js'
import { round } from './samples.js'
import { startService } from './service.js'

/**
 * Measures the time from `cairn serve` to its first 200 of /ready, embedded: on an empty DATA_DIR, and again on the
 * existing one.
 */
export async function benchStart({ times }: { readonly times: number }, cleanup: Cleanup): Promise<void> {
  const noise = createNoise()
  const rows = []
  for (let turn = 0; turn < times; turn++) {
    const environment = await createEnvironment('embedded', cleanup)
    noise.sample()
    const first = await startService(environment, { cleanup })
    await first.stop()
    noise.sample()
    const second = await startService(environment, { cleanup })
    await second.stop()
    rows.push({
      'first s (budget 15)': round(first.startMs / 1000),
      'again s (budget 3)': round(second.startMs / 1000),
    })
  }
  console.log('\nstart, embedded')
  console.table(rows)
  console.log('noise', noise.summary())
}
