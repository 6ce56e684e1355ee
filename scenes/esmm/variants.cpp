// scenes/esmm/variants.cpp: esmm's ladder: names, words, constraints and tolerances.
#include "scenes/esmm/variants.h"

#include <cmath>
#include <utility>

#include "scenes/esmm/shapes.h"
#include "scenes/esmm/tiles.h"
#include "scenes/esmm/work.h"

namespace warpscope::esmm {
namespace {

const double kF32 = std::ldexp(1.0, -24);  // unit roundoff. source: IEEE 754

Variant tiled(Variant v, Skips skips) {
  v.constraints = tile_constraints(v.name, skips.a, skips.b);
  charge_steps(v, skips);
  charge_patterns(v, skips);
  return v;
}

std::vector<Variant> a_only() {
  Variant dense =
      tiled(esmm_variant(
                "dense_warp_tile", "dense warp tile", "seed",
                "The ancestor: a warp-tiled product that skips nothing.",
                "Shared-memory bytes beside multiply-adds: a lane reads 34 floats for 64 of them.",
                dense_warp_tile_steps),
            {});
  Variant skip = tiled(
      esmm_variant("a_skip", "A-pattern skip", "seed",
                   "One byte for a warp's 32 rows and eight k says which k count; a switch over "
                   "their number runs just those. A block passes over eight k where all its warps "
                   "do: its barriers are for all of them.",
                   "Instructions executed beside the executed share; the bytes from L2 stay.",
                   [](const Workload& w) { return a_skip_steps(w, false); }),
      {.a = true});
  Variant tests =
      tiled(esmm_variant("a_bit_test", "A-pattern bit test", "seed",
                         "The same with eight tested bits in place of the table and the switch.",
                         "Branches and instructions against A-pattern skip, and registers.",
                         [](const Workload& w) { return a_skip_steps(w, true); }),
            {.a = true});
  Variant tuned =
      tiled(esmm_variant("a_skip_tuned", "A-pattern skip, tuned tile", "seed",
                         "Blocks of 64×128 and warps of 64×32: the bytes of two groups are joined.",
                         "The executed share: the union of two groups has more bits than each.",
                         [](const Workload& w) { return a_skip_steps(w, false); }),
            {.a = true});
  for (Variant* v : {&skip, &tests, &tuned}) v->scratch = a_pattern_scratch;
  return {std::move(dense), std::move(skip), std::move(tests), std::move(tuned)};
}

}  // namespace

Variant esmm_variant(std::string name, std::string label, std::string family, std::string sentence,
                     std::string look_at, std::function<Steps(const Workload&)> steps) {
  Variant v;
  v.name = std::move(name);
  v.label = std::move(label);
  v.family = std::move(family);
  v.sentence = std::move(sentence);
  v.look_at = std::move(look_at);
  v.accuracy = "f32 accumulation";
  v.league = "fp32";
  v.reference = "exact";
  v.tolerance = {.accumulation = 4 * kF32, .absolute = std::ldexp(1.0, -126)};
  v.steps = std::move(steps);
  return v;
}

std::vector<Variant> variants() {
  std::vector<Variant> all = a_only();
  for (Variant& v : library_variants()) all.push_back(std::move(v));
  return all;
}

std::vector<League> leagues() {
  return {{"fp32", "FP32", "Meets the bound of single precision, whatever unit multiplies.",
           "dense_warp_tile", "cublas_sgemm"},
          {"tf32", "TF32", "Inputs are rounded to TF32.", "cublas_tf32", "cublas_tf32"}};
}

}  // namespace warpscope::esmm
