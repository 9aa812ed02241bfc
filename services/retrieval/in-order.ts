/** Returns the rows with these ids, in the order of the ids. */
export function inOrderOf<Row extends { readonly id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
