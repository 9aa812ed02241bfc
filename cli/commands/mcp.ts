import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { readMessageLines } from '../../mcp/message-lines.js'
import { SkillEntries } from '../../mcp/skill-entries.js'
import { createToolServer } from '../../mcp/tool-server.js'
import { ToolFields } from '../../mcp/tool-fields.js'
import { ToolLists } from '../../mcp/tool-list.js'
import { openapiDocument } from '../../contract/openapi-document.js'
import { packageVersion } from '../../runtime/package-version.js'
import { CommandError, reportFailure } from '../failure.js'
import { createOperationClient } from '../operation-client.js'
import type { ServiceClient } from '../service-client.js'
import { StdioTransport } from './stdio-transport.js'

/** Trust that the admin credential acts with. */
const ADMIN_TRUST = 3

/**
 * Serves the tools over stdin and stdout, for harnesses that start their tools as processes. Each call is a request of the service, with the
 * key of `service`. Resolves when the harness has closed stdin and every call is answered; throws CommandError when the
 * connection breaks.
 */
export async function serveTools(service: ServiceClient, actingAgent: string | undefined): Promise<void> {
  const fields = new ToolFields(openapiDocument())
  const lists = new ToolLists(fields)
  const caller = service.isAdmin ? null : await service.whoami()
  const context = {
    version: packageVersion(),
    fields,
    entries: new SkillEntries(),
    // While the service is away, the trust at the start stands in.
    listTools: async () => lists.of(caller === null ? ADMIN_TRUST : (await actor().catch(() => caller)).trust_level),
    tenantId: caller === null ? null : caller.tenant_id,
    onFailure: reportFailure,
    callOperation: createOperationClient(service, actingAgent),
  }
  const messages = readMessageLines(process.stdin, (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`))
  const transport = new StdioTransport(messages)
  const connection = serveStdio(() => createToolServer(context), { maxSubscriptions: 0, transport })
  try {
    await transport.closed
  } catch (error) {
    throw new CommandError(`the connection over stdin and stdout has ended (${(error as Error).message}).`)
  } finally {
    // A harness that no longer reads may keep stdin open, and an open one keeps the process.
    process.stdin.destroy()
  }
  await connection.close()

  function actor() {
    return service.whoami({}, { agentId: actingAgent })
  }
}
