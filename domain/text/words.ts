/** Letters, digits and marks, with nothing between. */
export const WORDS = /[\p{L}\p{N}\p{M}]+/gu
