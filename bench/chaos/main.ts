import { Command, InvalidArgumentError, Option } from 'commander'
import { createCleanup } from '../cleanup.js'
import { PROFILES, type Profile } from '../place.js'
import { wholeNumber } from '../whole-number.js'
import { faultsOf } from './faults.js'
import { runRounds } from './rounds.js'

const cleanup = createCleanup()

await new Command('chaos')
  .description(
    'Writes, changes, deletes and recalls without a pause while processes and dependencies die, and compares what the service ' +
      'holds with what it acknowledged. Fails when anything was lost, doubled, resurrected, not recallable or missed without a word.',
  )
  .addOption(new Option('--profile <profile>', 'what the service runs on').choices(PROFILES).default('embedded'))
  .option('--rounds <n>', 'one fault each, in turn', wholeNumber, 20)
  .option('--faults <text>', 'only those whose name contains this, such as "kill"', '')
  .option('--seed <n>', 'of what callers do', wholeNumber, 1)
  .option('--log <file>', 'keep the table there too, as JSON')
  .action(async (options: { profile: Profile; rounds: number; faults: string; seed: number; log?: string }) => {
    const faults = faultsOf(options.profile).filter(({ name }) => name.includes(options.faults))
    if (faults.length === 0) throw new InvalidArgumentError(`No fault's name contains "${options.faults}".`)
    try {
      process.exitCode = (await runRounds({ ...options, faults }, cleanup)) ? 0 : 1
    } finally {
      await cleanup.run()
    }
  })
  .parseAsync()
