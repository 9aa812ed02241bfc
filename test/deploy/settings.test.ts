import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { createConfig, readEnv } from '../../runtime/config.js'
import { SETTINGS } from '../../runtime/settings.js'
import { QUEUES } from '../../workers/job.js'

const textOf = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')

/** Returns the queues that the commands' workers process, sorted. */
function queuesOf(commands: readonly (readonly string[])[]): string[] {
  return commands.flatMap(([command, , queues]) => (command === 'worker' ? queues!.split(',') : [])).sort()
}

describe('deploy/Dockerfile', () => {
  const [, image] = textOf('Dockerfile')
    .split(/^FROM /m)
    .slice(1)

  it('runs the program as an unprivileged user, by number, with a health check', () => {
    expect(image).to.match(/^USER [1-9]\d*:[1-9]\d*$/m)
    expect(image).to.match(/^HEALTHCHECK .*\/api\/v1\/health/m)
  })

  it('sets nothing but settings, and serves no plain HTTP unless it is told to', () => {
    const given = /^ENV (.*)$/m
      .exec(image!)![1]!
      .split(' ')
      .map((each) => each.split('='))
    const settings = Object.fromEntries(given.filter(([name]) => name !== 'NODE_ENV')) as Record<string, string>
    expect(Object.keys(SETTINGS)).to.include.members(Object.keys(settings))
    const services = { DATABASE_URL: 'postgres://db', OPENSEARCH_URL: 'http://search' }
    const start = (more: object) => createConfig(readEnv({ ...settings, ...services, ...more }), 'api')
    expect(() => start({})).to.throw('plain HTTP')
    expect(start({ TRUST_PROXY: '1' }).http.host).to.equal('0.0.0.0')
  })
})

describe('deploy/compose.yaml', () => {
  interface Service {
    readonly image: string
    readonly command: readonly string[]
    readonly environment: Readonly<Record<string, string>>
    readonly depends_on: Readonly<Record<string, { readonly condition: string }>>
    readonly read_only?: boolean
    readonly ports?: readonly string[]
  }
  const { services } = parse(textOf('compose.yaml'), { merge: true }) as { services: Record<string, Service> }
  const own = Object.values(services).filter(({ image }) => image === 'cairn')

  it('gives the processes settings that they accept, and secrets from outside of the file', () => {
    for (const { command, environment } of own) {
      expect(Object.keys(SETTINGS)).to.include.members(Object.keys(environment))
      const values = Object.entries(environment).map(([name, value]) => [
        name,
        value.replace(/\$\{.*?\}/g, 'given-by-the-operator-0123456789'),
      ])
      const role = command[0] === 'migrate' ? 'tool' : (command[0] as 'api' | 'worker')
      expect(() => createConfig(readEnv(Object.fromEntries(values)), role)).not.to.throw()
      expect(environment.ADMIN_API_KEY).to.match(/^\$\{ADMIN_API_KEY:\?/)
      expect(environment.DATABASE_URL).to.match(/:\$\{POSTGRES_PASSWORD:\?[^}]*\}@/)
    }
  })

  it('has one kind of worker for every queue', () => {
    expect(queuesOf(own.map(({ command }) => command))).to.deep.equal([...QUEUES].sort())
  })

  it('starts the API and the workers after the migration, on a file system that is read-only', () => {
    const after = own.filter(({ command }) => command[0] !== 'migrate')
    expect(after.length).to.equal(own.length - 1)
    for (const service of after)
      expect(service.depends_on.migrate).to.deep.equal({ condition: 'service_completed_successfully' })
    expect(own.every((service) => service.read_only)).to.equal(true)
  })

  it('publishes the API alone, on the loopback of the machine', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]))
    expect(published).to.deep.equal([['api', '127.0.0.1:8080:8080']])
  })
})

describe('deploy/systemd', () => {
  const units = readdirSync(new URL('../../deploy/systemd/', import.meta.url)).map((name) => textOf(`systemd/${name}`))

  it('gives the processes settings that exist, and runs them as a user of their own that changes nothing', () => {
    for (const unit of units) {
      const names = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name]) => name!)
      expect(Object.keys(SETTINGS)).to.include.members(names)
      expect(unit)
        .to.match(/^DynamicUser=yes$/m)
        .and.match(/^ProtectSystem=strict$/m)
    }
  })

  it('starts every kind of process, those that need the migration after it', () => {
    const commands = units.map((unit) => /^ExecStart=\S+ \S+\/main\.js (\w+)$/m.exec(unit)![1]!)
    expect(commands.sort()).to.deep.equal(['api', 'migrate', 'serve', 'worker'])
    for (const unit of units.filter((text) => /main\.js (api|worker)$/m.test(text)))
      expect(unit).to.match(/^Wants=cairn-migrate\.service\nAfter=cairn-migrate\.service$/m)
  })
})

describe('deploy/helm', () => {
  /** Settings that the image makes, and those that need files, which the pods do not have. */
  const NOT_GIVEN = [
    'HOST',
    'PORT',
    'METRICS_HOST',
    'METRICS_PORT',
    'DATA_DIR',
    'TLS_CERT',
    'TLS_KEY',
    'EMBEDDINGS_FOLDER',
  ]
  const schema = JSON.parse(textOf('helm/cairn/values.schema.json')) as {
    properties: Record<'settings', { propertyNames: { enum: string[] } }> & {
      workers: { additionalProperties: { properties: { queues: { items: { enum: string[] } } } } }
    }
  }
  const values = parse(textOf('helm/cairn/values.yaml')) as {
    secret: string
    settings: Record<string, string>
    workers: Record<string, { queues: string[] }>
  }

  it('takes every setting that is not secret, and no other', () => {
    const open = Object.entries(SETTINGS).filter(([name, { secret }]) => !secret && !NOT_GIVEN.includes(name))
    expect(schema.properties.settings.propertyNames.enum).to.have.members(open.map(([name]) => name))
  })

  it('names every secret setting beside the name of the Secret, and has none', () => {
    const text = textOf('helm/cairn/values.yaml')
    for (const [name, { secret }] of Object.entries(SETTINGS))
      if (secret && !NOT_GIVEN.includes(name)) expect(text).to.match(new RegExp(`^# .*\\b${name}\\b`, 'm'))
    expect(values.secret).to.equal('cairn')
  })

  it('has one kind of worker for every queue, and knows them all', () => {
    const queues = Object.values(values.workers).flatMap((worker) => worker.queues)
    expect(queues.sort()).to.deep.equal([...QUEUES].sort())
    const known = schema.properties.workers.additionalProperties.properties.queues.items.enum
    expect(known).to.have.members([...QUEUES])
  })

  it('starts with the settings of values.yaml', () => {
    const services = { DATABASE_URL: 'postgres://db', OPENSEARCH_URL: 'http://search', HOST: '0.0.0.0' }
    expect(() => createConfig(readEnv({ ...services, ...values.settings }), 'api')).not.to.throw()
    expect(() => createConfig(readEnv(services), 'api')).to.throw('plain HTTP')
  })
})
