import { Command, InvalidArgumentError, Option } from 'commander'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { benchAblation } from './ablation.js'
import { type AdmissionBenchOptions, benchAdmission } from './admission.js'
import { benchClaim } from './claim.js'
import { type Cleanup, createCleanup } from './cleanup.js'
import { benchConfidence, type ConfidenceBenchOptions } from './confidence.js'
import { benchContract, printContract } from './contract.js'
import { benchDocumentSearch, benchDocumentSearchAgainst } from './document-search.js'
import { benchDocuments } from './documents.js'
import { benchFleet } from './fleet-quality.js'
import { benchFlood, type FloodOptions } from './flood.js'
import type { FleetSize } from './fleet.js'
import { type FloodKind, FLOODS } from './flood-requests.js'
import { benchForge } from './forge.js'
import { benchForgeTick } from './forge-tick.js'
import { benchImport } from './import.js'
import { benchIndexing } from './indexing.js'
import { benchKeystones } from './keystones.js'
import { benchLanguages, type LanguagesBenchOptions } from './languages.js'
import { benchLocomo } from './locomo.js'
import { benchMcp } from './mcp.js'
import { benchMultilingual } from './multilingual.js'
import { benchPersonalData } from './personal-data.js'
import { PROFILES, type Profile } from './environment.js'
import { benchRecall, benchRecallAgainst } from './recall.js'
import { benchRecallLog } from './recall-log.js'
import { type Column, COLUMNS } from './retrieval-figures.js'
import { benchScale } from './scale.js'
import { benchPublished } from './scan/published.js'
import { benchScan } from './scan.js'
import { benchSoftCoverage } from './soft-coverage.js'
import { benchScreening } from './screening.js'
import { benchSoak } from './soak.js'
import { benchStart } from './start.js'
import { benchStats } from './stats.js'
import { wholeNumber } from './whole-number.js'
import { benchWrite } from './write.js'

const cleanup = createCleanup()
const program = new Command('bench').description('Quality and speed of cairn, side by side with yardsticks.')

const profileOption = () =>
  new Option('--profile <profile>', 'profile of the service').choices([...PROFILES, 'both']).default('both')
const againstOption = () =>
  new Option('--against <commit>', 'build this commit, and compare times and the CPU of each process with it instead')
const atATimeOption = () =>
  new Option('--at-a-time <n,n,…>', 'with --against: questions at a time').argParser(wholeNumbers).default([1, 8, 32])
const ownSettingOption = () =>
  new Option('--setting <name=value>', "with --against: a setting of this checkout's service; may be repeated")
    .argParser(setting)
    .default({})
const cpuProfOption = () =>
  new Option('--cpu-prof <folder>', 'also print hot spots, and store the profiles there (measures slower)')

quality('locomo', "Recall quality on LoCoMo's conversations.")
  .requiredOption('--data <file>', "LoCoMo's locomo10.json, or its reduced form")
  .action((options: QualityFlags & { data: string }) =>
    run((undo) => benchLocomo({ ...options, ...qualityOptions(options) }, undo)),
  )

quality('fleet', 'Recall quality on a synthetic fleet of agents, by kind of question.')
  .option('--seed <n>', 'seed of the set', wholeNumber, 1)
  .action((options: QualityFlags & { seed: number }) =>
    run((undo) => benchFleet({ ...options, ...qualityOptions(options) }, undo)),
  )

quality('multilingual', 'Recall quality in twelve languages and across them, and the names found in their sentences.')
  .option('--xquad <folder>', "XQuAD's files instead, named xquad.LANGUAGE.json")
  .option('--langs <names>', 'with --xquad: these languages', (names) => names.split(','), ['en', 'de', 'ru', 'zh'])
  .option('--every <n>', 'with --xquad: only each n-th question', wholeNumber, 10)
  .action((options: QualityFlags & { xquad?: string; langs: string[]; every: number }) =>
    run((undo) => benchMultilingual({ ...options, ...qualityOptions(options) }, undo)),
  )

