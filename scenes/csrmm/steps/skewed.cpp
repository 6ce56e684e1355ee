// scenes/csrmm/steps/skewed.cpp: products whose work is balanced when rows differ in length.
#include "scenes/csrmm/steps/skewed.h"

#include <algorithm>
#include <bit>
#include <numbers>
#include <utility>

#include "scenes/csrmm/steps/kernel_steps.h"

namespace warpscope::csrmm {
namespace {

constexpr const char* kPrepareSource = "csrmm/row_segments.cu";
constexpr std::int64_t kRows = 4, kUnroll = 8, kWarps = 8;

// Every kernel of the source is compiled with both numbers, whichever it reads.
Defines prepare_defines(const Workload& w) {
  return {define("SEGMENT", kSegment), define("SHARE", merge_path_share(w))};
}

Step prepare_rows(const Workload& w, std::string name, std::string entry, std::int64_t elements,
                  std::vector<Argument> arguments) {
  KernelLaunch kernel =
      element_kernel(w, kPrepareSource, std::move(entry), elements, std::move(arguments));
  kernel.defines = prepare_defines(w);
  return prepare_kernel(std::move(name), std::move(kernel));
}

// At least as many whole segments as the rows hold; never 0, as buffers have elements.
std::int64_t most_segments(const Workload& w) {
  return std::max<std::int64_t>(1, entries(w) / kSegment);
}

// Columns per lane of the kernels that add parts of rows (f32 only).
std::int64_t f32_columns(const Workload& w) { return w.integer("n") % 4 == 0 ? 4 : 1; }

// A kernel of warps whose lanes own `columns`, with the CSR arguments and those of its own.
Step skewed_step(const Workload& w, const std::string& entry, std::int64_t columns,
                 std::int64_t warps, std::vector<Argument> own) {
  Step step = packed_step(w, rows_of_a(w), "csrmm/" + entry + ".cu", entry,
                          {define("COLUMNS", columns), define("UNROLL", kUnroll),
                           define("ROWS", kRows), define("SEGMENT", kSegment)},
                          kRows, ceil_divide(warps, kRows), w.integer("n") / columns);
  auto& arguments = std::get<KernelLaunch>(step.action).arguments;
  arguments.insert(arguments.end(), own.begin(), own.end());
  return step;
}

std::int64_t merge_path_blocks(const Workload& w) {
  return ceil_divide(w.integer("m") + entries(w), merge_path_share(w) * kWarps);
}

BufferSpec integers(std::string name, std::int64_t count, std::string symbol) {
  return {std::move(name),     ElementType::i32, count,
          BufferRole::scratch, {count},          std::move(symbol)};
}

}  // namespace

std::vector<Step> row_swizzle_steps(const Workload& w) {
  const std::int64_t m = w.integer("m");
  KernelLaunch order{kPrepareSource,
                     "order_rows",
                     prepare_defines(w),
                     {{1, 1, 1}, {1024, 1, 1}, 0, {}},
                     {BufferArgument{"indptr"}, BufferArgument{"row_order"}, as_int(m)}};
  Step product =
      skewed_step(w, "row_swizzle", columns_per_lane(w), m, {BufferArgument{"row_order"}});
  std::get<KernelLaunch>(product.action).defines.push_back(type(w));
  return {prepare_kernel("order rows", std::move(order)), std::move(product)};
}

std::vector<BufferSpec> row_swizzle_scratch(const Workload& w) {
  return {integers("row_order", w.integer("m"), "row_order[m]")};
}

std::vector<Step> row_split_steps(const Workload& w) {
  const std::int64_t m = w.integer("m"), segments = most_segments(w);
  KernelLaunch sums{"csrmm/prefix_sum.cu",
                    "exclusive_sums",
                    {},
                    {{1, 1, 1}, {1024, 1, 1}, 0, {}},
                    {BufferArgument{"segment_counts"}, BufferArgument{"first_segment"}, as_int(m)}};
  return {prepare_rows(w, "count segments", "count_segments", m,
                       {BufferArgument{"indptr"}, BufferArgument{"segment_counts"}, as_int(m)}),
          prepare_kernel("sum segments", std::move(sums)),
          prepare_rows(w, "name segments", "name_segments", m,
                       {BufferArgument{"first_segment"}, BufferArgument{"segment_row"}, as_int(m)}),
          clear("c"),
          skewed_step(
              w, "row_split", f32_columns(w), segments + m,
              {BufferArgument{"first_segment"}, BufferArgument{"segment_row"}, as_int(segments)})};
}

std::vector<BufferSpec> row_split_scratch(const Workload& w) {
  const std::int64_t m = w.integer("m");
  return {integers("segment_counts", m, "segment_counts[m]"),
          integers("first_segment", m + 1, "first_segment[m + 1]"),
          integers("segment_row", most_segments(w), "segment_row[segments]")};
}

// A share of 256 takes two iterations in a row of 200. Smaller inputs need more warps to fill a
// device: about 3300 did best. Short rows need shorter shares, as their warps wait for more rows
// one after the other. A row that is in very many shares needs longer ones: its carries are added
// one after the other. source: README.md, "What was tried": measured on an H200.
std::int64_t merge_path_share(const Workload& w) {
  constexpr std::int64_t kManySteps = 1 << 20, kMostSharesOfARow = 512;
  constexpr double kWantedWarps = 3300;
  const std::int64_t m = w.integer("m"), steps = m + entries(w);
  const bool many = steps >= kManySteps;
  const std::int64_t longest = many ? 256 : 128;
  // The power of two that is nearest to the steps of each of so many warps.
  const double each = static_cast<double>(steps) / kWantedWarps * std::numbers::sqrt2;
  std::int64_t share =
      std::clamp<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(each)), 16, longest);
  if (many && entries(w) < 32 * m) share = entries(w) < 8 * m ? 32 : 64;
  while (share < longest && w.fact("longest_row") > static_cast<double>(kMostSharesOfARow * share))
    share *= 2;
  return share;
}

