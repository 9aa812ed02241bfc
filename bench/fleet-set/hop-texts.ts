/**
 * Two notes that answer together: the first ties what the question names to something else, the second is about that
 * alone. `{a}` is asked for, `{b}` is what both share, `{c}` the answer.
 */
export interface Chain {
  readonly first: string
  readonly second: string
  readonly asked: readonly string[]
  /** Entity types of a and b. */
  readonly types: readonly [string, string]
  readonly a: readonly string[]
  readonly b: readonly string[]
  readonly c: readonly string[]
}

export const CHAINS: readonly Chain[] = [
  {
    first: 'Project {a} is the rewrite of {b}, {few} people for {dozens} weeks.',
    second: 'State of {b} is written to cluster [{c}], backups at {hour}.',
    asked: [
      'To which cluster is the state of {a} written?',
      'Where will the data of {a} end up?',
      'Which cluster has to grow when {a} gets its first customers?',
    ],
    types: ['project', 'system'],
    a: list('Heron Basalt Quince Lantern Mistral Ocelot Pumice Rhubarb Saffron Tundra Umber Walnut'),
    b: list(
      'tax-oracle gift-ledger claims-hub route-planner menu-board seat-map toll-reader rain-gauge quiz-host tip-jar queue-lamp bell-tower',
    ),
    c: list('crdb-11 crdb-14 crdb-19 pgx-02 pgx-05 pgx-08 scylla-3 scylla-6 scylla-7 tikv-21 tikv-24 tikv-27'),
  },
  {
    first: '{a} runs {b} and nothing else, {dozens} cores.',
    second: '[{c}] answers for {b}, agreed in round {thousands}.',
    asked: [
      'Who answers for what runs on {a}?',
      'Whose problem is it when {a} goes down?',
      'Who should know before I reboot {a}?',
    ],
    types: ['host', 'system'],
    a: list('anvil-07 anvil-12 anvil-31 forge-04 forge-18 forge-22 kiln-09 kiln-15 kiln-40 lathe-03 lathe-16 lathe-28'),
    b: list(
      'mail-sorter thumb-maker feed-reader lint-runner map-tiler font-server vote-counter cron-master link-checker spell-bot color-picker page-stamper',
    ),
    c: list('Amara Boris Chen Divya Elena Farid Greta Hiro Ines Jonas Kofi Lucia'),
  },
  {
    first: '{a} signed for the {b} plan, {dozens} seats.',
    second: 'On the {b} plan [{c} exports a day] are included, more cost extra.',
    asked: [
      'How many exports are included for {a}?',
      'How many files may {a} have delivered daily?',
      'At what number do I have to stop {a} from pulling further dumps?',
    ],
    types: ['customer', 'plan'],
    a: names(
      'Lindqvist Foods|Aurora Travel|Kestrel Insurance|Okafor Motors|Bluebird Toys|Santos Optics|Mirabelle Hotels|Tanaka Tools|Pereira Books|Novak Cycling|Galway Dairy|Hollis Pharma',
    ),
    b: list('Granite Birch Copper Velvet Comet Harbor Juniper Onyx Poppy Raven Sable Tulip'),
    c: list('40 55 65 80 95 120 135 150 185 220 260 310'),
  },
  {
    first: '{a} is led by {b} since week {dozens}.',
    second: '{b} works from [{c}], usually until {hour}.',
    asked: [
      'From where does the lead of {a} work?',
      'In which city would I meet whoever is in charge of {a}?',
      'For a visit to the head of {a}, where do I book a train to?',
    ],
    types: ['project', 'person'],
    a: names(
      'the warehouse robot trial|the loyalty card launch|the tax filing pilot|the night bus deal|the carbon label|the school discount|the voice ordering test|the fraud appeal desk|the refund kiosk|the green packaging plan|the tipping study|the bike courier pool',
    ),
    b: names('Ottilie|Perpetua|Ragnar|Severin|Thandiwe|Ulrik|Valentina|Wendell|Xander|Yolanda|Zachary|Abelone'),
    c: list('Lisbon Gdansk Bergen Leuven Graz Turin Porto Aarhus Tartu Ghent Brno Malmo'),
  },
  {
    first: '{a} was solved by pull request {b}, {few} reviewers.',
    second: 'Pull request {b} went out with [{c}], {dozens} others beside it.',
    asked: [
      'Which release did the fix of {a} go out with?',
      'From which version on is {a} gone?',
      'What do customers have to install to be rid of {a}?',
    ],
    types: ['ticket', 'pull request'],
    a: list(
      'BUG-3071 BUG-3107 BUG-3170 BUG-3701 BUG-3710 BUG-4071 BUG-4107 BUG-4170 BUG-4701 BUG-4710 BUG-7031 BUG-7103',
    ),
    b: list('#18204 #18240 #18402 #18420 #18024 #18042 #12804 #12840 #14802 #14820 #10824 #10842'),
    c: list(
      '2026.01.1 2026.01.3 2026.02.2 2026.02.4 2026.03.1 2026.03.5 2026.04.2 2026.04.6 2026.05.1 2026.05.3 2025.12.2 2025.11.4',
    ),
  },
  {
    first: '{a} comes from {b} alone, checked {dozens} stacks.',
    second: '{b} [{c}], says its maintainer in mail {thousands}.',
    asked: [
      'What does the maintainer of the library behind {a} say?',
      'What do the authors of the thing that throws {a} advise?',
      'Is there word from outside on how to live with {a}?',
    ],
    types: ['error', 'library'],
    a: list(
      'E_SPLINE_9 E_GAMUT_4 E_TORQUE_2 E_FJORD_7 E_NICKEL_5 E_VECTOR_8 E_PRISM_3 E_OSMIUM_6 E_QUARTZ_1 E_HELIX_0 E_MARROW_9 E_TALON_4',
    ),
    b: names(
      'libpapaya|node-turnip|fastcurd|py-bramble|go-thistle|rust-sedge|jquince|libwaffle|tinyfennel|node-sorrel|py-damson|go-chicory',
    ),
    c: names(
      'must stay below 4.2|wants a single thread|needs 64 MB of shared memory|breaks on kernels after 6.8|is to be closed by hand|wants its cache on local disk|expects little-endian files|needs the locale set to C|must be built without LTO|wants a heartbeat each second|cannot share a socket|should be called with fixed seeds',
    ),
  },
  {
    first: '{a} puts its work into {b}, about {thousands} items.',
    second: '{b} is emptied by [{c}], {few} replicas.',
    asked: [
      'By whom is the queue of {a} emptied?',
      'What picks up after {a}?',
      'If results of {a} never arrive, which consumer should I look at?',
    ],
    types: ['job', 'queue'],
    a: names(
      'the midnight recount|the harvest crawl|the sunrise mailing|the monthly purge|the vat export|the photo import|the seat shuffle|the ticket sweep|the price freeze check|the stock census|the churn rerun|the label refresh',
    ),
    b: list('q-amber q-beryl q-cobalt q-denim q-ebony q-fuchsia q-garnet q-hazel q-indigo q-jade q-khaki q-lilac'),
    c: list('otter badger ferret marmot heron-bot egret stoat lynx tapir ibex quokka wombat'),
  },
  {
    first: 'Bucket of {a}: {b}, {hundreds} GB.',
    second: 'Bucket {b} lies in [{c}], encrypted with key {thousands}.',
    asked: [
      'Where does the bucket of {a} lie?',
      'Whose law counts for {a}, going by where the bytes are?',
      'In which country would I find {a}?',
    ],
    types: ['dataset', 'bucket'],
    a: names(
      'the clickstream archive|the voice corpus|the fitting room photos|the delivery traces|the survey answers|the returns ledger|the heat maps|the chat transcripts|the label scans|the shelf images|the route history|the receipt scans',
    ),
    b: list(
      'bk-argon bk-boron bk-cesium bk-dysprosium bk-erbium bk-fluorine bk-gallium bk-hafnium bk-iridium bk-krypton bk-lithium bk-neon',
    ),
    c: list('Germany Ireland Sweden Singapore Brazil Canada Japan Poland Spain India Chile Kenya'),
  },
]

function list(text: string): string[] {
  return text.split(' ')
}

function names(text: string): string[] {
  return text.split('|')
}
