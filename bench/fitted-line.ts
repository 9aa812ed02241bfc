export interface FittedLine {
  /** Change of y for one of x. */
  readonly slope: number
  /** Standard error of the slope. */
  readonly error: number
}

/**
 * Returns the line of least squares through the points, in the order in which they were measured. Neighbours whose residuals are alike (a
 * heap that grows until it is collected) say less than as many that are independent: the error counts n(1 − r)/(1 + r) of n points, r being the
 * residuals' correlation from one point to the next. NaN for fewer than three points.
 */
export function fitLine(points: readonly { readonly x: number; readonly y: number }[]): FittedLine {
  const n = points.length
  if (n < 3) return { slope: NaN, error: NaN }
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / n
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / n
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread
  const residuals = points.map(({ x, y }) => y - meanY - slope * (x - meanX))
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0)
  if (squares === 0) return { slope, error: 0 }
  const products = residuals.slice(1).reduce((sum, residual, i) => sum + residual * residuals[i]!, 0)
  const correlation = Math.min(0.99, Math.max(0, products / squares))
  const independent = Math.max(3, (n * (1 - correlation)) / (1 + correlation))
  return { slope, error: Math.sqrt(squares / (independent - 2) / spread) }
}
