import type { OperationId } from '../../../api/operation.js'
import type { CallInput } from '../../support/clients/request.js'
import type { Victim } from './victim.js'

/** A request that an operator of another tenant sends, and the status that it must get. */
export interface Attempt extends CallInput {
  readonly status: number
}

/** Returns what is tried on the victim by an operator of the tenant `own`. */
export type Attempts = (victim: Victim, own: string) => Attempt[]

/** The attempts of one subject. */
export type AttemptsOfSubject = Partial<Record<OperationId, Attempts>>

/** Returns headers that name the victim's agent. */
export const actingAs = ({ agentId }: Victim): Record<string, string> => ({ 'X-Agent-ID': agentId })