program
  .command('confidence')
  .description(
    'Whether the confidence of a recall tells questions with an answer from those without one; with --fit, its weights anew.',
  )
  .option('--data <file>', "LoCoMo's locomo10.json, or its reduced form")
  .option('--xquad <folder>', "XQuAD's files, named xquad.LANGUAGE.json")
  .option('--langs <names>', 'with --xquad: these languages', (names) => names.split(','), ['en', 'de', 'ru', 'zh'])
  .option('--every <n>', 'only each n-th question', wholeNumber, 4)
  .option('--fit', 'also print the weights that these sets have by logistic regression')
  .action((options: ConfidenceBenchOptions) => run((undo) => benchConfidence(options, undo)))

program
  .command('ablation')
  .description('Measure what each kind of evidence is worth to recall: each is switched off in turn.')
  .option('--data <file>', "LoCoMo's locomo10.json, or its reduced form")
  .addOption(new Option('--set <name>', 'a set that comes with the bench').choices(['fleet']).conflicts('data'))
  .option('--seed <n>', 'seed of the set', wholeNumber, 1)
  .addOption(profileOption().default('embedded'))
  .option('--only <names...>', 'only these switches')
  .option('--json <file>', 'write the figures there')
  .action((options: AblationFlags) =>
    run((undo) => benchAblation({ ...options, set: setOf(options), profiles: profilesOf(options.profile) }, undo)),
  )

program
  .command('recall')
  .description("Recall's time beside the engine's own, and while another tenant is loaded; or beside another commit's.")
  .addOption(profileOption())
  .option('--memories <n>', 'memories in all tenants', wholeNumber, 20_000)
  .option('--tenants <n>', 'tenants that share them', wholeNumber, 20)
  .option('--questions <n>', 'questions in all tenants; a fifth of them warms up', wholeNumber, 3_000)
  .addOption(againstOption())
  .addOption(atATimeOption())
  .addOption(ownSettingOption())
  .addOption(cpuProfOption().conflicts('against'))
  .action(({ against, atATime, setting, ...options }: RecallFlags) =>
    run((undo) =>
      against === undefined
        ? benchRecall({ ...options, ...speedOptions(options) }, undo)
        : benchRecallAgainst({ ...options, against, atATime, setting, profiles: profilesOf(options.profile) }, undo),
    ),
  )

program
  .command('flood')
  .description("A neighbour's recalls while one tenant floods the service, and while it is idle.")
  .addOption(profileOption())
  .option('--memories <n>', 'memories in both tenants', wholeNumber, 4_000)
  .option('--questions <n>', 'recalls of the neighbour in each round', wholeNumber, 80)
  .addOption(
    new Option('--by <kinds...>', 'kinds of requests of the flood').choices(FLOODS).default(['recalls', 'writes']),
  )
  .option('--connections <n>', 'connections of the flood', wholeNumber, 32)
  .option('--shares <n,n,…>', 'TENANT_CONCURRENCY of each run; 0 turns the guard off', numbersFromZero, [0, 1, 2])
  .option('--latency <ms>', 'milliseconds added to each round trip to PostgreSQL', wholeNumber, 0)
  .action((options: ProfileFlags & FlagsOf<FloodOptions>) =>
    run((undo) => benchFlood({ ...options, kinds: options.by, profiles: profilesOf(options.profile) }, undo)),
  )

