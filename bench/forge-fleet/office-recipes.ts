import type { Recipe } from './shape.js'

/** A step as it is told in sentences (`did`, after "I") and as terse agents note it (`log`). */
export interface ToldStep {
  readonly key: string
  readonly did: readonly string[]
  readonly log: readonly string[]
}

export interface OfficeRecipe extends Recipe {
  readonly steps: readonly ToldStep[]
  readonly brief: string
  readonly well: readonly string[]
  readonly badly: readonly string[]
}

const step = (key: string, did: readonly string[], log: readonly string[]): ToldStep => ({ key, did, log })

/** Work of offices, courts and laboratories. The first five are those that become traps. */
export const OFFICE_RECIPES: readonly OfficeRecipe[] = [
  {
    key: 'gift-register',
    brief: 'a present from a supplier',
    steps: [
      step('value', ['had the present appraised', 'looked up what the present is worth'], ['present: worth {n}']),
      step(
        'register',
        ['entered the present in the compliance register', 'wrote the supplier present into the register'],
        ['compliance register entry {n}'],
      ),
      step(
        'return',
        ['couriered it back to the supplier', 'gave it to the courier, back to the sender'],
        ['courier back to supplier'],
      ),
      step(
        'letter',
        ['thanked the supplier in a polite letter', 'posted a polite letter of thanks'],
        ['thank-you letter'],
      ),
    ],
    well: ['compliance ticked it off', 'accepted by compliance'],
    badly: ['nobody knew the rule, left it there'],
  },
  {
    key: 'visitor-visa',
    brief: 'a visa invitation',
    steps: [
      step(
        'passport',
        ['got a scan of the passport pages', 'asked the visitor for passport scans'],
        ['passport scan {n}'],
      ),
      step(
        'invite',
        ['typed the invitation on letterhead', 'drew up the invitation letter'],
        ['invitation, letterhead'],
      ),
      step(
        'consulate',
        ['booked a slot at the consulate', 'reserved an appointment with the consulate'],
        ['consulate slot {n}'],
      ),
      step(
        'insurance',
        ['bought travel health cover', 'took out health cover for the trip'],
        ['travel cover policy {n}'],
      ),
    ],
    well: ['visa granted', 'visa stamped, settled'],
    badly: ['consulate said no'],
  },
  {
    key: 'grant-extension',
    brief: 'a no-cost extension of a grant',
    steps: [
      step(
        'balance',
        ['totalled what is unspent on the grant', 'worked out the unspent grant balance'],
        ['unspent: {n}'],
      ),
      step(
        'reason',
        ['drafted the justification for the extension', 'set out why the grant needs more months'],
        ['justification v{n}'],
      ),
      step(
        'portal',
        ['uploaded the extension to the funder portal', 'lodged the extension in the portal of the funder'],
        ['portal upload {n}'],
      ),
      step('officer', ['rang the program officer', 'phoned the officer of the program'], ['call w/ program officer']),
    ],
    well: ['funder agreed'],
    badly: [
      'the funder turned it down',
      'portal refused the request, deadline missed',
      'no extension was given',
      'it came to nothing, rejected',
    ],
  },
  {
    key: 'estate-inventory',
    brief: 'the inventory of an estate',
    steps: [
      step('photos', ['photographed every room of the house', 'took pictures room by room'], ['photos, {n} rooms']),
      step(
        'appraise',
        ['met the appraiser about the paintings', 'let the appraiser look at furniture and paintings'],
        ['appraiser: {n}'],
      ),
      step(
        'list',
        ['compiled the probate schedule of assets', 'wrote up all assets for probate'],
        ['probate schedule p{n}'],
      ),
    ],
    well: ['probate court took the schedule', 'schedule approved by the court'],
    badly: ['heirs quarrelled, stopped'],
  },
  {
    key: 'fume-hood',
    brief: 'the yearly test of fume hoods',
    steps: [
      step(
        'smoke',
        ['released smoke in hood {n} and watched the draft', 'ran the smoke tube test in hood {n}'],
        ['smoke tube, hood {n}'],
      ),
      step(
        'velocity',
        ['measured face velocity at {n} cm/s', 'took the anemometer to the sash, {n} cm/s'],
        ['anemometer {n} cm/s'],
      ),
      step(
        'sticker',
        ['put the {n} inspection sticker on the sash', 'stuck the new label {n} onto the hood'],
        ['sticker {n} on sash'],
      ),
    ],
    well: ['hood {n} passed', 'certified, hood {n} may be used'],
    badly: ['hood out of service'],
  },
  {
    key: 'month-close',
    brief: 'closing the books of {month}',
    steps: [
      step(
        'bank',
        [
          'tied the bank statement to the cash account',
          'matched bank lines with our cash account',
          'went through the bank statement line by line',
        ],
        ['bank rec {month}', 'bank statement vs cash acct'],
      ),
      step(
        'accruals',
        [
          'posted accruals for invoices that have not come',
          'booked the missing invoices as accruals',
          'accrued {n} for services without an invoice',
        ],
        ['accruals {n}', 'accrual entries for open invoices'],
      ),
      step(
        'intercompany',
        [
          'netted intercompany balances with the Dublin entity',
          'cleared the intercompany account against Dublin',
          'agreed intercompany figures with Dublin',
        ],
        ['IC netting Dublin', 'intercompany Dublin {n}'],
      ),
      step(
        'depreciation',
        [
          'ran depreciation in SAP',
          'started the depreciation run for fixed assets',
          'let SAP calculate depreciation on all assets',
        ],
        ['SAP depreciation run', 'depr. fixed assets SAP'],
      ),
      step(
        'review',
        [
          'walked the controller through the variances',
          'explained variances above {n} to the controller',
          'had the controller review the variance sheet',
        ],
        ['variance review w/ controller', 'controller: variances'],
      ),
      step(
        'lock',
        ['locked the period in SAP', 'shut posting period {month}', 'closed the posting period so nobody can book'],
        ['period lock {month}', 'SAP posting period shut'],
      ),
    ],
    well: [
      'books for {month} are closed',
      'trial balance ties to zero',
      'controller signed off',
      '{month} is closed and reported',
    ],
    badly: ['trial balance is off by {n} and nobody knows why', 'we missed the close', 'had to reopen {month}'],
  },
  {
    key: 'nda-review',
    brief: 'a confidentiality agreement with {firm}',
    steps: [
      step(
        'intake',
        [
          'logged the NDA of {firm} in the matter system',
          'opened a matter for the {firm} NDA',
          'gave the agreement a matter number',
        ],
        ['matter opened, NDA {firm}', 'NDA intake {firm}'],
      ),
      step(
        'redline',
        [
          'redlined the indemnity clause',
          'struck the indemnity and marked it red',
          'sent back a redline without indemnity',
        ],
        ['redline: indemnity out', 'indemnity clause redlined'],
      ),
      step(
        'term',
        [
          'cut the confidentiality term to {n} years',
          'shortened how long secrecy lasts',
          'negotiated a shorter confidentiality term',
        ],
        ['term -> {n}y', 'confidentiality term shortened'],
      ),
      step(
        'law',
        [
          'changed governing law to Delaware',
          'asked for Delaware as governing law',
          'moved the governing law clause to Delaware',
        ],
        ['gov law: Delaware', 'Delaware law clause'],
      ),
      step(
        'sign',
        [
          'routed it through DocuSign',
          'sent the DocuSign envelope to {firm}',
          'put both signatories on a DocuSign envelope',
        ],
        ['DocuSign out', 'DocuSign env. {n}'],
      ),
    ],
    well: ['countersigned by {firm}', 'fully executed copy is filed', 'both sides signed', 'executed and archived'],
    badly: [
      '{firm} walked away from the talks',
      'they would not accept our redline, matter dropped',
      'no agreement with {firm}',
    ],
  },
  {
    key: 'elisa',
    brief: 'an ELISA on plate {plate}',
    steps: [
      step(
        'coat',
        [
          'coated plate {plate} with capture antibody overnight',
          'left capture antibody on the plate at four degrees',
          'put the coating antibody onto {plate}',
        ],
        ['coat {plate}, capture Ab', 'capture antibody o/n'],
      ),
      step(
        'block',
        ['blocked with BSA for an hour', 'added BSA so nothing sticks', 'blocked the wells, {n} ul of BSA each'],
        ['block BSA', 'BSA {n}ul/well'],
      ),
      step(
        'samples',
        [
          'pipetted serum in triplicate',
          'loaded serum samples and the standard curve',
          'gave serum dilutions to the wells',
        ],
        ['serum x3 + std curve', 'load sera {n}'],
      ),
      step(
        'wash',
        ['washed five times with PBST', 'put it through five PBST washes', 'rinsed the wells with PBST'],
        ['5x PBST', 'PBST wash'],
      ),
      step(
        'substrate',
        [
          'added TMB and waited for blue',
          'developed with TMB for {n} minutes',
          'gave TMB substrate, stopped with acid',
        ],
        ['TMB {n} min, stop', 'TMB dev + acid'],
      ),
      step(
        'read',
        ['read absorbance at 450 nm', 'measured the plate on the reader, 450 nm', 'took the 450 nm reading'],
        ['OD450', 'read 450nm'],
      ),
    ],
    well: [
      'curve fits, R2 above .99',
      'controls within limits, data released',
      'good plate, results usable',
      'QC passed',
    ],
    badly: ['background too high, plate thrown away', 'controls out of range, data unusable', 'plate contaminated'],
  },
  {
    key: 'vendor-onboarding',
    brief: 'taking on {firm} as a vendor',
    steps: [
      step(
        'tax',
        ['collected the W-9 of {firm}', 'requested the tax form W-9', 'chased {firm} for their W-9'],
        ['W-9 in', 'tax form W-9 {firm}'],
      ),
      step(
        'sanctions',
        [
          'screened {firm} against sanctions lists',
          'ran the OFAC sanctions screening',
          'looked {firm} up in the sanctions lists',
        ],
        ['OFAC screen: {firm}', 'sanctions screening'],
      ),
      step(
        'bank',
        [
          'called back to confirm the bank details',
          'confirmed account numbers by calling a known phone',
          'verified bank details over a call-back',
        ],
        ['bank call-back', 'call-back re bank details {n}'],
      ),
      step(
        'record',
        [
          'created the vendor record in Coupa',
          'set {firm} up in Coupa as supplier {n}',
          'keyed the vendor master data into Coupa',
        ],
        ['Coupa vendor {n}', 'Coupa: master data'],
      ),
      step(
        'po',
        ['raised the first purchase order', 'issued purchase order {n}', 'got an initial PO out'],
        ['PO {n}', 'first PO'],
      ),
    ],
    well: ['{firm} can be paid now', 'vendor is live', 'onboarding of {firm} complete', 'first payment went through'],
    badly: [
      '{firm} is on a sanctions list, stopped',
      'bank details were fake, onboarding cancelled',
      'vendor never answered',
    ],
  },
  {
    key: 'freight-claim',
    brief: 'a claim for damaged freight',
    steps: [
      step(
        'pictures',
        [
          'took pictures of the crushed pallets',
          'photographed the damaged pallets at the dock',
          'asked the dock for pictures of the pallets',
        ],
        ['pallet pics x{n}', 'pics of crushed pallets'],
      ),
      step(
        'bol',
        ['pulled the bill of lading', 'found the signed bill of lading', 'dug out bill of lading {n}'],
        ['BOL {n}', 'bill of lading pulled'],
      ),
      step(
        'value',
        [
          'put the loss at {n} dollars from the commercial invoice',
          'computed the loss with the commercial invoice',
          'worked out damages by commercial invoice',
        ],
        ['loss {n} per comm. invoice', 'commercial invoice, loss calc'],
      ),
      step(
        'file',
        [
          'filed the claim with the carrier',
          'lodged the cargo claim at the carrier',
          'submitted our claim on the carrier website',
        ],
        ['claim -> carrier', 'carrier claim {n}'],
      ),
      step(
        'salvage',
        [
          'arranged salvage for what can be sold',
          'sold the good cartons as salvage',
          'had the salvage buyer collect the cartons',
        ],
        ['salvage buyer', 'salvage cartons {n}'],
      ),
    ],
    well: [
      'carrier paid',
      'claim settled in full',
      'carrier accepted liability, money received',
      'settlement of {n} is on our account',
    ],
    badly: ['carrier denied liability', 'claim was filed too late', 'no money from the carrier'],
  },
  {
    key: 'new-hire',
    brief: 'the first day of {name}',
    steps: [
      step(
        'contract',
        [
          'countersigned the employment contract of {name}',
          'collected the signed employment contract',
          'archived the employment contract in Workday',
        ],
        ['empl. contract {name}', 'employment contract -> Workday'],
      ),
      step(
        'badge',
        ['ordered a door badge', 'asked security for a badge', 'let security print the badge'],
        ['badge {n}', 'security: badge'],
      ),
      step(
        'payroll',
        ['enrolled {name} in payroll', 'added {name} to the payroll of next month', 'passed salary data on to payroll'],
        ['payroll enrol', 'payroll {name}'],
      ),
      step(
        'buddy',
        ['paired {name} with a buddy', 'found a buddy in the team', 'introduced {name} to the buddy'],
        ['buddy assigned', 'buddy: {name}'],
      ),
      step(
        'training',
        ['assigned the safety training', 'signed {name} up for safety training', 'scheduled the safety course'],
        ['safety training {n}', 'safety course booked'],
      ),
    ],
    well: [
      '{name} started today, everything in place',
      'first day went smoothly',
      '{name} is fully onboarded',
      'ready on day one',
    ],
    badly: ['{name} withdrew', 'the offer fell through', '{name} never showed up'],
  },
]

