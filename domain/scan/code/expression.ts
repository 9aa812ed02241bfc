/** A program in the few terms that its flow of data is followed in, the same for all languages. Positions are those of the code. */
export type Expression = Span &
  (Text | Name | Member | Item | Call | Group | Joined | Test | Record | Func | Assign | Return | Alias | Outer)

interface Span {
  readonly start: number
  readonly end: number
}
/** A constant. */
interface Text {
  readonly kind: 'text'
  readonly value: string
}
interface Name {
  readonly kind: 'name'
  readonly name: string
}
interface Member {
  readonly kind: 'member'
  readonly of: Expression
  readonly name: string
}
interface Item {
  readonly kind: 'item'
  readonly of: Expression
  readonly key: Expression
}
export interface Call extends Span {
  readonly kind: 'call'
  readonly callee: Expression
  readonly args: readonly Argument[]
}
export interface Argument {
  /** Null for one that its position names. */
  readonly name: string | null
  readonly value: Expression
}
/** Any of its parts, or all: a list, a conditional, a block. */
interface Group {
  readonly kind: 'group'
  readonly parts: readonly Expression[]
}
/** A text made of its parts, one after another. */
interface Joined {
  readonly kind: 'joined'
  readonly parts: readonly Expression[]
}
/** Something of which only a truth or a number remains: a comparison. */
interface Test {
  readonly kind: 'test'
  readonly parts: readonly Expression[]
}
interface Record {
  readonly kind: 'record'
  readonly members: readonly Argument[]
}
export interface Func extends Span {
  readonly kind: 'function'
  readonly name: string | null
  readonly parameters: readonly string[]
  readonly body: Expression
}
export interface Assign {
  readonly kind: 'assign'
  /** Makes a variable of the scope where it stands, sets the one of any scope, or adds to the end of it. */
  readonly how: 'declares' | 'sets' | 'adds'
  readonly to: Expression
  readonly value: Expression
}
interface Return {
  readonly kind: 'return'
  readonly value: Expression
}
/** Names that a function declares to be those of a scope around it. */
interface Outer {
  readonly kind: 'outer'
  readonly names: readonly string[]
}
/** A name for something imported. */
interface Alias {
  readonly kind: 'alias'
  readonly name: string
  readonly path: string
}
