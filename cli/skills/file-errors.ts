/** Returns true for an error of a system call, which has a code such as ENOSPC. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full.',
  EDQUOT: 'the disk quota is used up.',
  EROFS: 'the file system is read-only.',
  EACCES: 'this user may not read or write there.',
  EPERM: 'this user may not read or write there.',
  ENOTDIR: 'a file stands where a directory belongs.',
  ELOOP: 'a symbolic link stands there, and nothing is read or written through one.',
  EVERYBODY: 'everybody on this machine may write there, and could replace the skills: take that right away.',
  EISDIR: 'a directory stands where a file belongs.',
  EEXIST: 'a file stands where a directory belongs.',
  EXDEV: 'a directory in it is another file system, and nothing can be moved there in one step.',
}

/** Returns a sentence with the path and why it could not be used. */
export function describeFileError(error: NodeJS.ErrnoException): string {
  const { code = '', message, path } = error
  const why = SENTENCES[code]
  // A rename names two places, and fails for where it leads.
  const { dest = path } = error as { readonly dest?: string }
  return why === undefined ? `${message}.` : `${dest ?? 'it'}: ${why}`
}
