import { checkExplorer } from './kit.ts';

checkExplorer('dfs');
