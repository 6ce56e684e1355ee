// kernels/esmm/line_copies.cuh: chunks of active k, copied a line of 128 bytes by eight lanes.
#pragma once

#include "esmm/active_lists.cuh"

#ifndef WHOLE
#define WHOLE 0  // 1: every tile has all of its 64 columns
#endif

// Against load_chunk and for_each_chunk of active_lists.cuh, where a lane has its sixteen bytes of
// every k and lanes of a unit that a chunk does not need wait: here eight lanes copy a line of one
// k, so that a warp copies four k at once, of one unit after the other. A chunk of sixteen k takes
// eight copies, or twelve where it needs both column groups, and a lane knows four k of it, whose
// lines of the second column group are as far from those of the first for all of them.

namespace esmm {

constexpr int kOctetSlots = kSlots / 4;       // of a chunk: eight lanes copy their lines
constexpr int kOctetPairs = kOctetSlots / 2;  // in words of two k

// This lane's sixteen bytes of a tile's lines, for the panel's first k.
struct Lines {
  const char* rows;     // of the first row group
  long long row_group;  // bytes to the second
  const char* columns;  // of the first column group
  int column_group;     // bytes to the second
  unsigned b_step;      // bytes from a row of B to the next
};

// A chunk's kind, 0 where there is none, and the k of this lane's octet.
struct Listed {
  unsigned kind = 0;
  unsigned pairs[kOctetPairs] = {};
};

__device__ inline Listed listed(const Lists& lists, int chunk, int chunks) {
  Listed l;
  if (chunk < chunks) {
    l.kind = lists.kind[chunk];
    const unsigned* const pairs = reinterpret_cast<const unsigned*>(lists.k + chunk * kSlots) +
                                  threadIdx.x % 32 / 8 * kOctetPairs;
#pragma unroll
    for (int i = 0; i < kOctetPairs; ++i) l.pairs[i] = pairs[i];
  }
  return l;
}

// Where this lane's lines of a unit begin.
struct UnitLines {
  const char* of[kOctetSlots];
};
__device__ inline UnitLines unit_lines(const Listed& chunk, const char* from, unsigned step) {
  UnitLines lines;
#pragma unroll
  for (int i = 0; i < kOctetSlots; ++i) {
    const unsigned k = i % 2 != 0 ? chunk.pairs[i / 2] >> 16 : chunk.pairs[i / 2] & 0xffff;
    // A product of 32 bits each: the compiler's own multiplies words of 64.
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(lines.of[i]) : "r"(k), "r"(step), "l"(from));
  }
  return lines;
}
// `to` is where the first of them goes, PITCH bytes from the next.
template <int PITCH>
__device__ inline void copy_unit(const UnitLines& lines, long long further, unsigned to) {
#pragma unroll
  for (int i = 0; i < kOctetSlots; ++i) copy_async(to + i * PITCH, lines.of[i] + further);
}

// Begins to copy a chunk.
template <int PITCH>
__device__ inline void copy_lines(const Listed& chunk, const Lines& lines, unsigned to) {
  constexpr unsigned kRowStep = 128;
  if (chunk.kind != 0) {
    const UnitLines rows = unit_lines(chunk, lines.rows, kRowStep);
    if (kGroups == 1 || (chunk.kind & 1) != 0) copy_unit<PITCH>(rows, 0, to);
    if (kGroups == 2 && (chunk.kind & 2) != 0) copy_unit<PITCH>(rows, lines.row_group, to + 128);
    const unsigned groups = chunk.kind >> 2 & 3;
    const int first = groups == 2 ? 1 : 0;  // or alone
    const UnitLines columns =
        unit_lines(chunk, lines.columns + (first != 0 ? lines.column_group : 0), lines.b_step);
    copy_unit<PITCH>(columns, 0, to + (kGroups + first) * 128);
    if (groups == 3)
      copy_unit<PITCH>(columns, WHOLE ? 128 : lines.column_group, to + (kGroups + 1) * 128);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Runs through all active k of the tile: product(kind, address of a chunk) for every chunk of this
// warp. `ring` has kStages chunks of this warp.
template <int PITCH, class Product>
__device__ inline void for_each_chunk_of_lines(Lists& lists, const Patterns& patterns, Lines lines,
                                               unsigned ring, Product&& product) {
  constexpr unsigned kChunkBytes = kSlots * PITCH;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned own = ring + lane / 8 * (kOctetSlots * PITCH) + lane % 8 * 16;
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
    Listed chunk = listed(lists, warp, chunks);
    copy_lines<PITCH>(chunk, lines, own);
    unsigned stage = 0;
    for (int next = warp + kWarps; chunk.kind != 0; next += kWarps) {
      const unsigned kind = chunk.kind;
      chunk = listed(lists, next, chunks);
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      __syncwarp();
      copy_lines<PITCH>(chunk, lines, own + (stage ^ kChunkBytes));
      product(kind, ring + stage);
      stage ^= kChunkBytes;
    }
    const auto ks = static_cast<unsigned long long>((end - first) * 32);
    lines.rows += ks * 128;
    lines.columns += ks * lines.b_step;
    first = end;
    __syncthreads();
  }
}

// The lines of the tile that this lane copies sixteen bytes of.
__device__ inline Lines tile_lines(const float* a_columns, const float* b, long long n,
                                   long long words) {
  const int part = threadIdx.x % 8 * 4;
  const long long group = words * 1024, column = blockIdx.x * 64LL + part;
  Lines lines;
  lines.rows = reinterpret_cast<const char*>(
      a_columns + blockIdx.y * static_cast<long long>(kGroups) * group + part);
  lines.row_group = group * 4;
  // Beyond the last column: any others, of whose products nothing is stored.
  lines.columns = reinterpret_cast<const char*>(b + (WHOLE || column < n ? column : 0));
  lines.column_group = WHOLE || column + 32 < n ? 128 : 0;
  lines.b_step = static_cast<unsigned>(n * 4);
  return lines;
}

}  // namespace esmm
