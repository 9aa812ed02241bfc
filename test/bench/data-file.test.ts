import { expect } from 'chai'
import { readData, TEXT, TEXTS } from '../../bench/data-file.js'

const FILE = 'forge-fleet/database.yaml'
const RECIPES = { elements: { properties: { key: TEXT, goals: TEXTS, steps: { values: TEXTS } } } } as const
const LISTS = { successes: TEXTS, failures: TEXTS, notes: TEXTS, noise: TEXTS } as const

describe('data files of the bench', () => {
  it('are read in their shape', () => {
    const data = readData(FILE, { properties: { recipes: RECIPES, ...LISTS, slots: { values: TEXTS } } })
    expect(data.slots.db).to.deep.equal(['orders-db', 'users-db', 'ledger-db'])
  })

  it('are refused with what is wrong when they have another', () => {
    expect(() => readData(FILE, { properties: { recipes: RECIPES, ...LISTS } })).to.throw(
      'bench/forge-fleet/database.yaml: data/slots must NOT have additional properties',
    )
    expect(() => readData(FILE, { properties: { recipes: TEXTS, ...LISTS, slots: { values: TEXT } } })).to.throw(
      'data/recipes/0 must be string, ',
    )
    expect(() => readData(FILE, { elements: TEXT })).to.throw('bench/forge-fleet/database.yaml: data must be array')
  })
})