std::vector<Step> merge_path_steps(const Workload& w) {
  const std::int64_t m = w.integer("m"), blocks = merge_path_blocks(w), shares = blocks * kWarps;
  const std::int64_t columns = f32_columns(w), width = w.integer("n") / columns;
  const Defines defines = {define("COLUMNS", columns), define("UNROLL", kUnroll),
                           define("WARPS", kWarps), define("SHARE", merge_path_share(w))};
  Step product = packed_step(w, rows_of_a(w), "csrmm/merge_path.cu", "merge_path", defines, kWarps,
                             blocks, width);
  auto& launch = std::get<KernelLaunch>(product.action);
  launch.arguments.emplace_back(BufferArgument{"share_row"});
  launch.arguments.emplace_back(BufferArgument{"carries"});
  constexpr std::int64_t kCarryWarps = 4;
  KernelLaunch carries{launch.source,
                       "merge_path_carries",
                       launch.defines,
                       {{ceil_divide(blocks, kCarryWarps), launch.launch.grid.y, 1},
                        {kWarpLanes, kCarryWarps, 1},
                        0,
                        {}},
                       {BufferArgument{"carries"}, BufferArgument{"share_row"}, BufferArgument{"c"},
                        as_int(m), as_int(width), as_int(blocks)}};
  return {prepare_rows(
              w, "cut the path", "cut_merge_path", shares + 1,
              {BufferArgument{"indptr"}, BufferArgument{"share_row"}, as_int(m), as_int(shares)}),
          std::move(product), run_kernel("add carries", std::move(carries))};
}

std::vector<BufferSpec> merge_path_scratch(const Workload& w) {
  const std::int64_t blocks = merge_path_blocks(w), n = w.integer("n");
  return {integers("share_row", blocks * kWarps + 1, "share_row[shares + 1]"),
          {"carries",
           ElementType::f32,
           blocks * n,
           BufferRole::scratch,
           {blocks, n},
           "carries[blocks, n]"}};
}

}  // namespace warpscope::csrmm
