import { checkExplorer } from './kit.ts';

checkExplorer('buster');
