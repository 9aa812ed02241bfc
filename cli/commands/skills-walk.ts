import { processEnvironment } from '../../runtime/config.js'
import { CommandError } from '../failure.js'
import { openKeyboard, type Terminal } from '../review/keyboard.js'
import { showInPager } from '../review/pager.js'
import { type Desk, InboxWalk } from '../review/walk.js'
import type { ServiceClient } from '../service-client.js'
import type { SkillOptions } from './skills-read.js'
import { tenantOf } from './tenant.js'

export interface WalkCommandOptions extends Omit<SkillOptions, 'json'> {
  readonly status: 'staged' | 'quarantined'
  readonly fleet?: string
}

/** The code with which a shell ends a program that Ctrl-C stops. */
const INTERRUPTED = 130

/** Walks through the inbox, one key a decision. Resolves to the exit code. */
export async function walkInbox(
  service: ServiceClient,
  options: WalkCommandOptions,
  terminal: Terminal = { input: process.stdin, output: process.stdout },
  page: Desk['page'] = (text) => showInPager(processEnvironment().PAGER || 'less', text),
): Promise<number> {
  const { input, output } = terminal
  if (!input.isTTY || !output.isTTY)
    throw new CommandError(
      'skills review needs a terminal, where a person presses keys. Elsewhere use skills inbox, show, approve and reject.',
      2,
    )
  const { status, fleet: fleet_id, as: agentId } = options
  const tenant_id = await tenantOf(service, options)
  // Whoever may not review is told before anything is done to the terminal.
  const { total } = await service.listInbox({ tenant_id, status, fleet_id, limit: 1 }, { agentId })
  if (total === 0) {
    output.write(`0 ${status}.\n`)
    return 0
  }
  output.write(`${total} ${status}, first what to see first.\n`)
  const keyboard = openKeyboard(terminal)
  const walk = new InboxWalk(service, { tenant_id, status, fleet_id, agentId }, { terminal, keyboard, page })
  let end: Awaited<ReturnType<InboxWalk['run']>> | undefined
  try {
    end = await walk.run()
    return end === 'interrupted' ? INTERRUPTED : 0
  } finally {
    keyboard.close()
    output.write(`${end === 'done' ? 'All were shown. ' : ''}${walk.summary()}.\n`)
  }
}
