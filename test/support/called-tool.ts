import { openapiDocument } from '../../contract/openapi-document.js'
import type { Answer } from '../../http/errors.js'
import type { OperationRequest } from '../../http/message-endpoint.js'
import { callTool } from '../../mcp/tool-call.js'
import { ToolFields } from '../../mcp/tool-fields.js'

const fields = new ToolFields(openapiDocument())

export interface CalledTool {
  readonly isError: boolean
  /* eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a tool answers is not known by its type */
  readonly content: any
  /** The operations that were called, and with what. */
  readonly requests: readonly OperationRequest[]
}

/** Calls a tool for a key of the tenant `shed`, or for the admin credential, with an operation that answers as it is told. */
export async function callToolAlone(
  name: string,
  args: Record<string, unknown>,
  answer: Partial<Answer> | ((request: OperationRequest) => Partial<Answer>) = {},
  tenantId: string | null = 'shed',
): Promise<CalledTool> {
  const requests: OperationRequest[] = []
  const { isError, content } = await callTool(name, args, {
    fields,
    tenantId,
    callOperation(request) {
      requests.push(request)
      const given = typeof answer === 'function' ? answer(request) : answer
      return Promise.resolve({ status: 200, headers: {}, body: {}, ...given })
    },
  })
  return { isError, content, requests }
}
