// profiling/overview/advice_list.h: what to change first in a kernel: each item with its evidence
// and what it would buy, and what that figure rests on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiling/findings/findings.h"
#include "profiling/overview/overview.h"
#include "profiling/overview/stall_reasons.h"

namespace warpscope {

// What the gain of an item rests on.
enum class AdviceBasis {
  measured,  // another variant did it at this point
  modelled,  // of the roofs and the counts
  none,      // no figure follows from what is known: none is given
};
const char* to_text(AdviceBasis basis);  // "measured"

struct AdviceItem {
  bool wrong = false;    // the result is wrong: before all others
  std::string title;     // "Coalesce line 31"
  std::string evidence;  // with the figures
  std::string action;    // what to do
  AdviceBasis basis = AdviceBasis::none;
  double speedup = 1;           // 1: none is known
  std::string gain;             // "1.14× faster", or why there is no figure
  std::string because;          // how the gain was found
  std::string variant = {};     // that did it; empty: none
  std::ptrdiff_t finding = -1;  // index into the findings; −1: it is not one
  std::string panel = {};       // that shows it: "stalls"
};

// What advice follows from. Pointers may be null, and lists empty: what is not known gives none.
struct AdviceSource {
  const Variant* focus = nullptr;
  const Measurement* point = nullptr;
  CacheState cache = CacheState::warm;
  const RooflineStanding* standing = nullptr;
  std::span<const Candidate> candidates = {};  // in teaching order
  std::span<const Finding> findings = {};
  std::optional<Stalls> stalls = std::nullopt;
  std::optional<double> occupancy = std::nullopt;  // in theory, of the only kernel
  std::string occupancy_words = {};                // what the next block would take
};

// Whether a point of an automatic choice ran this variant: it is the same kernel, and no other way
// to compute the result.
bool chose(const Measurement& automatic, const Variant& variant);

// Wrong results first, then by speed-up, then those without a figure.
std::vector<AdviceItem> advice_items(const AdviceSource& source);

// What the time would be without a share of what the limiting roof counts; no value if the unit is
// not what that roof counts. The other roofs stay.
std::optional<double> time_without_ns(double time_ns, const RooflineStanding& standing,
                                      const std::string& unit, double share_ratio);

}  // namespace warpscope
