import { checkExplorer } from './kit.ts';

checkExplorer('bpor');
