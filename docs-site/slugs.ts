/** Returns what makes anchors of the headings of one document, as GitHub makes them: each is given once, a repeated one with a number. */
export function createSlugs(): (heading: string) => string {
  const given = new Set<string>()
  return (heading) => {
    const letters = heading.toLowerCase().replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    const slug = letters.replaceAll(' ', '-')
    let anchor = slug
    for (let n = 1; given.has(anchor); n++) anchor = `${slug}-${n}`
    given.add(anchor)
    return anchor
  }
}
