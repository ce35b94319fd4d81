import { checkExplorer } from './kit.ts';

checkExplorer('dc');