program
  .command('admission')
  .description('Requests a second of one tenant alone and of two in sum, also with PostgreSQL at a distance.')
  .addOption(profileOption().default('embedded'))
  .option('--memories <n>', 'memories in both tenants', wholeNumber, 1_000)
  .addOption(new Option('--by <kinds...>', 'kinds of requests').choices(FLOODS).default(['recalls', 'writes']))
  .option('--connections <n>', 'connections of one tenant alone, and of two in sum', wholeNumber, 32)
  .option('--few <n>', 'connections of the second tenant, instead of half of them', wholeNumber, 0)
  .option('--shares <n,n,…>', 'TENANT_CONCURRENCY of each run; 0 turns the guard off', numbersFromZero, [1])
  .option('--latencies <ms,ms,…>', 'milliseconds added to each round trip to PostgreSQL', numbersFromZero, [0, 20])
  .option('--rounds <n>', 'measurements of each', wholeNumber, 3)
  .option('--seconds <n>', 'length of each measurement', wholeNumber, 8)
  .action((options: ProfileFlags & FlagsOf<AdmissionBenchOptions>) =>
    run((undo) => benchAdmission({ ...options, kinds: options.by, profiles: profilesOf(options.profile) }, undo)),
  )

program
  .command('scale')
  .description('Recall, statistics and writes while one service grows, compared with the first step.')
  .addOption(profileOption().default('scaled'))
  .option('--steps <n,n,…>', 'memories in all tenants, ascending', wholeNumbers, [10_000, 100_000])
  .option('--tenants <n>', 'tenants that share them', wholeNumber, 100)
  .option('--questions <n>', 'questions at each step, in all tenants', wholeNumber, 1_000)
  .action((options: ProfileFlags & { steps: number[]; tenants: number; questions: number }) =>
    run((undo) => benchScale({ ...options, profiles: profilesOf(options.profile) }, undo)),
  )

program
  .command('stats')
  .description('Statistics of a tenant with as many counters as there can be, at rest and while memories are written.')
  .addOption(profileOption())
  .option('--agents <n>', 'agents with 312 counters each', wholeNumber, 200)
  .option('--fleets <n>', 'fleets of the agents', wholeNumber, 10)
  .option('--tenants <n>', 'other tenants', wholeNumber, 10_000)
  .option('--reads <n>', 'reads of each question', wholeNumber, 200)
  .action((options: ProfileFlags & { agents: number; fleets: number; tenants: number; reads: number }) =>
    run((undo) => benchStats({ ...options, profiles: profilesOf(options.profile) }, undo)),
  )

program
  .command('write')
  .description("One write's time beside the same row inserted by a bare express route.")
  .addOption(profileOption())
  .option('--writes <n>', 'writes one at a time, and as many again four at a time', wholeNumber, 1_000)
  .addOption(cpuProfOption())
  .action((options: SpeedFlags & { writes: number }) =>
    run((undo) => benchWrite({ ...options, ...speedOptions(options) }, undo)),
  )

program
  .command('mcp')
  .description('Recalls and writes by tools (/mcp) beside the same by REST.')
  .addOption(profileOption().default('embedded'))
  .option('--calls <n>', 'calls of each kind by each way', wholeNumber, 600)
  .option('--memories <n>', 'memories that are there', wholeNumber, 2_000)
  .addOption(cpuProfOption())
  .action((options: SpeedFlags & { calls: number; memories: number }) =>
    run((undo) => benchMcp({ ...options, ...speedOptions(options) }, undo)),
  )

program
  .command('keystones')
  .description('A list of rules beside the same bytes by a bare express route.')
  .addOption(profileOption())
  .option('--rules <n>', 'rules in the list', wholeNumber, 200)
  .option('--lists <n>', 'lists of each kind', wholeNumber, 1_000)
  .action((options: ProfileFlags & { rules: number; lists: number }) =>
    run((undo) => benchKeystones({ ...options, profiles: profilesOf(options.profile) }, undo)),
  )

program
  .command('documents')
  .description('Pages of queries of documents beside the same rows by bare SQL.')
  .addOption(profileOption().default('embedded'))
  .option('--documents <n>', 'documents in one collection; a multiple of 100', wholeNumber, 100_000)
  .option('--queries <n>', 'queries of each kind', wholeNumber, 300)
  .action((options: ProfileFlags & { documents: number; queries: number }) =>
    run((undo) => benchDocuments({ ...options, profiles: profilesOf(options.profile) }, undo)),
  )

