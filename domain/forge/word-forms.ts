/** Irregular forms of English verbs, each behind its base: stemming finds the regular ones. */
const IRREGULAR = `begin began begun; bind bound; break broke broken; bring brought; build built; rebuild rebuilt; buy bought; catch caught;
  choose chose chosen; come came; deal dealt; do did done; draw drew drawn; drive drove driven; feed fed; find found; freeze froze frozen;
  get got gotten; give gave given; go went gone; grow grew grown; hang hung; hold held; keep kept; know knew known; lead led;
  leave left; lose lost; make made; mean meant; meet met; pay paid; redo redid redone; rerun reran; rewrite rewrote rewritten;
  run ran; say said; see saw seen; seek sought; sell sold; send sent; shake shook shaken; shoot shot; show shown; spend spent; spin spun;
  stand stood; stick stuck; sweep swept; take took taken; teach taught; tell told; think thought; throw threw thrown;
  undo undid undone; wake woke woken; withdraw withdrew withdrawn; write wrote written`

/** Words that agents use for one and the same; the first stands for the others. None of them destroys or discloses. */
const SAME = `create make generate; check verify confirm; start launch boot; restart reboot; stop halt; update upgrade; deploy release ship;
  run execute; fix repair; finish complete; new fresh; old previous`

const BASES = new Map(groupsOf(IRREGULAR).flatMap(([base, ...forms]) => forms.map((form) => [form, base!] as const)))
const COMMONER = new Map(groupsOf(SAME).flatMap(([first, ...others]) => others.map((verb) => [verb, first!] as const)))

function groupsOf(text: string): string[][] {
  return text.split(';').map((group) => group.trim().split(/\s+/))
}

/** Returns the base of an irregular verb, or the commonest word that means the same; any other word as it is. */
export function commonForm(word: string): string {
  const base = BASES.get(word) ?? word
  for (const form of formsOf(base)) {
    const commoner = COMMONER.get(form)
    if (commoner !== undefined) return commoner
  }
  return base
}

/** Returns what a word may be a regular form of: `verified` of `verify`, `generating` of `generate`, `stopped` of `stop`. */
function formsOf(word: string): string[] {
  const stem = /^(.{2,}?)(?:ed|ing|es|s)$/.exec(word)?.[1]
  if (stem === undefined) return [word]
  const doubled = /(.)\1$/.test(stem) ? [stem.slice(0, -1)] : []
  return [word, stem, `${stem}e`, stem.replace(/i$/, 'y'), ...doubled]
}
