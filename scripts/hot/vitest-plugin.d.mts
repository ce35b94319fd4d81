import type { Plugin } from 'vite';

export function hotCode(isChecked?: boolean): Plugin;
