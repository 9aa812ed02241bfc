import { expect } from 'chai'
import fc from 'fast-check'
import { shortDot, shortDots, shortVector, dot } from '../../../domain/ranking/vectors.js'

const unit = fc
  .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 256, maxLength: 256 })
  .filter((values) => Math.hypot(...values) > 0.1)
  .map((values) => Float32Array.from(values, (value) => value / Math.hypot(...values)))

describe('domain/ranking/short-vector', () => {
  it('keeps inner products and the length', () => {
    fc.assert(
      fc.property(unit, unit, (a, b) => {
        expect(shortDot(a, shortVector(b))).to.be.closeTo(dot(a, b), 0.01)
        expect(shortDots(shortVector(a), shortVector(b))).to.be.closeTo(dot(a, b), 0.02)
        expect(shortDots(shortVector(a), shortVector(a))).to.be.closeTo(1, 1e-4)
      }),
    )
  })

  it('is the sum of all products, however long the vectors are', () => {
    for (const length of [1, 3, 5, 300]) {
      const ones = Float32Array.from({ length }, () => 1)
      expect(shortDot(ones, shortVector(ones))).to.be.closeTo(length, 1e-3)
      expect(shortDots(shortVector(ones), shortVector(ones))).to.be.closeTo(length, 1e-3)
    }
  })

  it('of zeros is similar to nothing', () => {
    expect(shortDot(Float32Array.of(1, 0), shortVector(Float32Array.of(0, 0)))).to.equal(0)
  })
})
