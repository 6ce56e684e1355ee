// kernels/esmm/active_lists.cuh: the active k of a tile, ordered by class, and their way into
// shared memory.
//
// A tile is one row group of A or two, and two column groups of B, of 32 each. A k is active where
// a row group and a column group have it: its class says which. Chunks hold k of one class, so a
// product runs through a chunk without asking. Each of the tile's warps keeps the whole tile in
// registers and takes every WARPS-th chunk: they meet only at the end, to add.
#pragma once

#ifndef ROW_GROUPS
#define ROW_GROUPS 1  // of a tile: 1 or 2
#endif
#ifndef WARPS
#define WARPS 4  // of a tile
#endif
#ifndef SLOTS
#define SLOTS 16  // k of a chunk: 8 or 16
#endif
#ifndef LISTED
#define LISTED 2048  // active k that a list holds, at least 1024
#endif

namespace esmm {

constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kGroups = ROW_GROUPS, kWarps = WARPS, kSlots = SLOTS;
constexpr int kUnits = kGroups + 2;  // of 128 bytes, of every k
constexpr int kClasses = kGroups == 2 ? 9 : 3;
constexpr int kSums = (kClasses + 1) / 2;
constexpr int kChunks = LISTED / kSlots + kClasses;
constexpr int kStages = 2;
constexpr int kPanelWords = 128;  // of 32 k: what one list is made of, where it fits
constexpr int kWordsOfThread = kPanelWords / (32 * kWarps);

// A chunk's kind: the row groups it needs (bits 0, 1), the column groups (2, 3), its k less one (4
// …).
struct Lists {
  unsigned short k[kChunks * kSlots];  // from the panel's first on
  unsigned char kind[kChunks];
  alignas(16) unsigned sums[kSums][kWarps];  // of every warp, two classes of 16 bits each
};

__device__ inline unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Sixteen bytes from global to shared memory.
__device__ inline void copy_async(unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// Classes in the order of their work, the fullest first.
__device__ constexpr int rows_of(int c) { return kGroups == 1 ? 1 : c < 3 ? 3 : c < 6 ? 2 : 1; }
__device__ constexpr int columns_of(int c) { return 3 - c % 3; }
__device__ inline unsigned chosen(unsigned x, unsigned y, int set) {
  return set == 1 ? x & ~y : set == 2 ? y & ~x : x & y;
}

// What the patterns say of 32 k: two row groups, two column groups.
struct Words {
  unsigned a0 = 0, a1 = 0, b0 = 0, b1 = 0;
  __device__ unsigned of(int c) const {
    return chosen(a0, a1, rows_of(c)) & chosen(b0, b1, columns_of(c));
  }
};

struct Patterns {
  const unsigned *a, *b;    // of the tile's first groups
  long long words;          // of a group
  bool second_a, second_b;  // whether the tile has a second group
  __device__ Words at(long long word, long long end) const {
    Words w;
    if (word < end) {
      w.a0 = a[word];
      w.b0 = b[word];
      if (second_a) w.a1 = a[words + word];
      if (second_b) w.b1 = b[words + word];
    }
    return w;
  }
};

// Fills the lists of the words [first, end), a panel at most, and returns the number of chunks: or
// −1 where they have more active k than fit. Called by all threads of the block.
__device__ inline int list_active(Lists& lists, const Patterns& patterns, long long first,
                                  long long end) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Words w[kWordsOfThread];
#pragma unroll
  for (int i = 0; i < kWordsOfThread; ++i)
    w[i] = patterns.at(first + i * 32 * kWarps + threadIdx.x, end);
  unsigned sum[kSums] = {}, total[kSums] = {};
#pragma unroll
  for (int c = 0; c < kClasses; ++c)
#pragma unroll
    for (int i = 0; i < kWordsOfThread; ++i) sum[c / 2] += __popc(w[i].of(c)) << c % 2 * 16;
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    const unsigned mine = sum[i];
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const unsigned before = __shfl_up_sync(kAllLanes, sum[i], step);
      if (lane >= step) sum[i] += before;
    }
    if (lane == 31) lists.sums[i][warp] = sum[i];
    sum[i] -= mine;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kSums; ++i)