program
  .command('document-search')
  .description("A search of documents beside the engine's own.")
  .addOption(profileOption())
  .option('--documents <n>', 'documents in all tenants', wholeNumber, 20_000)
  .option('--tenants <n>', 'tenants that share them', wholeNumber, 20)
  .option('--questions <n>', 'questions in all tenants; a fifth of them warms up', wholeNumber, 2_000)
  .addOption(againstOption())
  .addOption(atATimeOption())
  .addOption(ownSettingOption())
  .action(({ against, atATime, setting, ...flags }: DocumentSearchFlags) => {
    const options = { ...flags, profiles: profilesOf(flags.profile) }
    return run((undo) =>
      against === undefined
        ? benchDocumentSearch(options, undo)
        : benchDocumentSearchAgainst({ ...options, against, atATime, setting }, undo),
    )
  })

program
  .command('soak')
  .description('Resident memory of the service during recalls for minutes on end, and whether it still climbs.')
  .addOption(profileOption().default('embedded'))
  .option('--memories <n>', 'memories of one tenant', wholeNumber, 8_000)
  .option('--recalls <n>', 'recalls, two at a time, evenly over the minutes', wholeNumber, 10_000)
  .option('--writes <n>', 'single writes meanwhile, one at a time, evenly over the minutes', wholeNumber, 1_000)
  .option('--minutes <n>', 'minutes of recalls; a slow service takes longer', wholeNumber, 11)
  .option('--flat-from <n>', 'minute from which the memory is expected to be flat', wholeNumber, 5)
  .action((options: ProfileFlags & SoakFlags) =>
    run((undo) => benchSoak({ ...options, profiles: profilesOf(options.profile) }, undo)),
  )

program
  .command('start')
  .description('The first start of the embedded profile, and later ones.')
  .option('--times <n>', 'number of starts of each kind', wholeNumber, 3)
  .action((options: { times: number }) => run((undo) => benchStart(options, undo)))

program
  .command('indexing')
  .description('Rebuilding the index from Postgres beside a bare _bulk of the same documents.')
  .option('--memories <n>', 'memories in all tenants', wholeNumber, 20_000)
  .option('--tenants <n>', 'tenants that share them', wholeNumber, 20)
  .option('--rounds <n>', 'number of rebuilds', wholeNumber, 3)
  .action((options: { memories: number; tenants: number; rounds: number }) =>
    run((undo) => benchIndexing(options, undo)),
  )

program
  .command('import')
  .description('What is searchable while one tenant imports at full speed, and what another waits for meanwhile.')
  .addOption(profileOption())
  .option('--memories <n>', 'memories of the import', wholeNumber, 20_000)
  .option('--connections <n,n,…>', 'connections of each import', wholeNumbers, [1, 4, 8])
  .option('--against <commit>', 'imports the same with the service of this commit')
  .action((options: ProfileFlags & { memories: number; connections: number[]; against?: string }) =>
    run((undo) => benchImport({ ...options, profiles: profilesOf(options.profile) }, undo)),
  )

program
  .command('claim')
  .description('Fair claiming from a full dirty set.')
  .option('--rows <n>', 'due rows', wholeNumber, 500_000)
  .option('--claims <n>', 'number of claims that are timed', wholeNumber, 150)
  .action((options: { rows: number; claims: number }) => run((undo) => benchClaim(options, undo)))

program
  .command('recall-log')
  .description('The cost of recording each recall.')
  .addOption(profileOption())
  .option('--memories <n>', 'memories in all tenants', wholeNumber, 5_000)
  .option('--tenants <n>', 'tenants that share them', wholeNumber, 5)
  .option('--questions <n>', 'questions, half of them with the record and half without', wholeNumber, 2_000)
  .action((options: ProfileFlags & { memories: number; tenants: number; questions: number }) =>
    run((undo) => benchRecallLog({ ...options, profiles: profilesOf(options.profile) }, undo)),
  )

