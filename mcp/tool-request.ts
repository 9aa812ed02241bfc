import type { OperationRequest } from '../http/message-endpoint.js'
import type { Arguments } from './tool-arguments.js'
import type { Field, ToolFields } from './tool-fields.js'
import type { ToolOperation } from './tools.js'

/** Puts each argument where REST has it. */
export function requestOf(operation: ToolOperation, values: Arguments, fields: ToolFields): OperationRequest {
  const params: Record<string, string> = {}
  const headers: Record<string, string> = {}
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  const put = (field: Field, value: unknown) => {
    if (field.in === 'body') body[field.restName] = value
    else if (field.in === 'path') params[field.restName] = encodeURIComponent(textOf(value))
    else if (field.in === 'query') query.set(field.restName, textOf(value))
    else if (field.in === 'header') headers[field.restName.toLowerCase()] = textOf(value)
  }
  for (const field of fields.of(operation)) if (Object.hasOwn(values, field.name)) put(field, values[field.name])
  for (const { value, ...field } of fields.fixedOf(operation)) put(field, value)
  return {
    operationId: operation.operationId,
    params,
    query: query.toString(),
    headers,
    body: fields.takesBody(operation) ? body : undefined,
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
