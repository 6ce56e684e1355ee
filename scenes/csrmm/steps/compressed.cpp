// scenes/csrmm/steps/compressed.cpp: products that squeeze the zeros out of B before they gather
// it.
#include "scenes/csrmm/steps/compressed.h"

#include <utility>

#include "scenes/csrmm/csc.h"
#include "scenes/csrmm/steps/kernel_steps.h"

namespace warpscope::csrmm {
namespace {

std::int64_t strips(const Workload& w) { return ceil_divide(w.integer("n"), kStripColumns); }
std::int64_t rows_of_b(const Workload& w) { return w.integer(transposed(w.axes) ? "m" : "k"); }

}  // namespace

std::vector<Step> compressed_gather_steps(const Workload& w, std::int64_t granule) {
  constexpr std::int64_t kRows = 4, kCompactRows = 8;
  const bool t = transposed(w.axes);
  const GatheredRows gathered = t ? rows_of_a_transposed(w) : rows_of_a(w);
  const std::int64_t n = w.integer("n"), b_rows = rows_of_b(w);
  std::vector<Step> steps = t ? csc_prepare_steps(w) : Steps{};
  if (b_rows > 0) {
    KernelLaunch compact{
        "csrmm/compact_b.cu",
        "compact_b",
        {define("GRANULE", granule)},
        {{ceil_divide(b_rows, kCompactRows), strips(w), 1}, {kWarpLanes, kCompactRows, 1}, 0, {}},
        {BufferArgument{"b"}, BufferArgument{"masks"}, BufferArgument{"packed_b"}, as_int(b_rows),
         as_int(n)}};
    steps.push_back(run_kernel("compact B", std::move(compact)));
  }
  KernelLaunch gather{
      "csrmm/compressed_gather.cu",
      "compressed_gather",
      {define("GRANULE", granule), define("ROWS", kRows), homo(w)},
      {{ceil_divide(gathered.rows, kRows), strips(w), 1}, {kWarpLanes, kRows, 1}, 0, {}},
      {BufferArgument{gathered.indptr}, BufferArgument{gathered.indices},
       BufferArgument{gathered.weights}, BufferArgument{"masks"}, BufferArgument{"packed_b"},
       BufferArgument{"c"}, as_int(gathered.rows), as_int(n)}};
  steps.push_back(run_kernel("multiply", std::move(gather)));
  return steps;
}

std::vector<BufferSpec> compressed_gather_scratch(const Workload& w, std::int64_t granule) {
  const std::int64_t rows = rows_of_b(w), words = 4 / granule;
  std::vector<BufferSpec> scratch = transposed(w.axes) ? csc_scratch(w) : Buffers{};
  scratch.push_back({"masks",
                     ElementType::u32,
                     rows * strips(w) * words,
                     BufferRole::scratch,
                     {rows, strips(w), words},
                     "masks[k, strips, words]"});
  scratch.push_back({"packed_b",
                     ElementType::f32,
                     rows * strips(w) * kStripColumns,
                     BufferRole::scratch,
                     {rows, strips(w), kStripColumns},
                     "packed B[k, strips, 128]"});
  return scratch;
}

}  // namespace warpscope::csrmm
