import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { cairnContract } from '../../http/validation/contract.js'
import { createToolServer } from '../../mcp/tool-server.js'
import { ToolFields } from '../../mcp/tool-fields.js'
import { openapiDocument } from '../../contract/openapi-document.js'
import { packageVersion } from '../../runtime/package-version.js'
import { createOperationClient } from '../operation-client.js'
import type { ServiceClient } from '../service-client.js'
import { whoami } from './tenant.js'

/**
 * Serves the tools over stdin and stdout, for harnesses that start their tools as processes. Each call is a request of the service, with the
 * key of `service`. Resolves when the harness closes stdin.
 */
export async function serveTools(service: ServiceClient, actingAgent: string | undefined): Promise<void> {
  const context = {
    version: packageVersion(),
    fields: new ToolFields(openapiDocument()),
    tenantId: service.isAdmin ? null : (await whoami(service)).tenant_id,
    callOperation: createOperationClient(service, cairnContract().routes, actingAgent),
  }
  const ended = new Promise<void>((resolve) => process.stdin.once('close', resolve).once('end', resolve))
  const connection = serveStdio(() => createToolServer(context), { maxSubscriptions: 0 })
  await ended
  await connection.close()
}
