// kernels/led/groups.cu: prepare steps: neighbouring LEDs become groups with a window in common.
//
// Ranks by counting: a thread an LED and channel counts who comes before it, so the result depends
// on nothing but the positions. LEDs are ranked by row and cut into bands; within a band they are
// ranked by column; every `size` in turn are a group.

// rank[c, n] of the top row of LED n among all of its channel; ties go to the smaller index.
extern "C" __global__ void rank_by_row(const int* __restrict__ positions,  // [C, N, 2]
                                       int* __restrict__ rank,             // [C, N]
                                       int leds) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= leds) return;
  const int2* const place =
      reinterpret_cast<const int2*>(positions) + static_cast<long long>(blockIdx.y) * leds;
  const int row = place[n].x;
  int before = 0;
  for (int m = 0; m < leds; ++m) {
    const int other = place[m].x;
    before += other < row || (other == row && m < n);
  }
  rank[static_cast<long long>(blockIdx.y) * leds + n] = before;
}

// order[c, i]: the i-th LED of channel c, band by band, by column within a band of `band` LEDs.
extern "C" __global__ void order_in_bands(const int* __restrict__ positions,  // [C, N, 2]
                                          const int* __restrict__ rank,       // [C, N]
                                          int* __restrict__ order,            // [C, N]
                                          int leds, int band) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= leds) return;
  const long long channel = static_cast<long long>(blockIdx.y) * leds;
  const int2* const place = reinterpret_cast<const int2*>(positions) + channel;
  const int own = rank[channel + n] / band, column = place[n].y;
  int before = 0;
  for (int m = 0; m < leds; ++m) {
    const int other = place[m].y;
    before += rank[channel + m] / band == own && (other < column || (other == column && m < n));
  }
  order[channel + static_cast<long long>(own) * band + before] = n;
}

// windows[c, g] = (top row, left column, rows, columns) of the smallest rectangle over the blocks
// of group g; the left edge is moved left to a multiple of `alignment`.
extern "C" __global__ void windows_of_groups(const int* __restrict__ positions,  // [C, N, 2]
                                             const int* __restrict__ order,      // [C, N]
                                             int4* __restrict__ windows,         // [C, groups]
                                             int leds, int groups, int size, int block,
                                             int alignment) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  const long long channel = static_cast<long long>(blockIdx.y) * leds;
  const int2* const place = reinterpret_cast<const int2*>(positions) + channel;
  int top = 0x7fffffff, left = 0x7fffffff, bottom = 0, right = 0;
  for (int i = g * size; i < min((g + 1) * size, leds); ++i) {
    const int2 at = place[order[channel + i]];
    top = min(top, at.x);
    left = min(left, at.y);
    bottom = max(bottom, at.x);
    right = max(right, at.y);
  }
  left -= left % alignment;
  windows[static_cast<long long>(blockIdx.y) * groups + g] =
      make_int4(top, left, bottom + block - top, right + block - left);
}
