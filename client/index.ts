export { createClient, type Client, type ClientOptions } from './client.js'
export {
  AnswerError,
  ArgumentError,
  BadRequestError,
  CairnError,
  ConflictError,
  ConnectionError,
  type FieldFault,
  ForbiddenError,
  GoneError,
  InternalError,
  InvalidArgumentsError,
  MethodNotAllowedError,
  NotFoundError,
  NotImplementedError,
  PayloadTooLargeError,
  PaymentRequiredError,
  RateLimitedError,
  RedirectError,
  RequestTimeoutError,
  ServiceError,
  TimeoutError,
  UnauthorizedError,
  UnavailableError,
  UnsupportedMediaTypeError,
  UpstreamError,
  UpstreamTimeoutError,
} from './errors.js'
export type { Operations } from './operations.gen.js'
export type { Answer, Arguments, CallOptions, OperationId, OptionsOf, Result } from './types.js'
export type { components } from './contract.gen.js'
