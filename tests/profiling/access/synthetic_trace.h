// tests/profiling/access/synthetic_trace.h: a trace put together by hand, for tests that have no
// emulator.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "profiling/access/trace_view.h"

// The block is 32 × 8 threads of a kernel like csrmm's: each warp walks a row of entries, gathers
// quads of B, stages them in shared memory with a four-way bank conflict, and writes a row of C.
// From its third entry on, only half of the lanes go on (divergence). Line numbers are those of
// kernels/csrmm/float4_columns.cu where one fits.

namespace warpscope {

namespace traced_by_hand {

inline constexpr int warps = 8, entries = 6;
inline constexpr std::int64_t rows = 10000, columns = 128;
inline constexpr std::uint64_t indices_at = 0x7000'0000'0000, b_at = 0x7000'1000'0000,
                               c_at = 0x7000'2000'0000;
enum Site : std::uint32_t { load_index, gather_b, stage, unstage, store_c, add_c };

inline AccessSite site(std::uint32_t instruction, Space space, AccessKind kind, int width, int line,
                       std::string text, std::string buffer) {
  AccessSite s;
  s.instruction = instruction;
  s.space = space;
  s.kind = kind;
  s.width_bytes = width;
  s.position = {"csrmm/float4_columns.cu", line, 24};
  s.text = std::move(text);
  s.buffer = std::move(buffer);
  return s;
}

}  // namespace traced_by_hand

inline Trace synthetic_trace() {
  using namespace traced_by_hand;
  Trace t;
  t.job = 12;
  t.scene = "csrmm";
  t.variant = "float4_columns";
  t.key = "m=10000,n=128";
  t.step = "multiply";
  t.source = "csrmm/float4_columns.cu";
  t.entry = "float4_columns";
  t.launch = {{rows / warps, 1, 1}, {32, warps, 1}, 0, {1, 1, 1}};
  t.scope = {true, 3, -1};
  t.buffers = {{"b", "B[k, n]", ElementType::f32, {rows, columns}, b_at, rows * columns * 4},
               {"c", "C[m, n]", ElementType::f32, {rows, columns}, c_at, rows * columns * 4},
               {"indices", "indices[nnz]", ElementType::i32, {60000}, indices_at, 240000}};
  t.sites = {site(4, Space::global, AccessKind::load, 4, 31, "ld.global.nc.u32", "indices"),
             site(6, Space::global, AccessKind::load, 16, 31, "ld.global.nc.v4.f32", "b"),
             site(8, Space::shared, AccessKind::store, 4, 33, "st.shared.f32", ""),
             site(10, Space::shared, AccessKind::load, 4, 35, "ld.shared.f32", ""),
             site(14, Space::global, AccessKind::store, 16, 40, "st.global.v4.f32", "c"),
             site(16, Space::global, AccessKind::reduction, 4, 38, "red.global.add.f32", "c")};
  t.sites[gather_b].inlined_at = {{"csrmm/rows_of_b.cuh", 9, 10}};
  t.issued.resize(warps);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    const std::uint64_t row = static_cast<std::uint64_t>(t.scope.block) * warps + warp;
    auto& issued = t.issued[warp];
    const auto issue = [&](std::uint32_t instruction, std::uint32_t active, int line) {
      issued.push_back({instruction, active, line});
    };
    const auto request = [&](Site which, std::uint32_t active, auto address) {
      WarpRequest r;
      r.site = which;
      r.warp = warp;
      r.block = t.scope.block;
      r.order = issued.size();
      r.active = active;
      for (std::uint64_t lane = 0; lane < kWarpLanes; ++lane) {
        if ((active >> lane & 1U) != 0) r.addresses[lane] = address(lane);
      }
      t.requests.push_back(r);
      issue(t.sites[which].instruction, active, t.sites[which].position.line);
    };
    for (std::uint32_t i = 0; i < 4; ++i) issue(i, kAllLanes, 20 + static_cast<int>(i));
    for (std::uint64_t entry = 0; entry < entries; ++entry) {
      const std::uint32_t active = entry < 2 ? kAllLanes : 0x0000FFFFU;
      const std::uint64_t source = (row * 2654435761U + entry * 40503) % rows;
      request(load_index, active,
              [&](std::uint64_t) { return indices_at + (row * 6 + entry) * 4; });
      issue(5, active, 31);
      // One entry in three begins a word late, as an array with an odd offset would.
      const std::uint64_t shift = entry % 3 == 2 ? 4 : 0;
      request(gather_b, active,
              [&](std::uint64_t lane) { return b_at + source * columns * 4 + lane * 16 + shift; });
      issue(7, active, 33);
      request(stage, active, [&](std::uint64_t lane) { return warp * 2048 + lane * 4; });
      issue(9, active, 33);
      request(unstage, active, [&](std::uint64_t lane) { return warp * 128 + lane * 16; });
      for (std::uint32_t i = 11; i < 14; ++i) issue(i, active, 36 + static_cast<int>(i) - 11);
    }
    request(store_c, kAllLanes,
            [&](std::uint64_t lane) { return c_at + row * columns * 4 + lane * 16; });
    issue(15, kAllLanes, 38);
    // Every lane adds to a word of another row: 32 sectors.
    request(add_c, kAllLanes,
            [&](std::uint64_t lane) { return c_at + (lane * 300 + row) * columns * 4; });
  }
  for (const WarpRequest& r : t.requests) {
    AccessSite& s = t.sites[r.site];
    s.totals += s.space == Space::shared ? shared_cost(r, s.width_bytes, s.kind)
                                         : global_cost(r, s.width_bytes, s.kind);
  }
  for (const AccessSite& s : t.sites) {
    auto line = std::find_if(t.lines.begin(), t.lines.end(),
                             [&](const LineTotals& l) { return l.position == s.position; });
    if (line == t.lines.end()) line = t.lines.insert(line, LineTotals{s.position});
    line->sites += 1;
    line->instructions += s.totals.requests;
    line->threads += s.totals.lanes;
    (s.space == Space::shared ? line->shared : line->global) += s.totals;
  }
  for (const auto& issued : t.issued)
    t.warp_instructions += static_cast<std::int64_t>(issued.size());
  t.warps = warps;
  t.compile_ms = 21;
  t.emulate_ms = 0.4;
  return t;
}

namespace traced_by_hand {

inline constexpr std::uint32_t producer = warps - 1;

// The n-th request (from 0) of a warp at an instruction.
inline std::size_t nth(const Trace& trace, std::uint32_t warp, Site which, int n) {
  const auto [first, last] = requests_of_warp(trace, warp);
  for (std::size_t i = first; i < last; ++i) {
    if (trace.requests[i].site == which && n-- == 0) return i;
  }
  ADD_FAILURE() << "no such request";
  return 0;
}

// Without the requests of this instruction, from the n-th of each warp on.
inline Trace without(Trace trace, Site which, int from = 0) {
  std::vector<int> seen(warps);
  std::erase_if(trace.requests,
                [&](const WarpRequest& r) { return r.site == which && seen[r.warp]++ >= from; });
  return trace;
}

}  // namespace traced_by_hand

// The same block where its last warp only loads B, more than all else together, and the others do
// not.
inline Trace with_a_producer() {
  Trace t = synthetic_trace();
  std::erase_if(t.requests, [](const WarpRequest& r) {
    return (r.site == traced_by_hand::gather_b) != (r.warp == traced_by_hand::producer);
  });
  t.sites[traced_by_hand::gather_b].totals.sectors = 1'000'000;
  return t;
}

}  // namespace warpscope
