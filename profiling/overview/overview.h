// profiling/overview/overview.h: what is said first of a point: what it takes, what limits it, what
// to look at next.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiling/overview/costly_line.h"
#include "profiling/overview/used_bytes.h"
#include "profiling/points/level_bytes.h"
#include "profiling/points/measurement.h"
#include "profiling/points/roof.h"

// Every sentence has its figures from the session at hand, or says which is missing and what to do.
//
//   show(time_sentence(point, CacheState::warm, "warp-row zero test", against));
//   const BindingWords binding = binding_words(point, CacheState::warm, standing);
//   const Advice advice = advice_for(point, standing, line);

namespace warpscope {

// "One run takes 118.8 µs with warm caches: 1.15× faster than warp-row zero test, the baseline."
// `against`: the comparison with the baseline; `baseline` is empty where it is the baseline itself.
// Precondition: the point has such a time.
std::string time_sentence(const Measurement& point, CacheState cache, const std::string& baseline,
                          const Comparison& against);

// What limits a point and how far it is from there.
struct BindingWords {
  std::string figure;    // "76.8 %", large; empty: no roof is named
  std::string of;        // "of the L2 roof", "at 25.00 % of the nearest roof"
  std::string brief;     // "of the roof", beside the figure where `of` has no room …
  std::string below;     // … and what is then below it; empty: the sentence says it
  std::string sentence;  // whole, with the figures; or why no roof is named and what to do
};
// From this share on little is left but to move less.
inline constexpr double kAtTheRoof = 0.9;
// The roof comes first, then bytes that are wasted; where no roof limits the point, what its warps
// wait for. Precondition: the standing is of this point's time.
BindingWords binding_words(const Measurement& point, CacheState cache,
                           const RooflineStanding& standing,
                           const std::optional<UsedBytes>& used = std::nullopt);

// What most warps wait for at an average issue: "memory, 12.3 warps"; empty: no stall was counted.
std::string longest_wait(const Measurement& point);

// The share of L1's wavefronts that belong to shared memory; 0 if unknown.
double shared_ratio(const PointFigures& figures);

// The panel that shows why, and the sentence that says what is to be seen there.
struct Advice {
  std::string panel;  // its name: "coalescing"
  std::string title;  // "Coalescing"
  std::string sentence;
};
// For a cause with a line: the diagram of its figure. Else the panel that shows what is missing.
Advice advice_for(const Measurement* point, const RooflineStanding* standing,
                  const CostlyLine& line);

// A variant that could be shown next, in teaching order.
struct Candidate {
  const Variant* variant = nullptr;
  const Measurement* point = nullptr;  // null: it has no time here
};
struct NextVariant {
  const Variant* variant = nullptr;  // null: none is faster
  double time_ns = 0;
  Comparison comparison;  // with the focus: ratio above 1
};
// The first rung after the focus that is faster beyond the noise, of its league, with kernels of
// ours and without a library's call; where there is none, the fastest such rung of all.
NextVariant next_variant(std::span<const Candidate> candidates, const Variant& focus,
                         const Measurement& point, CacheState cache);

// "Small kernels for learning …": a text up to its first full stop.
std::string first_sentence(const std::string& text);

}  // namespace warpscope
