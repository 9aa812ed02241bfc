/** A choice: the sentence that says so, its reasons, and what went wrong with it later. */
export interface Choice {
  readonly name: string
  readonly adopt: string
  readonly why: string
  readonly leave: string
}

/** A matter to be settled for each service; `asked` first in the words of the decision, then in others. */
export interface Topic {
  readonly asked: readonly string[]
  readonly choices: readonly [Choice, Choice]
}
