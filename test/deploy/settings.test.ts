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
  const [images, , image] = textOf('Dockerfile').split(/^FROM /m)

  it('names its images by an exact version, or takes others with their digests', () => {
    expect(images).to.match(/^ARG BUILD_IMAGE=node:\d+\.\d+\.\d+-\S+\nARG BASE_IMAGE=\S+\n$/m)
    expect(textOf('Dockerfile').match(/^FROM \S+/gm)).to.deep.equal(['FROM ${BUILD_IMAGE}', 'FROM ${BASE_IMAGE}'])
  })

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
    readonly networks?: readonly string[]
    readonly network_mode?: string
    readonly volumes?: readonly string[]
    readonly mem_limit?: string
    readonly logging?: object
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
      expect(environment.DATABASE_URL).to.match(/\/cairn:\$\{CAIRN_PASSWORD:\?[^}]*\}@/)
      expect(environment.REDIS_URL).to.match(/:\$\{REDIS_PASSWORD:\?[^}]*\}@/)
      expect(environment.OPENSEARCH_URL).to.match(/:\$\{OPENSEARCH_PASSWORD:\?[^}]*\}@/)
    }
  })

  it('gives the admin credential to the API alone, and the superuser’s password to PostgreSQL alone', () => {
    const holders = (secret: string) =>
      Object.keys(services).filter((name) => JSON.stringify(services[name]).includes(`{${secret}:?`))
    expect(holders('ADMIN_API_KEY')).to.deep.equal(['api'])
    expect(services.api!.environment.ADMIN_API_KEY).to.match(/^\$\{ADMIN_API_KEY:\?/)
    expect(holders('POSTGRES_PASSWORD')).to.deep.equal(['postgres'])
  })

  it('makes the login of the processes by a script, and leaves the superuser its own name', () => {
    const { environment, volumes } = services.postgres!
    expect(environment).to.have.all.keys('POSTGRES_PASSWORD', 'CAIRN_PASSWORD')
    expect(volumes).to.include('./postgres/login.sql:/docker-entrypoint-initdb.d/login.sql:ro')
  })

  it('puts nothing on the network that does not ask for a password', () => {
    const reached = Object.keys(services).filter((name) => services[name]!.networks?.includes('services'))
    expect(reached.filter((name) => services[name]!.image !== 'cairn')).to.deep.equal([
      'postgres',
      'redis',
      'opensearch',
    ])
    expect(services['opensearch-engine']).to.include({ network_mode: 'service:opensearch' })
    expect(services['opensearch-engine']!.environment).to.include({ 'network.host': '127.0.0.1' })
    expect(services.redis!.command.slice(0, 2)).to.deep.equal(['sh', '/etc/cairn/start-redis'])
    expect(textOf('opensearch/door.cfg')).to.match(/^ {2}http-request auth .* unless \{ http_auth\(callers\) \}$/m)
  })

  it('names each image by an exact version, or takes another with its digest', () => {
    const images = Object.values(services).flatMap(({ image }) => (image === 'cairn' ? [] : [image]))
    for (const image of images) expect(image).to.match(/^\$\{[A-Z]+_IMAGE:-[a-z/]+:\d+\.\d+(\.\d+)?(-[a-z]+)?\}$/)
  })

  it('bounds the memory and the logs of every container', () => {
    for (const [name, { mem_limit: memory, logging }] of Object.entries(services)) {
      expect(memory, name).to.be.a('string')
      expect(logging, name).to.deep.equal({ driver: 'local', options: { 'max-size': '10m', 'max-file': '10' } })
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

  it('gives the admin credential to the processes that answer, in a file of its own', () => {
    const holders = units.filter((unit) => /^EnvironmentFile=-\/etc\/cairn\/admin\.env$/m.test(unit))
    const commands = holders.map((unit) => /main\.js (\w+)$/m.exec(unit)![1]!)
    expect(commands.sort()).to.deep.equal(['api', 'serve'])
  })

  it('starts every kind of process, those that need the migration after it', () => {
    const commands = units.map((unit) => /^ExecStart=\S+ \S+\/main\.js (\w+)$/m.exec(unit)![1]!)
    expect(commands.sort()).to.deep.equal(['api', 'migrate', 'serve', 'worker'])
    for (const unit of units.filter((text) => /main\.js (api|worker)$/m.test(text)))
      expect(unit).to.match(/^Wants=cairn-migrate\.service\nAfter=cairn-migrate\.service$/m)
  })
})

describe('deploy/helm', () => {
  /** Settings that the image or the chart makes, and those that need files, which the pods do not have. */
  const NOT_GIVEN = [
    'ALLOW_HTTP',
    'TRUST_PROXY',
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
    adminSecret: string
    settings: Record<string, string>
    ingress: { namespace: string; proxies: number }
    networkPolicy: { enabled: boolean; egress: { ports: { port: number }[] }[]; modelsEgress: unknown[] }
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

  it('gives the admin credential to the API alone, from a Secret of its own', () => {
    const templates = readdirSync(new URL('../../deploy/helm/cairn/templates/', import.meta.url))
    const holders = templates.filter((name) => /ADMIN_API_KEY|adminSecret/.test(textOf(`helm/cairn/templates/${name}`)))
    expect(holders).to.deep.equal(['api.yaml'])
    expect(values.adminSecret).to.equal('cairn-admin')
  })

  it('opens no way out but to DNS and the data services, and believes no proxy by default', () => {
    const { enabled, egress, modelsEgress } = values.networkPolicy
    expect(enabled).to.equal(true)
    expect(egress.flatMap(({ ports }) => ports.map(({ port }) => port))).to.deep.equal([53, 53, 5432, 6379, 9200])
    expect(modelsEgress).to.deep.equal([])
    expect(textOf('helm/cairn/templates/networkpolicy.yaml')).to.match(/^ {2}policyTypes: \[Ingress, Egress\]$/m)
    expect(values.ingress.namespace).to.equal('')
  })

  it('starts with what it gives, with and without an ingress', () => {
    const services = { DATABASE_URL: 'postgres://db', OPENSEARCH_URL: 'http://search', HOST: '0.0.0.0' }
    const start = (more: object) => createConfig(readEnv({ ...services, ...values.settings, ...more }), 'api')
    expect(start({ ALLOW_HTTP: '1' }).http.trustProxy).to.equal(null)
    expect(start({ TRUST_PROXY: String(values.ingress.proxies) }).http.trustProxy).to.equal(1)
    expect(() => start({})).to.throw('plain HTTP')
  })
})
