/** Returns a count with its noun, such as `1 memory` and `2 memories`. `many` is for nouns that take more than an s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
