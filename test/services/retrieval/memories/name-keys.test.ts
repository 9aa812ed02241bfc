import { expect } from 'chai'
import { nameKey } from '../../../../domain/text/memory-text.js'
import { nameKeysIn } from '../../../../services/retrieval/memories/query.js'

describe('names of entities in a query', () => {
  const found: [query: string, name: string][] = [
    ['What does Acme do?', 'Acme'],
    ['what does ACME  corp do', 'Acme Corp'],
    ['Is "Acme Corp" hiring?', 'Acme Corp'],
    ['Who are Acme Corp’s founders?', 'Acme Corp'],
    ["Acme's founders", 'Acme'],
    ['Did Dr. Smith call?', 'Dr. Smith'],
    ['Did dr. smith’s office call?', 'Dr. Smith'],
    ['Who knows C++?', 'C++'],
    ['Is it written in C#, or in .NET?', 'C#'],
    ['Is it written in C#, or in .NET?', '.NET'],
    ['a deal with Yahoo!', 'Yahoo!'],
    ['a deal with Yahoo', 'Yahoo'],
    ['(see: Ana-María O’Neill)', 'Ana-María O’Neill'],
    ['the University of the West of Scotland', 'University of the West of'],
    ['error in ERR_CONN-42.', 'ERR_CONN-42'],
    ['北京 is far', '北京'],
    ["Elif Demir'in raporu", 'Elif Demir'],
    ['İstanbul’dakilerden haber var mı?', 'İstanbul'],
  ]
  for (const [query, name] of found)
    it(`finds ${name} in: ${query}`, () => expect(nameKeysIn(query)).to.include(nameKey(name)))

  it('finds no name whose words stand apart', () => {
    expect(nameKeysIn('Acme owns the Corp')).to.not.include(nameKey('Acme Corp'))
  })

  it('finds no name inside a word', () => {
    expect(nameKeysIn('Acmeist poetry')).to.not.include(nameKey('Acme'))
  })

  it('finds names next to thousands of signs that normalise to several characters', () => {
    const signs = '\u2057'.repeat(4_900)
    expect(nameKeysIn(`ask Acme a${signs}b Corp Ltd`)).to.include.members([nameKey('Acme'), nameKey('Corp Ltd')])
    expect(nameKeysIn(`Acme${signs}`)).to.include(nameKey('Acme'))
    expect(nameKeysIn(`${'.'.repeat(4_900)}a Acme${'!'.repeat(50)}`)).to.include(nameKey('Acme'))
  })

  it('returns no empty name, and at most 400', () => {
    expect(nameKeysIn('?! … 😀')).to.not.include('')
    expect(nameKeysIn(Array.from({ length: 2_500 }, (_, i) => i).join(' ')).length).to.be.at.most(400)
  })

  it('finds no entity of a function word, but names that contain one', () => {
    const keys = nameKeysIn('What do we know of the Lord of the Rings, and who is your contact?')
    for (const word of ['the', 'of', 'what', 'your', 'who']) expect(keys).to.not.include(word)
    expect(keys).to.include.members([nameKey('Lord of the Rings'), 'contact'])
  })
})
