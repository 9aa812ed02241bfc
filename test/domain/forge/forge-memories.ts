import { type ForgeMemory, type Trace, tracesOf, type Window } from '../../../domain/forge/traces.js'

export const NOW = Date.UTC(2026, 2, 16, 9)
export const WINDOW: Window = { from: NOW - 14 * 86_400_000, now: NOW }
export const LIMITS = { descriptionMaxBytes: 160, contentMaxBytes: 40_000 }

let count = 0

/** Returns a memory of fleet `f`, a second younger than the one before. */
export function memoryOf(changes: Partial<ForgeMemory> = {}): ForgeMemory {
  count++
  return {
    id: `m-${String(count).padStart(5, '0')}`,
    fleetId: 'f',
    agentId: 'ana',
    runId: 'run',
    title: null,
    content: `Text ${count}`,
    memoryType: 'episode',
    status: 'active',
    visibility: 'scope_team',
    createdAt: new Date(NOW - 86_400_000 + count * 1_000),
    validStart: null,
    expiresAt: null,
    names: [],
    ...changes,
  }
}

/** Returns the memories of one run. */
export function runOf(agentId: string, runId: string, texts: readonly string[], changes: Partial<ForgeMemory> = {}) {
  return texts.map((content) => memoryOf({ agentId, runId, content, ...changes }))
}

export function traceOf(agentId: string, runId: string, texts: readonly string[]): Trace {
  return tracesOf(runOf(agentId, runId, texts), WINDOW)[0]!
}

/** Four agents rotate a key, each in its own words; a fifth run fails. */
export const KEY_ROTATION: readonly (readonly [agent: string, texts: readonly string[]])[] = [
  [
    'ana',
    [
      'Created signing key 4711 in the keyring.',
      'Published the new public key to the JWKS endpoint.',
      'Restarted the token issuer.',
      'Lunch was late.',
      'Retired the old signing key.',
      'Rotation finished, logins work.',
    ],
  ],
  [
    'ben',
    [
      'New signing key made in the keyring: 4712.',
      'JWKS endpoint now publishes both public keys.',
      'Token issuer restarted twice.',
      'Old signing key is retired.',
      'Done, logins verified.',
    ],
  ],
  [
    'cleo',
    [
      'Made a fresh signing key (4713) with the keyring.',
      'Public key added to the JWKS endpoint.',
      'Asked Dan about parking.',
      'Restart of the token issuer went through.',
      'Retired the previous signing key.',
      'All good, rotation complete.',
    ],
  ],
  [
    'dan',
    [
      'keyring: signing key 4714 created',
      'public key is on the JWKS endpoint',
      'restarted token issuer',
      'retired old signing key',
      'rotation ok',
    ],
  ],
  [
    'eve',
    [
      'Created signing key 4715 in the keyring.',
      'Published the public key to the JWKS endpoint.',
      'Token issuer refused the new key, rolled back.',
    ],
  ],
]

export function keyRotation(): ForgeMemory[] {
  return KEY_ROTATION.flatMap(([agent, texts]) => runOf(agent, `run-${agent}`, texts))
}
