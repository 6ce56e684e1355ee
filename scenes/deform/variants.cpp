// scenes/deform/variants.cpp: deform's ladder: names, words, constraints and tolerances.
#include "scenes/deform/variants.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenes/deform/constraints.h"
#include "scenes/deform/shapes.h"
#include "scenes/deform/steps.h"

namespace warpscope::deform {
namespace {

// A sum in half precision is rounded once a corner, each time by at most 2⁻¹¹ of what has been
// added up so far; roundings of either sign grow with the root of their number. 32 samples are 128
// of them.
Tolerance half_sums(const Configuration& axes) {
  const double samples = static_cast<double>(shape_of(axes).group_samples());
  return {.magnitude = 4e-3 * std::max(1.0, std::sqrt(samples / 32)), .absolute = 1e-3};
}

std::vector<Constraint> published() {
  return {whole_lanes(), halves(), short_offsets(), float_quotient()};
}

std::vector<Variant> seed_variants() {
  Variant loop = deform_variant(
      "runtime_point_loop", "loops at run time", "seed",
      "Levels and points are counted at run time; a thread with eight channels of a query loads a "
      "corner and adds it up before it goes on.",
      "Instructions executed: addresses are made for every sample, 4 bytes of location and 2 of "
      "weight at a time.",
      runtime_point_loop_steps);
  Variant interleaved = deform_variant(
      "interleaved_compile_time_points", "points at compile time", "seed",
      "The published baseline: levels, points and channels are constants, the loop over points is "
      "unrolled, a corner is loaded and added up.",
      "Sectors and lines of a gather request: 16 sectors, all of them needed, in up to 8 lines.",
      interleaved_steps);
  for (Variant* v : {&loop, &interleaved}) v->constraints = published();
  return {std::move(loop), std::move(interleaved)};
}

}  // namespace

Variant deform_variant(std::string name, std::string label, std::string family,
                       std::string sentence, std::string look_at,
                       std::function<std::vector<Step>(const Workload&)> steps) {
  Variant v;
  v.name = std::move(name);
  v.label = std::move(label);
  v.family = std::move(family);
  v.sentence = std::move(sentence);
  v.look_at = std::move(look_at);
  v.accuracy = "half precision";
  v.reference = "half";
  v.reported_references = {"exact"};
  v.tolerance_at = half_sums;
  v.pipe = Pipe::half2;
  v.steps = std::move(steps);
  return v;
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const auto made : {seed_variants}) {
    for (Variant& v : made()) all.push_back(std::move(v));
  }
  return all;
}

}  // namespace warpscope::deform
