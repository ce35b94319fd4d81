import { checkExplorer } from './kit.ts';

checkExplorer('vc');
