import { openapiDocument } from '../../contract/openapi-document.js'
import type { Operation } from '../operation.js'

export const getOpenapi: Operation<'getOpenapi'> = () => Promise.resolve({ status: 200, body: openapiDocument() })
