/** Returns a message without `arguments: null`, which some clients write for none and the SDK refuses. */
export function withoutNullArguments<M extends object>(message: M): M {
  const { params } = message as { readonly params?: { readonly arguments?: unknown } | null }
  if (params?.arguments !== null) return message
  const { arguments: _, ...others } = params
  return { ...message, params: others }
}
