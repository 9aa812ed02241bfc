/** Longest name that the Agent Skills format allows. */
const LONGEST = 64

/**
 * Returns the name of the folder that a skill is written to, which is its `name` in the Agent Skills format too: lower-case letters,
 * digits and single hyphens. It is the slug itself where that is such a name.
 */
export function folderNameOf(slug: string): string {
  const words = slug
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  return words.join('-').slice(0, LONGEST).replace(/-$/, '')
}
