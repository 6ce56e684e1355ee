// scenes/csrmm/automatic.cpp: the row that picks another row by what is known of the input.
#include "scenes/csrmm/automatic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "scenes/csrmm/rows.h"
#include "scenes/csrmm/steps.h"

namespace warpscope::csrmm {
namespace {

struct Pick {
  const char* variant;
  bool (*when)(const Workload&);
  std::string (*why)(const Workload&);
};

bool is_f32(const Workload& w) { return value_type(w.axes) == ElementType::f32; }
bool fills_16_bytes(const Workload& w) { return w.integer("n") % (16 / value_bytes(w.axes)) == 0; }

std::string whole(double value) { return std::to_string(std::llround(value)); }

// A row so long that the warps of the others wait for it.
bool skewed(const Workload& w) {
  constexpr double kLong = 1024, kTimesMean = 4;
  const double longest = w.fact("longest_row");
  return longest > kLong && longest > kTimesMean * w.fact("mean_row");
}

// B so sparse that finding what is left costs less than reading the zeros.
bool sparse_b(const Workload& w) {
  constexpr double kDensity = 0.25;
  return w.real("db") <= kDensity;
}

std::string because_of_b(const Workload& w) {
  return "only " + whole(100 * w.real("db")) + " % of B is not zero";
}
std::string because_of_length(const Workload& w) {
  return "the longest row has " + whole(w.fact("longest_row")) + " entries, the mean row " +
         whole(w.fact("mean_row"));
}

// The first that applies and holds is taken; the last of each op always holds. The limits are the
// model's (kernels' head comments): they are to be set from measurements of the device at hand.
constexpr Pick kPicks[] = {
    {"merge_path", [](const Workload& w) { return !transposed(w.axes) && is_f32(w) && skewed(w); },
     because_of_length},
    {"compressed_b_pairs", [](const Workload& w) { return is_f32(w) && sparse_b(w); },
     because_of_b},
    {"t_csc_gather", [](const Workload& w) { return transposed(w.axes); },
     [](const Workload&) -> std::string {
       return "a gather on the columns of A needs no atomics";
     }},
    {"row_swizzle", skewed, because_of_length},
    {"float4_columns", fills_16_bytes,
     [](const Workload& w) {
       return "rows are about equal, and " + std::to_string(w.integer("n")) +
              " columns are whole 16-byte loads";
     }},
    {"rows_per_block", [](const Workload&) { return true; },
     [](const Workload& w) {
       return "rows are about equal, and " + std::to_string(w.integer("n")) +
              " columns are no whole 16-byte loads";
     }},
};

const Pick& pick_at(const Workload& w) {
  return *std::find_if(std::begin(kPicks), std::end(kPicks) - 1,
                       [&w](const Pick& pick) { return pick.when(w); });
}

}  // namespace

std::vector<std::string> automatic_candidates() {
  std::vector<std::string> names;
  for (const Pick& pick : kPicks) names.emplace_back(pick.variant);
  return names;
}

Variant automatic_row(const std::vector<Variant>& among) {
  const auto rows = std::make_shared<std::map<std::string, Variant>>();
  for (const Variant& v : among) {
    if (std::ranges::count(automatic_candidates(), v.name) > 0) rows->emplace(v.name, v);
  }
  const auto picked = [rows](const Workload& w) -> const Variant& {
    return rows->at(pick_at(w).variant);
  };
  Variant v = row("auto", "automatic choice", "ours",
                  "Picks one of these rows by row lengths, density of B, operation and type.",
                  "Move a slider until the choice changes, and see whether it changed in time.");
  v.applies = nullptr;
  v.reference = "skip_zero";
  v.traits = {{"any_type", 1}};
  v.constraints = {
      {"what the picked row asks for", [picked](const Workload& w, const DeviceLimits& d) {
         return unavailable(picked(w), w, d);
       }}};
  v.steps = [picked](const Workload& w) { return picked(w).steps(w); };
  v.scratch = [picked](const Workload& w) {
    const Variant& chosen = picked(w);
    return chosen.scratch ? chosen.scratch(w) : Buffers{};
  };
  v.choice = [picked](const Workload& w) { return picked(w).label + ": " + pick_at(w).why(w); };
  return v;
}

}  // namespace warpscope::csrmm
