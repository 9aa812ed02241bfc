/** English function words that say nothing about a memory. `may` is missing on purpose: it is a month. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are arent as at be because been before being below between both but by
  can cannot cant could couldnt did didnt do does doesnt doing dont down during each few for from further had hadnt has hasnt
  have havent having he hed hell her here hers herself hes him himself his how i id if ill im in into is isnt it its itself
  ive lets me more most my myself no nor not of off on once only or other ought our ours ourselves out over own same shall
  shant she shed shes should shouldnt so some such than that thats the their theirs them themselves then there theres these
  they theyd theyll theyre theyve this those through to too under until up very was wasnt we wed were werent weve what whats
  when where which while who whom whos why will with wont would wouldnt you youd youll your youre yours yourself yourselves
  youve`.split(/\s+/),
)