#pragma unroll
    for (int of = 0; of < kWarps; ++of) {
      if (of < warp) sum[i] += lists.sums[i][of];
      total[i] += lists.sums[i][of];
    }
  int chunks = 0;
#pragma unroll
  for (int c = 0; c < kClasses; ++c)
    chunks += ((total[c / 2] >> c % 2 * 16 & 0xffff) + kSlots - 1) / kSlots;
  if (chunks > kChunks) return -1;
  int base = 0;
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    const int all = total[c / 2] >> c % 2 * 16 & 0xffff;
    const int of_class = (all + kSlots - 1) / kSlots;
    unsigned short* out = lists.k + base * kSlots + (sum[c / 2] >> c % 2 * 16 & 0xffff);
#pragma unroll
    for (int i = 0; i < kWordsOfThread; ++i)
      for (unsigned rest = w[i].of(c); rest != 0; rest &= rest - 1)
        *out++ =
            static_cast<unsigned short>((i * 32 * kWarps + threadIdx.x) * 32 + __ffs(rest) - 1);
    for (int i = threadIdx.x; i < of_class; i += 32 * kWarps)
      lists.kind[base + i] = static_cast<unsigned char>(rows_of(c) | columns_of(c) << 2 |
                                                        (min(kSlots, all - i * kSlots) - 1) << 4);
    base += of_class;
  }
  __syncthreads();
  // A chunk that is not full repeats its class's first k: copied, and never multiplied.
  int before = 0;
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    const int all = total[c / 2] >> c % 2 * 16 & 0xffff;
    const int end = (all + kSlots - 1) / kSlots * kSlots;
    if (all + static_cast<int>(threadIdx.x) < end)
      lists.k[before + all + threadIdx.x] = lists.k[before];
    before += end;
  }
  __syncthreads();
  return chunks;
}

// A lane's part of every k: sixteen bytes of one unit, of A's row groups or B's two column groups.
struct Source {
  const char* from;  // of the panel's first k
  unsigned step;     // bytes from one k to the next
  int needs;  // a chunk is copied by this lane where its kind has this bit; 0: it copies nothing
};

