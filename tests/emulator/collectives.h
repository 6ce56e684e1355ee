// tests/emulator/collectives.h: what the kernels of collectives.cu give, computed a lane at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "scenes/base/scene.h"

// The same kernels run in the emulator and on a device; both are compared with the reference here.
//
//   for (const Collective& kernel : collectives()) {
//     std::vector<std::int32_t> in = collective_input(kernel), out = collective_poison();
//     launch kernel.entry of collective_source with collective_launch(kernel), in, out, in.size()
//     EXPECT_EQ(out, collective_reference(kernel));
//   }

namespace warpscope {

inline constexpr const char* collective_source = "../tests/emulator/collectives.cu";  // of kernels/
inline constexpr int collective_plane = 512, collective_planes = 4;
inline constexpr std::int32_t collective_poison_value = -77777777;

// The threads of one warp as the reference sees them.
struct ReferenceWarp {
  int first = 0;  // index of lane 0's thread in the grid
  int in_block = 0;
  int lanes = 32;  // fewer in a last warp
  const std::int32_t* x = nullptr;
  std::int32_t* out = nullptr;

  std::uint32_t all() const { return lanes == 32 ? ~0u : (1u << lanes) - 1; }
  void set(int plane, int lane, std::uint32_t value) const {
    out[plane * collective_plane + first + lane] = static_cast<std::int32_t>(value);
  }
  void add(int place, int value) const { out[3 * collective_plane + place] += value; }
  // Lanes of which `is` holds.
  template <typename F>
  std::uint32_t where(F is) const {
    std::uint32_t mask = 0;
    for (int lane = 0; lane < lanes; ++lane) mask |= (is(x[lane]) ? 1u : 0u) << lane;
    return mask;
  }
  // Lanes whose key is that of `lane`.
  template <typename F>
  std::uint32_t same(int lane, F key) const {
    return where([&](std::int32_t other) { return key(other) == key(x[lane]); });
  }
  // x of the lanes of a mask, in their order.
  std::vector<std::int32_t> of(std::uint32_t mask) const {
    std::vector<std::int32_t> values;
    for (int lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) != 0) values.push_back(x[lane]);
    }
    return values;
  }
  std::uint32_t sum(std::uint32_t mask) const {
    std::uint32_t total = 0;
    for (const std::int32_t value : of(mask)) total += static_cast<std::uint32_t>(value);
    return total;
  }
  std::int32_t least(std::uint32_t mask) const { return std::ranges::min(of(mask)); }
  std::int32_t most(std::uint32_t mask) const { return std::ranges::max(of(mask)); }
};

struct Collective {
  const char* entry;
  std::int64_t blocks, threads;
  // Called for every warp, one lane at a time.
  void (*lane)(const ReferenceWarp& w, int lane, std::int32_t x);
};

namespace collective_rules {

inline std::uint32_t bit_of(int lane) { return 1u << lane; }
inline std::uint32_t below(int lane) { return bit_of(lane) - 1; }
inline std::uint32_t u(std::int32_t x) { return static_cast<std::uint32_t>(x); }
inline std::uint32_t popc(std::uint32_t mask) { return u(std::popcount(mask)); }
// Lanes of the tile of `size` that a lane is in.
inline std::uint32_t tile(int lane, int size) {
  return (size == 32 ? ~0u : (1u << size) - 1) << lane / size * size;
}
inline std::uint32_t parity(const ReferenceWarp& w, std::int32_t x) {
  return w.where([&](std::int32_t other) { return ((other ^ x) & 1) == 0; });
}
template <typename F>
std::uint32_t folded(const ReferenceWarp& w, std::uint32_t mask, std::uint32_t start, F f) {
  for (const std::int32_t value : w.of(mask)) start = f(start, u(value));
  return start;
}

}  // namespace collective_rules

