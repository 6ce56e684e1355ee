// tests/engine/planted_by_others/edit_distance.cu: Levenshtein distance of many DNA reads to one
// probe.  One thread per read; its row of the dynamic-programming table lives in dynamic shared
// memory. Bases are packed 2 bits each: reads is [nwords][nreads] (word-major, 16 bases per word),
// probe holds up to 31 bases in two words.
#define ROW 32
#define MAXPROBE 31

extern "C" __global__ void edit_distance(const unsigned* __restrict__ reads,
                                         const unsigned* __restrict__ probe, int* __restrict__ dist,
                                         int nreads, int nwords, int probelen) {
  extern __shared__ int rows[];

  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= nreads) return;

  const int m = min(probelen, MAXPROBE);
  const unsigned long long packed =
      (unsigned long long)probe[1] << 32 | (unsigned long long)probe[0];

  int* row = rows + threadIdx.x * ROW;
  for (int j = 0; j <= m; ++j) row[j] = j;

  int last = m;
  for (int i = 0; i < nwords * 16; ++i) {
    const unsigned word = reads[(size_t)(i >> 4) * nreads + t];
    const unsigned base = word >> (2 * (i & 15)) & 3u;
    unsigned long long rest = packed;
    int diag = i;
    int left = i + 1;
    for (int j = 1; j <= m; ++j) {
      const int up = row[j];
      const int subst = diag + (base != ((unsigned)rest & 3u));
      const int best = min(min(up, left) + 1, subst);
      row[j] = best;
      rest >>= 2;
      diag = up;
      left = best;
    }
    last = left;
  }
  dist[t] = last;
}
