// Searches the sections of all documents, in the browser: the list of them is one file.
const most = 30
const main = document.querySelector('#content')
const asked = new URLSearchParams(location.search).get('q')?.trim() ?? ''
const plain = (text) => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, ' ')}`
const words = plain(asked).split(' ').filter(Boolean)

document.querySelector('[name=q]').value = asked
if (words.length > 0) void answer()
else say('Type what you look for above.')

async function answer() {
  try {
    show(find(await (await fetch(main.dataset.sections)).json()))
  } catch {
    say('The search does not answer; load the page again.')
  }
}

/** Finds the sections in which each word begins one of theirs; in a heading it counts more. */
function find(sections) {
  const found = sections.flatMap((section) => {
    const [title, heading, text] = [section.title, section.heading, section.text].map(plain)
    const scores = words.map((word) => {
      const times = text.split(` ${word}`).length - 1
      return (heading.includes(` ${word}`) ? 8 : 0) + (title.includes(` ${word}`) ? 4 : 0) + Math.min(times, 3)
    })
    return scores.includes(0) ? [] : [{ section, score: scores.reduce((a, b) => a + b) / (section.isGuide ? 1 : 2) }]
  })
  return found.sort((a, b) => b.score - a.score).map(({ section }) => section)
}

function show(sections) {
  say(
    sections.length === 0
      ? `Nothing has all of these words.`
      : `${sections.length} sections${sections.length > most ? `, the first ${most}` : ''}`,
  )
  const list = element('ol', '')
  list.append(
    ...sections.slice(0, most).map((section) => {
      const item = element('li', '')
      const link = element(
        'a',
        section.heading === section.title ? section.title : `${section.title}: ${section.heading}`,
      )
      link.href = section.url
      item.append(link, element('p', around(section.text)))
      return item
    }),
  )
  main.append(list)
}

/** Returns the text around the first word that is found. */
function around(text) {
  const at = text.toLowerCase().search(new RegExp(words[0].replace(/[^\p{L}\p{N}]/gu, '.'), 'u'))
  const from = Math.max(0, at - 60)
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + 200)}${text.length > from + 200 ? ' …' : ''}`
}

function say(text) {
  document.querySelector('[role=status]').textContent = text
}

function element(name, text) {
  const made = document.createElement(name)
  made.textContent = text
  return made
}