program
  .command('soft-coverage')
  .description('Soft coverage of 200 memories beside the same with every cosine computed again.')
  .action(() => run(() => benchSoftCoverage()))

program
  .command('languages')
  .description('How often the language of a text is said, and the right one, for texts in files by language.')
  .requiredOption('--data <folder>', 'a folder of files CODE.txt with a text in each line')
  .option('--characters <n>', 'characters of the longest text; the shortest has a quarter of them', wholeNumber, 80)
  .action((options: LanguagesBenchOptions) => run(() => benchLanguages(options)))

program
  .command('personal-data')
  .description('Precision and recall of what is found as personal data and secrets in labelled texts.')
  .option('--min-precision <share>', 'fail below this', share, 0.97)
  .option('--min-recall <share>', 'fail below this', share, 0.95)
  .action((options: { minPrecision: number; minRecall: number }) => run(() => benchPersonalData(options)))

program
  .command('screening')
  .description('Times of the screening for personal data in one go, in slices and in a thread.')
  .action(() => run(() => benchScreening()))

program
  .command('forge')
  .description('What the Forge finds in synthetic fleets with planted workflows, and the time of a tick.')
  .option('--seeds <n>', 'seeds of each fleet', wholeNumber, 5)
  .option('--sizes <n,n,…>', 'traces of the ticks whose time is measured', wholeNumbers, [1_000, 10_000])
  .option('--vectors', 'give memories the vectors of the built-in embedder', false)
  .option('--min-precision <share>', 'fail below this', share, 0.9)
  .option('--min-recall <share>', 'fail below this', share, 0.8)
  .option('--min-steps <share>', 'fail below this share of the planted steps', share, 0.8)
  .action((options: ForgeFlags) => run(() => benchForge(options)))

program
  .command('forge-tick')
  .description(
    "One tick of the Forge over a tenant's traces: its time and memory, and a neighbour's recalls meanwhile.",
  )
  .addOption(profileOption().default('scaled'))
  .option('--traces <n>', 'traces of seven memories each', wholeNumber, 10_000)
  .option('--memories <n>', 'memories of the neighbour', wholeNumber, 4_000)
  .option('--questions <n>', 'recalls at rest', wholeNumber, 400)
  .action((options: ProfileFlags & { traces: number; memories: number; questions: number }) =>
    run((undo) => benchForgeTick({ ...options, profiles: profilesOf(options.profile) }, undo)),
  )

program
  .command('scan')
  .description(
    'Precision, recall and speed of the scan of skills on labelled skills, or what it says of published ones.',
  )
  .option('--real <folder>', 'published skills: benign/GROUP/… and malicious/FAMILY/…')
  .option('--min-precision <share>', 'fail below this', share, 0.97)
  .option('--min-recall <share>', 'fail below this', share, 0.95)
  .action(({ real, ...options }: { real?: string; minPrecision: number; minRecall: number }) =>
    run(async () => (real === undefined ? benchScan(options) : benchPublished(real))),
  )

program
  .command('contract')
  .description('Routing and validating a request by the contract, at 60 operations.')
  .action(() => run(async () => printContract(await benchContract())))

