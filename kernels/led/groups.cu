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

// The groups of all channels, those with most pixels and pattern values first, with what a block
// must know of each: item_windows[i] = (row among the rows of all channels, left column, rows,
// columns), item_leds[i, k] = (LED, row and column of its block in the window, channel); LED −1
// where a group has fewer.
extern "C" __global__ void items_by_work(const int* __restrict__ positions,  // [C, N, 2]
                                         const int* __restrict__ order,      // [C, N]
                                         const int4* __restrict__ windows,   // [C, groups]
                                         int4* __restrict__ item_windows,    // [items]
                                         int4* __restrict__ item_leds,       // [items, size]
                                         int leds, int groups, int items, int size, int block,
                                         int height) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= items) return;
  constexpr int kFrames = 8;  // that share one reading of the patterns
  const auto leds_of = [&](int i) { return min(size, leds - i % groups * size); };
  const auto work_of = [&](int i) {
    return static_cast<long long>(windows[i].z) * windows[i].w * kFrames +
           static_cast<long long>(leds_of(i)) * block * block;
  };
  const long long own = work_of(item);
  int before = 0;
  for (int i = 0; i < items; ++i) before += work_of(i) > own || (work_of(i) == own && i < item);
  const int c = item / groups;
  const int4 window = windows[item];
  item_windows[before] = make_int4(c * height + window.x, window.y, window.z, window.w);
  for (int k = 0; k < size; ++k) {
    int4 led = make_int4(-1, 0, 0, c);
    if (k < leds_of(item)) {
      const long long channel = static_cast<long long>(c) * leds;
      const int n = order[channel + item % groups * size + k];
      const int2 at = reinterpret_cast<const int2*>(positions)[channel + n];
      led = make_int4(n, at.x - window.x, at.y - window.y, c);
    }
    item_leds[static_cast<long long>(before) * size + k] = led;
  }
}
