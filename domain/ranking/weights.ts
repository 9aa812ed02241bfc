/** Shares of words and meaning in the content evidence, each on the scale of the best candidate. */
export const WORDS = 0.7
export const MEANING = 0.3
/** What each entity adds that the query names and the memory is linked to. */
export const ENTITY = 0.25
