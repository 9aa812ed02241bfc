/** A process of data-dir.test.ts: claims the directory when told to, prints the outcome, and keeps the claim. */
import { createInterface } from 'node:readline'
import { claimDataDir } from '../../runtime/data-dir.js'

const directory = process.argv[2] as string
createInterface({ input: process.stdin }).on('line', () => {
  void claimDataDir(directory).then(
    () => process.stdout.write('claimed\n'),
    (error: Error) => process.stdout.write(`${error.message}\n`),
  )
})
process.stdout.write('ready\n')
