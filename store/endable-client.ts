import pg from 'pg'

/**
 * A connection that PostgreSQL may end at any moment, for a pool that listens only to idle ones. While one is taken, and
 * has no statement under way, nobody else listens to its errors, and an error without a listener ends the process. Its
 * next statement fails.
 */
export class EndableClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    this.on('error', () => undefined)
  }
}
