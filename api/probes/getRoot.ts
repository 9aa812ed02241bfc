import type { Operation } from '../operation.js'

const LINKS = {
  contract: '/api/openapi.json',
  health: '/api/v1/health',
  ready: '/api/v1/ready',
  stats: '/api/v1/stats',
}

const DOCUMENTATION =
  'The contract describes every operation. README.md and docs/ of the package that runs here say how to install, use and operate it.'

export const getRoot: Operation<'getRoot'> = ({ version }) =>
  Promise.resolve({ status: 200, body: { name: 'cairn', version, links: LINKS, documentation: DOCUMENTATION } })
