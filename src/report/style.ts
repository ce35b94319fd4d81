/** Colour, or none: the caller decides, since only it knows where the text will go. */
import { styleText } from 'node:util';

export type Paint = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

export type Style = (paint: Paint, text: string) => string;

export function styleOf(colour: boolean): Style {
  // the text may be made in another thread than the one whose stream shows it: no stream to look at here
  if (colour) return (paint, text) => (text === '' ? '' : styleText(paint, text, { validateStream: false }));
  return (_paint, text) => text;
}
