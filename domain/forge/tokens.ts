import { UNSPACED } from '../text/segments.js'

/** Matches a letter of a script without spaces, or punctuation of one. */
const UNSPACED_SIGN = String.raw`(?:${UNSPACED.source}|[\u3000-\u303f\uff01-\uff0f\uff1a-\uff1f])`

/** Matches between tokens: white space, and where a script without spaces meets letters or digits of another. */
export const BETWEEN_TOKENS = new RegExp(
  String.raw`(\s+|(?<=${UNSPACED_SIGN})(?=[\p{Script=Latin}\p{N}])|(?<=[\p{Script=Latin}\p{N}])(?=${UNSPACED_SIGN}))`,
  'u',
)