interface ProfileFlags {
  readonly profile: Profile | 'both'
}
interface SpeedFlags extends ProfileFlags {
  readonly cpuProf?: string
}
interface AgainstFlags {
  readonly against?: string
  readonly atATime: readonly number[]
  readonly setting: Readonly<Record<string, string>>
}
interface RecallFlags extends SpeedFlags, FleetSize, AgainstFlags {}
interface DocumentSearchFlags extends ProfileFlags, AgainstFlags {
  readonly documents: number
  readonly tenants: number
  readonly questions: number
}
/** The flags of a bench that sends floods of the kinds `by`. */
type FlagsOf<Options> = Omit<Options, 'profiles' | 'kinds'> & { readonly by: readonly FloodKind[] }
interface SoakFlags {
  readonly memories: number
  readonly recalls: number
  readonly writes: number
  readonly minutes: number
  readonly flatFrom: number
}
interface ForgeFlags {
  readonly seeds: number
  readonly sizes: readonly number[]
  readonly vectors: boolean
  readonly minPrecision: number
  readonly minRecall: number
  readonly minSteps: number
}
interface QualityFlags extends ProfileFlags {
  readonly topK: number
  readonly minR1?: number
  readonly minR5?: number
  readonly minR10?: number
  readonly minN5?: number
  readonly minN10?: number
  readonly minMrr?: number
  readonly setting: Readonly<Record<string, string>>
  readonly json?: string
}
interface AblationFlags extends ProfileFlags {
  readonly data?: string
  readonly set?: 'fleet'
  readonly seed: number
  readonly only?: readonly string[]
  readonly json?: string
}

/** Adds a bench of quality, with the options that all of them have. */
function quality(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .addOption(profileOption())
    .option('--top-k <n>', 'memories asked for', wholeNumber, 10)
    .option('--min-r1 <share>', 'fail below this R@1', share)
    .option('--min-r5 <share>', 'fail below this R@5', share)
    .option('--min-r10 <share>', 'fail below this R@10', share)
    .option('--min-n5 <share>', 'fail below this nDCG@5', share)
    .option('--min-n10 <share>', 'fail below this nDCG@10', share)
    .option('--min-mrr <share>', 'fail below this MRR', share)
    .option(
      '--setting <name=value>',
      'setting of the service, such as EMBEDDINGS_MODEL=local:NAME; may be repeated',
      setting,
      {},
    )
    .option('--json <file>', 'write the figures there')
}

function qualityOptions({ profile, setting, minR1, minR5, minR10, minN5, minN10, minMrr }: QualityFlags) {
  const given = [minR1, minR5, minR10, minN5, minN10, minMrr]
  const least = Object.fromEntries(COLUMNS.flatMap((column, i) => (given[i] === undefined ? [] : [[column, given[i]]])))
  return { profiles: profilesOf(profile), settings: setting, least: least as Partial<Record<Column, number>> }
}

function setOf({ data, set, seed }: AblationFlags) {
  if (data !== undefined) return { locomo: data }
  if (set !== undefined) return { fleet: seed }
  throw new Error('give `--data FILE` or `--set fleet` for the questions')
}

function speedOptions({ profile, cpuProf }: SpeedFlags) {
  if (cpuProf === undefined) return { profiles: profilesOf(profile) }
  const folder = resolve(cpuProf)
  mkdirSync(folder, { recursive: true })
  return { profiles: profilesOf(profile), cpuProf: folder }
}

function profilesOf(profile: Profile | 'both'): readonly Profile[] {
  return profile === 'both' ? PROFILES : [profile]
}

/** Runs a bench. The process ends with 1 when it failed or missed a required figure, and cleans up either way. */
async function run(bench: (undo: Cleanup) => Promise<unknown>): Promise<void> {
  try {
    if ((await bench(cleanup)) === false) process.exitCode = 1
  } catch (error) {
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  } finally {
    await cleanup.run()
  }
}

function wholeNumbers(text: string): number[] {
  return text.split(',').map(wholeNumber)
}

function numbersFromZero(text: string): number[] {
  return text.split(',').map((number) => (number === '0' ? 0 : wholeNumber(number)))
}

function setting(text: string, others: Readonly<Record<string, string>>): Record<string, string> {
  const [, name, value] = /^([A-Z_]+)=(.+)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be NAME=VALUE.')
  return { ...others, [name]: value }
}

function share(text: string): number {
  const value = Number(text)
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError('It must be a number from 0 to 1.')
  return value
}

await program.parseAsync()
