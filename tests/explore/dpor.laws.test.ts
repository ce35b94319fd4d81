import { checkExplorer } from './kit.ts';

checkExplorer('dpor');
