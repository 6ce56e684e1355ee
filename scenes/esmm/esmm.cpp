// scenes/esmm/esmm.cpp: pattern-sparse products of dense matrices: zeros skipped by bytes of k.
#include "scenes/esmm/esmm.h"

#include "scenes/esmm/article.h"
#include "scenes/esmm/axes.h"
#include "scenes/esmm/inputs/hard_cases.h"
#include "scenes/esmm/inputs/matrix_files.h"
#include "scenes/esmm/inputs/operands.h"
#include "scenes/esmm/inputs/pattern_counts.h"
#include "scenes/esmm/inputs/reference.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/tables.h"
#include "scenes/esmm/variants/exhibits.h"
#include "scenes/esmm/variants/variants.h"
#include "scenes/esmm/work.h"

namespace warpscope {
namespace {

using esmm::Shape;
using esmm::shape_of;

std::int64_t estimate_bytes(const Configuration& axes) {
  constexpr std::int64_t kReferenceBytes = 24;  // reference, accumulation, magnitude in f64
  const Shape s = shape_of(axes);
  return esmm::kValueBytes * (s.a_elements() + s.b_elements()) +
         (esmm::kValueBytes + kReferenceBytes) * s.outputs();
}

std::int64_t estimate_whole_bytes(const Configuration& axes) {
  const Shape s = shape_of(axes);
  return esmm::kValueBytes * ((esmm::from_file(axes, "a") ? s.a_elements() : 0) +
                              (esmm::from_file(axes, "b") ? s.b_elements() : 0));
}

std::vector<BufferSpec> buffers(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return {
      {"a", ElementType::f32, s.a_elements(), BufferRole::input, {s.m, s.k}, "A[m, k]"},
      {"b", ElementType::f32, s.b_elements(), BufferRole::input, {s.k, s.n}, "B[k, n]"},
      {"c", ElementType::f32, s.outputs(), BufferRole::output, {s.m, s.n}, "C[m, n]"},
  };
}

std::optional<std::string> nothing_to_do(const Workload& w) {
  const Shape s = shape_of(w.axes);
  if (s.m == 0) return "empty: m is 0, so A and C have no rows";
  if (s.n == 0) return "empty: n is 0, so B and C have no columns";
  if (s.k == 0) return "k is 0: every element of C is an empty sum, 0";
  return std::nullopt;
}

// Counts of patterns are not arrays. This stands in for a group's elements, so patterns are counted
// only on demand.
void no_elements(const Workload&, const std::string&, std::int64_t, std::span<std::byte>) {}

}  // namespace

// Long: a table of what the scene consists of.
Scene esmm_scene() {
  Scene scene;
  scene.name = "esmm";
  scene.title = "Dense matrix products that skip zeros by mask bytes";
  scene.story =
      "Both matrices are stored densely, and many of their elements are zero. One mask byte covers "
      "eight values of k: a bit is set if any row of a group in A, or any column of a group in B, "
      "has a nonzero at that k. A warp skips the k whose bits are 0. That saves arithmetic, but "
      "not as much traffic: a block must load what any of its warps needs.";
  scene.axes = esmm::axes();
  scene.presets = esmm::presets();
  scene.hard_cases = esmm::hard_cases;
  const std::vector<std::string> of_files = {"complex_as", "pad"};
  std::vector<std::string> of_a = {"m",    "k",      "da",   "a_zeros", "a_string",   "a_bit_rows",
                                   "band", "values", "seed", "a_file",  "a_raw_shape"};
  std::vector<std::string> of_b = {
      "n",      "k",    "db",     "b_zeros",    "b_string", "b_bit_columns",
      "values", "seed", "b_file", "b_raw_shape"};
  for (std::vector<std::string>* axes : {&of_a, &of_b})
    axes->insert(axes->end(), of_files.begin(), of_files.end());
  std::vector<std::string> of_both = of_a;
  of_both.insert(of_both.end(),
                 {"n", "db", "b_zeros", "b_string", "b_bit_columns", "b_file", "b_raw_shape"});
  std::vector<std::string> of_exhibits = of_both;
  of_exhibits.emplace_back("broken");
  const std::string because = "a file says all";
  scene.input_groups = {
      {"a",
       of_a,
       {},
       {"a"},
       esmm::generate_a,
       esmm::make_elements,
       nullptr,
       esmm::is_drawn,
       because},
      {"b",
       of_b,
       {},
       {"b"},
       esmm::generate_b,
       esmm::make_elements,
       nullptr,
       esmm::is_drawn,
       because},
      {"exhibits", of_exhibits, {}, {}, esmm::measure_exhibits},
      {"patterns", of_both, {}, {}, esmm::measure_patterns, no_elements},
  };
  scene.admit = esmm::admit;
  scene.estimate_bytes = estimate_bytes;
  scene.estimate_whole_bytes = estimate_whole_bytes;
  scene.settle = esmm::settle;
  scene.buffers = buffers;
  scene.nothing_to_do = nothing_to_do;
  scene.references = esmm::references();
  scene.l2_expectation = esmm::l2_expectation();
  scene.work_terms = esmm::work_terms();
  scene.variants = esmm::variants();
  scene.article = esmm::article();
  scene.tables = esmm::article_tables;
  scene.leagues = esmm::leagues();
  scene.pictures = {
      {"patterns",
       "Left to right: 128 values of k. Top: masks of 32 row groups of A. Bottom: masks of as many "
       "column groups of B. Middle: bits that both have. Dark: the bit is set",
       {},
       [](const Workload& w, const HostBuffers&) { return esmm::pattern_picture(w); }}};
  scene.baseline = "dense_warp_tile";
  scene.library_baseline = "cublas_sgemm";
  return scene;
}

}  // namespace warpscope
