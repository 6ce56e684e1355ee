// tests/profiling/findings/one_access.h: a trace of one warp that accesses memory in a pattern.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profiling/access/trace_view.h"
#include "profiling/findings/findings.h"

namespace warpscope::one_access {

inline constexpr std::uint64_t kArrayAt = 0x7000'0000'0000;

// One block of 32 threads that executes ten warp instructions at line 2 and has an array A of 64
// rows of 128 floats.
inline Trace launch() {
  Trace t;
  t.scene = "s";
  t.variant = "v";
  t.key = "n=64";
  t.step = "multiply";
  t.source = "s/k.cu";
  t.entry = "k";
  t.launch.block.x = 32;
  t.scope = {true, 0, -1};
  t.buffers = {{"a", "A[m, k]", ElementType::f32, {64, 128}, kArrayAt, 64 * 128 * 4}};
  t.lines = {{{"s/k.cu", 2, 1}, 10, 320}};
  t.warp_instructions = 10;
  t.warps = 1;
  return t;
}

struct Pattern {
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  int width = 4, line = 10;
  std::uint32_t active = 0xFFFFFFFF;
  std::uint32_t warp = 0;
};

// Adds one request; `offset` gives the byte of a lane, from the array's or the memory's beginning.
inline void add(Trace& t, const Pattern& p,
                const std::function<std::uint64_t(std::uint64_t)>& offset) {
  const bool shared = p.space == Space::shared;
  WarpRequest r;
  r.site = static_cast<std::uint32_t>(t.sites.size());
  r.warp = p.warp;
  r.active = p.active;
  for (std::uint64_t lane = 0; lane < kWarpLanes; ++lane) {
    if ((p.active >> lane & 1U) != 0) r.addresses[lane] = (shared ? 0 : kArrayAt) + offset(lane);
  }
  AccessSite s;
  s.space = p.space;
  s.kind = p.kind;
  s.width_bytes = p.width;
  s.position = {"s/k.cu", p.line, 5};
  s.text = "an access";
  s.buffer = shared || p.space == Space::local ? "" : "a";
  s.totals = shared ? shared_cost(r, p.width, p.kind) : global_cost(r, p.width, p.kind);
  t.sites.push_back(s);
  t.requests.push_back(r);
  LineTotals line{s.position, 1, s.totals.lanes};
  (shared ? line.shared : p.space == Space::local ? line.local : line.global) += s.totals;
  t.lines.push_back(line);
}

inline Trace of(const Pattern& p, const std::function<std::uint64_t(std::uint64_t)>& offset) {
  Trace t = launch();
  add(t, p, offset);
  return t;
}

inline Fault fault(FaultKind kind, int line) {
  Fault f;
  f.kind = kind;
  f.position = {"s/k.cu", line, 3};
  f.sentence = "k.cu:" + std::to_string(line) + ": something is wrong";
  return f;
}

inline std::string ids_of(const FindingList& list) {
  std::string text;
  for (const Finding& f : list.findings)
    text += (text.empty() ? "" : " ") + std::string(rule_of(f.kind).id);
  return text;
}

}  // namespace warpscope::one_access
