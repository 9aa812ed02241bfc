import { UNSPACED } from '../../personal-data/words.js'

/** Matches a letter of a script that writes words without spaces between them. */
export const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u')