inline std::vector<Collective> collectives() {
  using namespace collective_rules;
  using W = ReferenceWarp;
  std::vector<Collective> list;
  const auto add = [&](const char* entry, auto rule, std::int64_t blocks = 3,
                       std::int64_t threads = 96) {
    list.push_back({entry, blocks, threads, rule});
  };

  add("labeled_partition", [](const W& w, int lane, std::int32_t x) {
    const std::uint32_t part = w.where([&](std::int32_t o) { return (o & 3) == (x & 3); });
    w.set(0, lane, w.sum(part));
    w.set(1, lane, popc(part));
    w.set(2, lane, popc(part & below(lane)));
  });
  add("binary_partition", [](const W& w, int lane, std::int32_t x) {
    const std::uint32_t part = w.where([&](std::int32_t o) { return (o > 100) == (x > 100); });
    w.set(0, lane, w.sum(part));
    w.set(1, lane, popc(part));
    w.set(2, lane, u(w.least(part)));
  });
  add("partition_of_tiles", [](const W& w, int lane, std::int32_t x) {
    const std::uint32_t mine = tile(lane, 16);
    w.set(0, lane, w.sum(mine & w.where([&](std::int32_t o) { return o % 3 == x % 3; })));
    const std::uint32_t like =
        w.where([&](std::int32_t o) { return (o % 2 == 0) == (x % 2 == 0); });
    w.set(1, lane, popc(mine & like));
  });
  add("coalesced_threads", [](const W& w, int lane, std::int32_t x) {
    const std::uint32_t thirds = w.where([](std::int32_t o) { return o % 3 == 0; });
    const std::uint32_t group = x % 3 == 0 ? thirds : w.all() & ~thirds;
    const std::vector<std::int32_t> values = w.of(group);
    const std::size_t rank = popc(group & below(lane));
    w.set(0, lane, u(x % 3 == 0 ? w.most(group) : w.least(group)));
    if (x % 3 == 0) {
      std::uint32_t ballot = 0;
      for (std::size_t k = 0; k < values.size(); ++k) ballot |= (values[k] > 0 ? 1u : 0u) << k;
      w.set(1, lane, u(values.back()));
      w.set(2, lane, ballot);
    } else {
      w.set(1, lane, u(rank == 0 ? x : values[rank - 1]));
      w.set(2, lane, w.most(group) > 990 ? 1 : 0);
    }
  });
  add("coalesced_floats", [](const W& w, int lane, std::int32_t x) {
    if (x % 5 >= 2) return;
    const std::uint32_t group = w.where([](std::int32_t o) { return o % 5 < 2; });
    w.set(0, lane, w.sum(group));
    w.set(1, lane, w.sum(group & (below(lane) | bit_of(lane))));
  });
  add("tile_sums", [](const W& w, int lane, std::int32_t x) {
    w.set(0, lane, w.sum(~0u) + u(x));
    w.set(1, lane, w.sum(tile(lane, 16)) + 7 * w.sum(tile(lane, 2)));
    w.set(2, lane, w.sum(tile(lane, 8)) + 7 * w.sum(tile(lane, 4)));
  });
  add("tile_scans", [](const W& w, int lane, std::int32_t) {
    const std::uint32_t up_to = below(lane) | bit_of(lane), eight = tile(lane, 8);
    w.set(0, lane, w.sum(up_to));
    w.set(1, lane, w.sum(eight & below(lane)));
    w.set(2, lane, folded(w, eight & up_to, 0, [](auto a, auto b) { return a ^ b; }));
  });
  add("tile_shuffles", [](const W& w, int lane, std::int32_t x) {
    const int base = lane / 8 * 8;
    const auto at = [&](int other, std::int32_t otherwise) {
      return u(other < base || other >= base + 8 ? otherwise : w.x[other]);
    };
    w.set(0, lane, at(base + 3, 0) + 3 * at(lane - 1, x));
    w.set(1, lane, at(lane + 2, x) + 3 * at(lane ^ 5, x));
    const std::uint32_t odd = w.where([](std::int32_t o) { return (o & 1) != 0; }) >> base & 255;
    w.set(2, lane, odd | ((x & 1) != 0 ? odd : ~odd & 255) << 8);
  });
  add("match_any_sums", [](const W& w, int lane, std::int32_t) {
    const std::uint32_t same = w.same(lane, [](std::int32_t o) { return o & 7; });
    w.set(0, lane, w.sum(same));
    w.set(1, lane, same);
    w.set(2, lane, popc(same & w.where([](std::int32_t o) { return o > 0; })));
  });
  add("match_any_wide", [](const W& w, int lane, std::int32_t) {
    w.set(0, lane, w.same(lane, [](std::int32_t o) { return o & 3; }));
  });
  add("match_all", [](const W& w, int lane, std::int32_t) {
    const std::uint32_t half = tile(lane, 16), pair = tile(lane, 2);
    const bool fixed = (w.first + lane) / 16 % 2 == 0;
    const bool all = fixed || w.least(half) == w.most(half);
    w.set(0, lane, all ? half : 0);
    w.set(1, lane, all ? 1 : 0);
    const std::uint32_t twos = w.where([](std::int32_t o) { return (o & 2) != 0; }) & pair;
    w.set(2, lane, twos == 0 || twos == pair ? 1 : 0);
  });
  add("ballots_of_arms", [](const W& w, int lane, std::int32_t x) {
    const std::uint32_t odd = w.where([](std::int32_t o) { return (o & 1) != 0; });
    const std::uint32_t twos = w.where([](std::int32_t o) { return (o & 2) != 0; });
    const std::uint32_t fours = w.where([](std::int32_t o) { return (o & 4) != 0; });
    w.set(0, lane, (x & 1) != 0 ? odd & twos : ~odd & fours);
  });
  add("votes_of_some_lanes", [](const W& w, int lane, std::int32_t) {
    const std::uint32_t some = 0x0ff0f00fu;
    if ((some >> lane & 1) == 0) return;
    w.set(0, lane, (w.least(some) > -900 ? 1 : 0) | (w.most(some) > 990 ? 2 : 0));
    w.set(1, lane, some & w.where([](std::int32_t o) { return (o & 1) != 0; }));
  });
  add("votes_of_groups", [](const W& w, int lane, std::int32_t) {
    const std::uint32_t quad = tile(lane, 4);
    w.set(0, lane, (w.least(quad) > -500 ? 1 : 0) | (w.most(quad) > 500 ? 2 : 0));
    w.set(1, lane, quad & w.where([](std::int32_t o) { return o > 0; }));
  });
  add("shuffles_of_width", [](const W& w, int lane, std::int32_t x) {
    const auto at = [&](int other, int size) {
      const int base = lane / size * size;
      return u(other < base || other >= base + size ? x : w.x[other]);
    };
    if (lane < 16) {
      w.set(0, lane, at(lane / 8 * 8 + 5, 8) + 3 * at(lane ^ 2, 4));
      w.set(1, lane, at(lane - 3, 8));
      w.set(2, lane, at(lane + 9, 16));
    } else if (lane >= 24) {
      w.set(0, lane, u(w.x[24 + (x & 7)]));
    }
  });
  add("shuffle_scan", [](const W& w, int lane, std::int32_t) {
    w.set(0, lane, w.sum(below(lane) | bit_of(lane)));
  });
  add("shuffle_sort", [](const W& w, int lane, std::int32_t) {
    std::vector<std::int32_t> values = w.of(~0u);
    std::ranges::sort(values);
    w.set(0, lane, u(values[static_cast<std::size_t>(lane)]));
  });
  add("shuffles_meet_across_arms", [](const W& w, int lane, std::int32_t) {
    w.set(0, lane, u(w.x[lane ^ 16]) + (lane < 16 ? 1 : 2));
  });
  add("block_sum", [](const W& w, int lane, std::int32_t) {
    if (w.in_block != 0 || lane != 0) return;
    std::uint32_t total = 0;
    for (int k = 0; k < 96; ++k) total += u(w.x[k]);
    w.set(0, lane, total);
  });
  add("redux_add", [](const W& w, int lane, std::int32_t x) {
    w.set(0, lane, w.sum(parity(w, x)));
    w.set(1, lane, w.sum(parity(w, x)));
  });
  add("redux_min", [](const W& w, int lane, std::int32_t x) {
    w.set(0, lane, u(w.least(parity(w, x))));
    w.set(1, lane, folded(w, parity(w, x), ~0u, [](auto a, auto b) { return std::min(a, b); }));
  });
  add("redux_max", [](const W& w, int lane, std::int32_t x) {
    w.set(0, lane, u(w.most(parity(w, x))));
    w.set(1, lane, folded(w, parity(w, x), 0, [](auto a, auto b) { return std::max(a, b); }));
  });
  add("redux_and", [](const W& w, int lane, std::int32_t x) {
    w.set(0, lane, folded(w, parity(w, x), ~0u, [](auto a, auto b) { return a & (b | 0x10f); }));
  });
  add("redux_or", [](const W& w, int lane, std::int32_t x) {
    w.set(0, lane, folded(w, parity(w, x), 0, [](auto a, auto b) { return a | (b & 0x2a5); }));
  });
  add("redux_xor", [](const W& w, int lane, std::int32_t x) {
    w.set(0, lane, folded(w, parity(w, x), 0, [](auto a, auto b) { return a ^ b; }));
  });
  add("arms_with_masks_of_their_own", [](const W& w, int lane, std::int32_t x) {
    const std::uint32_t mine = w.same(lane, [](std::int32_t o) { return o & 3; });
    switch (x & 3) {
      case 0:
        return w.set(0, lane, u(w.x[std::countr_zero(mine)]));
      case 1:
        return w.set(0, lane, u(w.most(mine)));
      case 2:
        return w.set(0, lane, popc(mine & w.where([](std::int32_t o) { return o > 0; })));
      default:
        return w.set(0, lane, popc(mine & w.same(lane, [](std::int32_t o) { return o & 4; })));
    }
  });
  add("lanes_leave_a_loop", [](const W& w, int lane, std::int32_t x) {
    std::uint32_t total = 0;
    for (int round = 0; round < (x & 7); ++round) {
      const std::uint32_t still = w.where([&](std::int32_t o) { return round < (o & 7); });
      total += popc(still) + w.sum(still);
    }
    w.set(0, lane, total);
  });
  add("lanes_return_before", [](const W& w, int lane, std::int32_t x) {
    if (x % 4 == 0) return;
    const std::uint32_t left = w.where([](std::int32_t o) { return o % 4 != 0; });
    w.set(0, lane, left & w.where([](std::int32_t o) { return (o & 1) != 0; }));
    w.set(1, lane, w.sum(left));
    w.set(2, lane, (w.most(left) > 900 ? 1 : 0) | 2);
  });
  add(
      "partial_last_warp",
      [](const W& w, int lane, std::int32_t) {
        w.set(0, lane, w.where([](std::int32_t o) { return (o & 1) != 0; }));
        w.set(1, lane, w.sum(w.all()));
        w.set(2, lane, w.same(lane, [](std::int32_t o) { return o & 3; }));
      },
      4, 75);
  add("aggregated_atomics", [](const W& w, int lane, std::int32_t x) {
    const std::uint32_t same = w.same(lane, [](std::int32_t o) { return o & 15; });
    w.add(x & 15, 1);
    w.set(0, lane, popc(same & below(lane)));
    w.set(1, lane, u(w.x[std::countr_zero(same)]));
  });
  add("filter_by_groups", [](const W& w, int lane, std::int32_t x) {
    if (x <= 0) return;
    w.add(0, 1);
    w.set(0, lane, popc(below(lane) & w.where([](std::int32_t o) { return o > 0; })));
  });
  add("groups_meet_in_shared", [](const W& w, int lane, std::int32_t) {
    const std::uint32_t same = w.same(lane, [](std::int32_t o) { return o & 1; });
    const std::uint32_t above = same & ~below(lane) & ~bit_of(lane);
    w.set(0, lane, u(w.x[std::countr_zero(above != 0 ? above : same)]));
  });
  return list;
}

