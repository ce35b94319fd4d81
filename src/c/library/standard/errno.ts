/** Error numbers, as the WASI headers define them, and the thread's `errno`. */
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { I32 } from '../define.ts';

export const EAGAIN = 6;
export const EBADF = 8;
export const EBUSY = 10;
export const EDEADLK = 16;
export const EINVAL = 28;
export const ENOMEM = 48;
export const EOVERFLOW = 61;
export const EPERM = 63;
export const ERANGE = 68;
export const ETIMEDOUT = 73;

/** In the order of their numbers. */
const messages = [
  'No error information',
  'Argument list too long',
  'Permission denied',
  'Address in use',
  'Address not available',
  'Address family not supported by protocol',
  'Resource temporarily unavailable',
  'Operation already in progress',
  'Bad file descriptor',
  'Bad message',
  'Resource busy',
  'Operation canceled',
  'No child process',
  'Connection aborted',
  'Connection refused',
  'Connection reset by peer',
  'Resource deadlock would occur',
  'Destination address required',
  'Domain error',
  'Quota exceeded',
  'File exists',
  'Bad address',
  'File too large',
  'Host is unreachable',
  'Identifier removed',
  'Illegal byte sequence',
  'Operation in progress',
  'Interrupted system call',
  'Invalid argument',
  'I/O error',
  'Socket is connected',
  'Is a directory',
  'Symbolic link loop',
  'No file descriptors available',
  'Too many links',
  'Message too large',
  'Multihop attempted',
  'Filename too long',
  'Network is down',
  'Connection reset by network',
  'Network unreachable',
  'Too many open files in system',
  'No buffer space available',
  'No such device',
  'No such file or directory',
  'Exec format error',
  'No locks available',
  'Link has been severed',
  'Out of memory',
  'No message of desired type',
  'Protocol not available',
  'No space left on device',
  'Function not implemented',
  'Socket not connected',
  'Not a directory',
  'Directory not empty',
  'State not recoverable',
  'Not a socket',
  'Not supported',
  'Not a tty',
  'No such device or address',
  'Value too large for data type',
  'Previous owner died',
  'Operation not permitted',
  'Broken pipe',
  'Protocol error',
  'Protocol not supported',
  'Protocol wrong type for socket',
  'Result not representable',
  'Read-only file system',
  'Invalid seek',
  'No such process',
  'Stale file handle',
  'Operation timed out',
  'Text file busy',
  'Cross-device link',
];

export function errorMessage(number: number): string {
  return messages[number] ?? messages[0]!;
}

/** A program that does not mention `errno` has none, and nobody can tell. */
export function* setErrno(thread: CThread, number: number, call: CallSite): Run<void> {
  const address = thread.addressOf('errno');
  if (address !== undefined) yield* thread.store(address, I32, number, call);
}

export function* getErrno(thread: CThread, call: CallSite): Run<number> {
  const address = thread.addressOf('errno');
  return address === undefined ? 0 : ((yield* thread.load(address, I32, call)) as number);
}