// Begins to copy a chunk; a slot is its units of 128 bytes, PITCH bytes from the next.
template <int PITCH>
__device__ inline void load_chunk(const Lists& lists, int chunk, int chunks, const Source& source,
                                  unsigned to) {
  if (chunk < chunks && (lists.kind[chunk] & source.needs) != 0) {
#pragma unroll
    for (int s = 0; s < kSlots; s += 8) {
      const uint4 ks = *reinterpret_cast<const uint4*>(lists.k + chunk * kSlots + s);
      const unsigned pairs[4] = {ks.x, ks.y, ks.z, ks.w};
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const unsigned k = u % 2 != 0 ? pairs[u / 2] >> 16 : pairs[u / 2] & 0xffff;
        copy_async(to + (s + u) * PITCH,
                   source.from + static_cast<unsigned long long>(k) * source.step);
      }
    }
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Runs through all active k of the tile: product(kind, address of a chunk) for every chunk of this
// warp. `ring` has kStages chunks of this warp.
template <int PITCH, class Product>
__device__ inline void for_each_chunk(Lists& lists, const Patterns& patterns, Source source,
                                      unsigned ring, Product&& product) {
  constexpr unsigned kChunkBytes = kSlots * PITCH;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  long long first = 0;
  while (first < patterns.words) {
    long long span = kPanelWords, end;
    int chunks;
    do {  // a panel with more active k than fit is halved
      end = min(first + span, patterns.words);
      chunks = list_active(lists, patterns, first, end);
      span /= 2;
      __syncthreads();
    } while (chunks < 0);
    load_chunk<PITCH>(lists, warp, chunks, source, ring + lane * 16);
    unsigned stage = 0;
    for (int chunk = warp; chunk < chunks; chunk += kWarps) {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      __syncwarp();
      load_chunk<PITCH>(lists, chunk + kWarps, chunks, source,
                        ring + (stage ^ kChunkBytes) + lane * 16);
      product(lists.kind[chunk], ring + stage);
      stage ^= kChunkBytes;
      __syncwarp();
    }
    source.from += static_cast<unsigned long long>((end - first) * 32) * source.step;
    first = end;
    __syncthreads();
  }
}

// The tile's patterns and what this lane copies of it.
__device__ inline Patterns tile_patterns(const unsigned* a_pattern, const unsigned* b_pattern,
                                         long long m, long long n, long long k) {
  const long long words = (k + 31) / 32;
  return {a_pattern + blockIdx.y * kGroups * words, b_pattern + blockIdx.x * 2 * words, words,
          kGroups == 2 && blockIdx.y * 64 + 32 < m, blockIdx.x * 64 + 32 < n};
}
__device__ inline Source tile_source(const float* a_columns, const float* b, long long n,
                                     long long words) {
  const int lane = threadIdx.x % 32, unit = lane / 8;
  if (unit < kGroups)
    return {reinterpret_cast<const char*>(
                a_columns + (blockIdx.y * static_cast<long long>(kGroups) + unit) * words * 1024 +
                lane % 8 * 4),
            128, 1 << unit};
  const int group = unit - kGroups;
  // Beyond the last column: any others, of whose products nothing is stored.
  const long long column = blockIdx.x * 64LL + group * 32 + lane % 8 * 4;
  return {reinterpret_cast<const char*>(b + (column < n ? column : 0)),
          static_cast<unsigned>(n * 4), group < 2 ? 4 << group : 0};
}

// One branch a chunk: calls product.template run<row groups, column groups>().
template <class Product>
__device__ inline void by_class(unsigned kind, Product&& product) {
  if constexpr (kGroups == 1) {
    switch (kind >> 2 & 3) {
      case 1:
        product.template run<1, 1>();
        break;
      case 2:
        product.template run<1, 2>();
        break;
      default:
        product.template run<1, 3>();
        break;
    }
  } else {
    switch (kind & 15) {
      case 5:
        product.template run<1, 1>();
        break;
      case 6:
        product.template run<2, 1>();
        break;
      case 7:
        product.template run<3, 1>();
        break;
      case 9:
        product.template run<1, 2>();
        break;
      case 10:
        product.template run<2, 2>();
        break;
      case 11:
        product.template run<3, 2>();
        break;
      case 13:
        product.template run<1, 3>();
        break;
      case 14:
        product.template run<2, 3>();
        break;
      default:
        product.template run<3, 3>();
        break;
    }
  }
}

// Adds what the tile's warps have and gives every part of it to one of them: store(i, v) for four
// sums each. `sums` are COUNT floats of every lane, the same ones in every warp; `shared` has room
// for COUNT · WARPS / 2 of every lane of a warp.
template <int COUNT, class Store>
__device__ inline void add_warps(const float (&sums)[COUNT], float* shared, Store&& store) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if constexpr (kWarps == 1) {
#pragma unroll
    for (int i = 0; i < COUNT; i += 4)
      store(i, make_float4(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]));
    return;
  }
  constexpr int kHalf = COUNT / 2;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (half == 1) __syncthreads();
#pragma unroll
    for (int i = 0; i < kHalf; ++i) shared[(warp * kHalf + i) * 32 + lane] = sums[half * kHalf + i];
    __syncthreads();
    constexpr int kQuads = kHalf / 4 / kWarps;
#pragma unroll
    for (int quad = 0; quad < kQuads; ++quad) {
      float v[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float* from = shared + ((warp * kQuads + quad) * 4 + j) * 32 + lane;
        v[j] = from[0];
#pragma unroll
        for (int of = 1; of < kWarps; ++of) v[j] += from[of * kHalf * 32];
      }
      store(half * kHalf + (warp * kQuads + quad) * 4, make_float4(v[0], v[1], v[2], v[3]));
    }
  }
}

}  // namespace esmm
