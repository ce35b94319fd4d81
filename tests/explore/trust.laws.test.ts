import { checkExplorer } from './kit.ts';

checkExplorer('trust');
