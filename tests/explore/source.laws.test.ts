import { checkExplorer } from './kit.ts';

checkExplorer('source');
