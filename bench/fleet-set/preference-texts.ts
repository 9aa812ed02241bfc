/** A preference of a person: the sentence that says so, its possible values, and how one asks, first in its words. */
export interface Wish {
  readonly says: string
  readonly values: readonly string[]
  readonly asked: readonly string[]
}

export const WISHES: readonly Wish[] = [
  {
    says: '{person} wants the weekly digest {value}',
    values: ['on Monday mornings', 'on Thursday afternoons', 'before the weekend', 'right after month end'],
    asked: [
      'When does {person} want the digest?',
      'When should the roundup for {person} go out?',
      'At which moment does {person} like to get the roundup?',
    ],
  },
  {
    says: '{person} wants deploy reports as {value}',
    values: ['a bullet list', 'two plain paragraphs', 'a table', 'one sentence'],
    asked: [
      'How does {person} want deploy reports?',
      'In what shape should I tell {person} about a release?',
      'How should news of a release look for {person}?',
    ],
  },
  {
    says: '{person} is to be alerted through {value}',
    values: ['Signal', 'a phone call', 'e-mail', 'direct messages in the chat'],
    asked: [
      'How is {person} to be alerted?',
      'How do I reach {person} when something is on fire?',
      'What is the way to get hold of {person} in an emergency?',
    ],
  },
  {
    says: '{person} asks for code samples in {value}',
    values: ['Python', 'Ruby', 'Scala', 'Haskell'],
    asked: [
      'Code samples for {person}: in which language?',
      'Which language should snippets for {person} be in?',
      'What do I write a demonstration for {person} in?',
    ],
  },
  {
    says: '{person} likes pull requests {value}',
    values: ['below 200 lines', 'as one change for each feature', 'split by layer', 'with tests first'],
    asked: [
      'How does {person} like pull requests?',
      'How should I cut up work that {person} has to review?',
      'What do changes look like that {person} enjoys reading?',
    ],
  },
  {
    says: '{person} prefers answers {value}',
    values: ['without pleasantries', 'with sources', 'in full sentences', 'as short as a telegram'],
    asked: [
      'How does {person} prefer answers?',
      'Which style suits {person} when I reply?',
      'How do I talk to {person}?',
    ],
  },
  {
    says: '{person} gets dates {value}',
    values: ['in ISO form', 'with the day first', 'in words', 'as week numbers'],
    asked: [
      'How does {person} get dates?',
      'How do I spell out a calendar day for {person}?',
      'What should the third of May look like when {person} reads it?',
    ],
  },
  {
    says: '{person} reads durations in {value}',
    values: ['milliseconds', 'seconds', 'whole minutes', 'percent of the objective'],
    asked: [
      'In what does {person} read durations?',
      'Which unit does {person} expect for how long things take?',
      'How do I put speed into numbers for {person}?',
    ],
  },
  {
    says: '{person} takes meetings {value}',
    values: ['only after 14:00', 'before ten', 'on Wednesdays alone', 'while walking'],
    asked: [
      'When does {person} take meetings?',
      'When may I put something into the calendar of {person}?',
      'At what hours is {person} willing to sit together?',
    ],
  },
  {
    says: '{person} runs the suite with {value}',
    values: ['mocha', 'vitest', "node's own runner", 'the container of the CI'],
    asked: [
      'What does {person} run the suite with?',
      'Which tool checks code on the machine of {person}?',
      'What do I start so that {person} sees the same failures?',
    ],
  },
  {
    says: '{person} looks at charts {value}',
    values: ['with a logarithmic axis', 'as heat maps', 'as stacked areas', 'without a legend'],
    asked: [
      'How does {person} look at charts?',
      'How should a graph be drawn for {person}?',
      'What makes a plot readable for {person}?',
    ],
  },
  {
    says: '{person} must approve {value}',
    values: [
      'every production change',
      'only schema changes',
      'what costs above 500 euros',
      'nothing any more but refunds',
    ],
    asked: [
      'What must {person} approve?',
      'What may I not do without a nod from {person}?',
      'For which things do I need the blessing of {person}?',
    ],
  },
  {
    says: '{person} wants tickets written in {value}',
    values: ['German', 'English', 'Portuguese', 'Dutch'],
    asked: [
      'In which language does {person} want tickets?',
      'In which tongue do I file an issue for {person}?',
      'What tongue should a bug be described in for {person}?',
    ],
  },
  {
    says: '{person} edits in {value}',
    values: ['Helix', 'Zed', 'VS Code', 'plain vi'],
    asked: [
      'Which editor does {person} use?',
      'Which program does {person} open source files with?',
      'For what should I write plugins if {person} is to use them?',
    ],
  },
  {
    says: '{person} gets terminal output {value}',
    values: ['verbatim', 'cut to ten lines', 'explained line by line', 'as a link alone'],
    asked: [
      'How does {person} get terminal output?',
      'What do I do with what a command printed before {person} sees it?',
      'How raw may console text be for {person}?',
    ],
  },
  {
    says: '{person} names branches after {value}',
    values: ['the ticket', 'the feature they hold', 'the weekday', 'nothing at all, a hash will do'],
    asked: [
      'What does {person} name branches after?',
      'What should a line of work in git be called for {person}?',
      'How do I label a fork of the trunk made for {person}?',
    ],
  },
  {
    says: '{person} eats {value} at team lunches',
    values: ['vegan', 'halal', 'everything without nuts', 'fish but no meat'],
    asked: [
      'What does {person} eat at team lunches?',
      'What do I have to mind about {person} when I order the catering?',
      'Which food suits {person}?',
    ],
  },
  {
    says: '{person} flies {value}',
    values: ['on the aisle', 'by the window', 'in the front row', 'only if the train takes above six hours'],
    asked: [
      'Which seat does {person} take on flights?',
      'What do I book when {person} has to travel?',
      'Where does {person} like to sit on a plane?',
    ],
  },
  {
    says: '{person} signs commits with {value}',
    values: ['an SSH key', 'GPG', 'a hardware token', 'the key of the CI'],
    asked: [
      'What does {person} sign commits with?',
      'How does {person} vouch for authorship?',
      'By what do I recognise that a change is really from {person}?',
    ],
  },
  {
    says: '{person} keeps notes in {value}',
    values: ['Obsidian', 'a plain text file', 'Notion', 'a paper notebook'],
    asked: [
      'Where does {person} keep notes?',
      'Where would I find what {person} jotted down?',
      'In what does {person} collect thoughts?',
    ],
  },
]

export const TOLD = [
  '{wish}.',
  'Noted from the talk: {wish}.',
  '{wish}, as mentioned at {hour}.',
  'Preference: {wish}.',
]

/** Notes of a changed preference: some say that it is new, some name the earlier one, some say nothing. */
export const CHANGED = [
  '{wish}.',
  '{wish}, as I was told at {hour}.',
  'From now on {wish}.',
  '{wish}; {old} is over.',
  'Correction: {wish}.',
  '{wish} these days.',
]

export const FORMERLY = ['{asked} I mean the former habit.', 'Formerly, before the change of mind: {asked}']
