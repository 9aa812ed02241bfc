import type { Operation } from '../operation.js'

const LINKS = {
  contract: '/api/openapi.json',
  docs: '/docs',
  health: '/api/v1/health',
  ready: '/api/v1/ready',
  stats: '/api/v1/stats',
}

const DOCUMENTATION =
  'The contract describes every operation. The pages at /docs show it, and say how to install, use and operate the service.'

export const getRoot: Operation<'getRoot'> = ({ version }) =>
  Promise.resolve({ status: 200, body: { name: 'cairn', version, links: LINKS, documentation: DOCUMENTATION } })
