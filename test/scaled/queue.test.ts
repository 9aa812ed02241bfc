import { Redis } from 'ioredis'
import { randomBytes } from 'node:crypto'
import { behavesAsJobQueue } from '../support/job-queue-behaviour.js'
import { scaled } from '../support/services.js'

describe('job queue in Redis', () => {
  scaled('redis', ({ redis }) => {
    let prefix: string

    beforeEach(() => {
      prefix = `q-${randomBytes(4).toString('hex')}`
    })

    behavesAsJobQueue(
      () => redis,
      (redisUrl) => ({ redisUrl, postgresUrl: 'postgres://nobody@127.0.0.1:1/none', prefix }),
      async () => {
        const client = new Redis(redis)
        const keys = await client.keys(`${prefix}:*`)
        await client.del(...keys)
        await client.quit()
      },
      async (_settings, id) => {
        const client = new Redis(redis)
        await client.del(`${prefix}:indexing:${id}:lock`)
        await client.quit()
      },
    )
  })
})
