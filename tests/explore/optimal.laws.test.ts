import { checkExplorer } from './kit.ts';

checkExplorer('optimal');
