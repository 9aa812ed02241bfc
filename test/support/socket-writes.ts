import { Socket } from 'node:net'

/** Counts the writes of this process's sockets, or of those to one port, until `stop`: a corked stream writes once, as a vector. */
export function countSocketWrites({ port }: { readonly port?: number } = {}) {
  const stream = Socket.prototype as unknown as Record<'_write' | '_writev', (...given: unknown[]) => unknown>
  const { _write, _writev } = stream
  let count = 0
  const counting = (original: typeof _write) =>
    function (this: Socket, ...given: unknown[]) {
      if (port === undefined || this.remotePort === port) count += 1
      return original.apply(this, given)
    }
  Object.assign(stream, { _write: counting(_write), _writev: counting(_writev) })
  return { count: () => count, stop: () => Object.assign(stream, { _write, _writev }) }
}
