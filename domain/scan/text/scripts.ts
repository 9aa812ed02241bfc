import { UNDELIMITED_SCRIPTS } from '../../personal-data/words.js'

/** Matches a letter of a script that writes words without spaces between them. */
export const IS_UNDELIMITED = new RegExp(`[${UNDELIMITED_SCRIPTS}]`, 'u')
