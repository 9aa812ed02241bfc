import { Command, InvalidArgumentError, Option } from 'commander'
import { createCleanup } from '../cleanup.js'
import { PROFILES, type Profile } from '../environment.js'
import { wholeNumber } from '../whole-number.js'
import { faultsOf } from './faults.js'
import { runRounds } from './rounds.js'

const cleanup = createCleanup()

await new Command('chaos')
  .description(
    'Writes, changes, deletes and recalls continuously while processes and dependencies fail, and compares what the service ' +
      'holds with what it acknowledged. Fails when anything was lost, duplicated, resurrected, not recallable or missed unreported.',
  )
  .addOption(new Option('--profile <profile>', 'profile of the service').choices(PROFILES).default('embedded'))
  .option('--rounds <n>', 'number of rounds, one fault each', wholeNumber, 20)
  .option('--faults <text>', 'only faults whose name contains this, such as "kill"', '')
  .option('--seed <n>', 'seed of the actions of the callers', wholeNumber, 1)
  .option('--log <file>', 'also write the table to this file, as JSON')
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