export const OFFICE_ASIDES: readonly string[] = [
  'the heating is broken in our wing',
  'lunch with the auditors ran long',
  'somebody parked in my spot again',
  'legal asked for last year binders, unrelated',
  'phones were down for {n} minutes',
  'the courier came late',
  '{name} is out sick',
  'my other file is still waiting for a stamp',
  'the coffee here is dreadful',
  'training video on posture, {n} minutes',
  'rain all day, train delayed',
  'printer queue full',
]

export const OFFICE_NOISE: readonly string[] = [
  'The auditors come in week {n}.',
  '{name} likes short mails.',
  'SAP will be down on Sunday for {n} hours.',
  'Our Delaware office moved to another street.',
  'The freezer in room {n} shows minus 79.',
  'Carriers raise prices by {n} percent in spring.',
  'Payroll calendar: cut-off is the {n}th.',
  '{firm} was bought by a competitor.',
  'New canteen menu from Monday.',
  'Bench space on floor {n} is rare.',
  'The controller prefers spreadsheets without macros.',
  'DocuSign contract renews in {n} days.',
  'Coupa training for managers on the {n}th.',
  'Someone left a bicycle in the archive.',
  'Antibody order {n} arrived on dry ice.',
  'The board meets in {month}.',
  'Parking permits are handed out by security.',
  '{name} collects stamps.',
]

export const OFFICE_SLOTS: Readonly<Record<string, readonly string[]>> = {
  month: ['October', 'November', 'December', 'January', 'February'],
  firm: ['Halden & Co', 'Brightwater Ltd', 'Nordlys AS', 'Quillfeather Inc', 'Tamarack Partners', 'Osprey Freight'],
  plate: ['P-118', 'P-204', 'P-219', 'P-305', 'P-333'],
  name: ['Ines', 'Ravi', 'Claire', 'Mateo', 'Yuki', 'Hannah', 'Bogdan'],
}
