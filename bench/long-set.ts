/** The programs that speed is compared on: searches long enough to measure, of every kind of program, one execution like the other. */

export interface LongSearch {
  /** In tests/conformance/programs. */
  readonly file: string;
  readonly defines: readonly string[];
}

const search = (file: string, ...defines: string[]): LongSearch => ({ file: `${file}.c`, defines });

export const longSet: readonly LongSearch[] = [
  search('dynprog/rod_cut_td', 'W=3', 'N=3'),
  search('dynprog/coin_min_td', 'W=2', 'N=8'),
  search('dynprog/lis_bu', 'W=2', 'N=6'),
  search('mutualexclusion/burns', 'N=4'),
  search('mutualexclusion/peterson', 'N=5'),
  search('mutualexclusion/szymanski', 'N=4'),
  search('mutualexclusion/x2t_priority', 'N=6'),
  search('mutualexclusion/tsay', 'N=3'),
  search('datastructures/treiber', 'W=3', 'R=2'),
  search('datastructures/msqueue', 'E=2', 'D=2'),
  search('synthetic/indexer', 'N=14'),
  search('synthetic/ainc', 'N=8'),
  search('synthetic/readers', 'N=16'),
  search('synthetic/fib_bench', 'N=6'),
  search('synthetic/monabsex1', 'N=6'),
  search('synthetic/lastzero', 'N=15'),
  search('synthetic/exp_mem', 'N=8'),
  search('synthetic/fkp2013', 'N=5'),
  search('synthetic/floating_read', 'N=8'),
  search('synthetic/sigma', 'N=7'),
];

/**
 * The same programs in sizes in which both equivalences have executions enough to say what one costs. (floating_read is not among
 * them: of N writers and one reader there are N + 1 reads-from classes.)
 */
export const largeSet: readonly LongSearch[] = [
  search('dynprog/rod_cut_td', 'W=3', 'N=5'),
  search('dynprog/coin_min_td', 'W=2', 'N=12'),
  search('dynprog/lis_bu', 'W=2', 'N=8'),
  search('mutualexclusion/burns', 'N=5'),
  search('mutualexclusion/peterson', 'N=6'),
  search('mutualexclusion/szymanski', 'N=5'),
  search('mutualexclusion/x2t_priority', 'N=6'),
  search('mutualexclusion/tsay', 'N=4'),
  search('datastructures/treiber', 'W=3', 'R=3'),
  search('datastructures/msqueue', 'E=3', 'D=2'),
  search('synthetic/indexer', 'N=15'),
  search('synthetic/ainc', 'N=9'),
  search('synthetic/readers', 'N=18'),
  search('synthetic/fib_bench', 'N=7'),
  search('synthetic/monabsex1', 'N=8'),
  search('synthetic/lastzero', 'N=17'),
  search('synthetic/exp_mem', 'N=9'),
  search('synthetic/fkp2013', 'N=8'),
  search('synthetic/sigma', 'N=9'),
];
