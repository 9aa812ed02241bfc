import { apiKeyOf, type Authenticator, requireKind } from '../auth.js'
import type { CallStep, Step } from './middleware.js'

/** Finds out whose key the request carries. Throws 401 for one that is not accepted. */
export function authenticate(authenticator: Authenticator): Step {
  return async (context) => {
    if (context.route.security === 'public') return
    context.key = apiKeyOf(context.request)
    context.authenticated = await authenticator.authenticate(context.key)
  }
}

/** Throws 403 where the operation is for another kind of credential: after the request was counted, so that trying is limited. */
export const requireCredentialKind: CallStep = ({ route, authenticated }) => {
  if (authenticated) requireKind(route, authenticated)
}
