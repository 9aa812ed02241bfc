import { expect } from 'chai'
import { fitLine } from '../../bench/fitted-line.js'

describe('a fitted line', () => {
  const points = (count: number, yOf: (x: number) => number) =>
    Array.from({ length: count }, (_, x) => ({ x, y: yOf(x) }))

  it('has the slope of the points, without an error where they lie on it', () => {
    const { slope, error } = fitLine(points(20, (x) => 300 - 2 * x))
    expect(slope).to.be.closeTo(-2, 1e-9)
    expect(error).to.be.closeTo(0, 1e-6)
  })

  it('is less certain where neighbours deviate alike than where they alternate', () => {
    const alternating = fitLine(points(60, (x) => (x % 2 === 0 ? 10 : -10)))
    const inWaves = fitLine(points(60, (x) => (Math.floor(x / 10) % 2 === 0 ? 10 : -10)))
    expect(Math.abs(alternating.slope)).to.be.below(2 * alternating.error)
    expect(inWaves.error).to.be.above(2 * alternating.error)
  })

  it('is none for two points', () => {
    expect(fitLine(points(2, (x) => x))).to.deep.equal({ slope: NaN, error: NaN })
  })
})
