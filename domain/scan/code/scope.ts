import { merged, NOTHING, type Value } from './value.js'

/** The variables of a function, or of a part of a program. */
export class Scope {
  readonly #variables = new Map<string, Value>()
  /** Names that the function declares to be those of a scope around it. */
  readonly #outer = new Set<string>()
  result: Value = NOTHING

  constructor(private readonly parent: Scope | null) {}

  find(name: string): Value | undefined {
    const owner = this.#ownerOf(name)
    return owner && owner.#variables.get(name)
  }

  /** Declares that a name is that of a scope around this one. */
  declareOuter(name: string): void {
    this.#outer.add(name)
  }

  /** Adds what a variable of this scope may hold. */
  add(name: string, value: Value): void {
    if (this.#outer.has(name)) (this.parent ?? this).addWhereFound(name, value)
    else this.#variables.set(name, this.#with(name, value))
  }

  /** Adds what a variable may hold, in whichever scope has it. */
  addWhereFound(name: string, value: Value): void {
    const owner = this.#ownerOf(name) ?? this
    owner.#variables.set(name, owner.#with(name, value))
  }

  /** Says what a variable holds from here on. */
  replace(name: string, value: Value): void {
    const owner = this.#ownerOf(name) ?? this
    owner.#variables.set(name, value)
  }

  get outermost(): Scope {
    let outer: Scope = this
    while (outer.parent) outer = outer.parent
    return outer
  }

  #with(name: string, value: Value): Value {
    const before = this.#variables.get(name)
    return before ? merged([before, value], value.path || before.path) : value
  }

  #ownerOf(name: string): Scope | undefined {
    for (let scope: Scope | null = this; scope; scope = scope.parent) if (scope.#variables.has(name)) return scope
    return undefined
  }
}
