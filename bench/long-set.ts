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
