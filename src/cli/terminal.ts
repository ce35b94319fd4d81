/** The streams of this process. */
import type { WriteStream } from 'node:tty';
import type { TextOptions } from '../report/text.ts';

type Stream = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

export function isColourful(stream: Stream): boolean {
  return stream.isTTY === true && (process.env['NO_COLOR'] ?? '') === '';
}

/** In a narrower terminal than this, nothing can be laid out: it breaks the lines itself. */
const LEAST_WIDTH = 20;

/** How many columns there are for text; `usual` if that is not known, which some terminals say by 0. */
export function widthOf({ columns = 0 }: Pick<Stream, 'columns'>, usual: number): number {
  return columns > 0 ? Math.max(columns, LEAST_WIDTH) : usual;
}

/** How text for standard output is to look. */
export function textOptions(): TextOptions {
  return { colour: isColourful(process.stdout), width: widthOf(process.stdout, 120), cwd: process.cwd() };
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
