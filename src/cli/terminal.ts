/** The streams of this process. */
import type { WriteStream } from 'node:tty';
import type { TextOptions } from '../report/text.ts';

type Stream = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

export function isColourful(stream: Stream): boolean {
  return stream.isTTY === true && (process.env['NO_COLOR'] ?? '') === '';
}

/** How text for standard output is to look. */
export function textOptions(): TextOptions {
  return { colour: isColourful(process.stdout), width: process.stdout.columns ?? 120, cwd: process.cwd() };
}

/** A reader that goes away (`heddle … | head`) is no error; a disk that is full is. */
export function watchStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      if (stream === process.stdout) process.stderr.write(`heddle: cannot write the output: ${error.message}\n`);
      process.exit(2);
    });
  }
}
