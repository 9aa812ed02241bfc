import { expect } from 'chai'
import fc from 'fast-check'
import { compoundsIn, withCompoundParts } from '../../../domain/text/words.js'

describe('domain/text/compounds', () => {
  it('inserts the parts of each compound after it', () => {
    expect(withCompoundParts('call pruneCart, or HTTPServer_new')).to.equal(
      'call pruneCart prune Cart, or HTTPServer HTTP Server_new',
    )
  })

  it('leaves a text unchanged exactly when it contains no compound', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abABéÉß1_ -\u0301'), maxLength: 20 }), (text) => {
        expect(withCompoundParts(text) === text).to.equal(compoundsIn(text).length === 0)
      }),
      { numRuns: 2_000 },
    )
  })
})