inline Launch collective_launch(const Collective& kernel) {
  Launch launch;
  launch.grid.x = kernel.blocks;
  launch.block.x = kernel.threads;
  return launch;
}

// −1000 … 1000, of a fixed generator.
inline std::vector<std::int32_t> collective_input(const Collective& kernel) {
  std::vector<std::int32_t> in(static_cast<std::size_t>(kernel.blocks * kernel.threads));
  std::uint32_t state = 12345;
  for (std::int32_t& value : in) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<std::int32_t>(state >> 8) % 2001 - 1000;
  }
  return in;
}

inline std::vector<std::int32_t> collective_poison() {
  std::vector<std::int32_t> out(collective_plane * collective_planes, collective_poison_value);
  std::fill(out.end() - collective_plane, out.end(), 0);
  return out;
}

inline std::vector<std::int32_t> collective_reference(const Collective& kernel) {
  const std::vector<std::int32_t> in = collective_input(kernel);
  std::vector<std::int32_t> out = collective_poison();
  const auto threads = static_cast<int>(kernel.threads);
  for (int block = 0; block < kernel.blocks; ++block) {
    for (int thread = 0; thread < threads; thread += 32) {
      ReferenceWarp w;
      w.first = block * threads + thread;
      w.in_block = thread / 32;
      w.lanes = std::min(32, threads - thread);
      w.x = in.data() + w.first;
      w.out = out.data();
      for (int lane = 0; lane < w.lanes; ++lane) kernel.lane(w, lane, w.x[lane]);
    }
  }
  return out;
}

}  // namespace warpscope
