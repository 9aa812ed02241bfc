import pg from 'pg'

/**
 * A connection that PostgreSQL may end at any moment. A pool listens to the errors of its idle ones alone, and an error
 * without a listener ends the process; here the statements fail that are under way, and the next ones.
 */
export class EndableClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.on('error', () => undefined)
  }
}
