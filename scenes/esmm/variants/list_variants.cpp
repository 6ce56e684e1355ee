// scenes/esmm/variants/list_variants.cpp: rows beyond the published kernels: active k listed by
// class, and their rival.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/inputs/pattern_counts.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/lists.h"
#include "scenes/esmm/tiles.h"
#include "scenes/esmm/variants/variants.h"
#include "scenes/esmm/work.h"

namespace warpscope::esmm {
namespace {

std::vector<Constraint> list_constraints() {
  return {{"asynchronous copies to shared memory need compute capability 8.0",
           [](const Workload&, const DeviceLimits& d) -> std::optional<std::string> {
             if (d.compute_capability >= 80) return std::nullopt;
             return "this device has compute capability " +
                    std::to_string(d.compute_capability / 10) + "." +
                    std::to_string(d.compute_capability % 10) +
                    ": asynchronous copies to shared memory need 8.0";
           }},
          {"N must be a multiple of 4, for copies of 16 bytes",
           [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
             const std::int64_t n = shape_of(w.axes).n;
             if (n % 4 == 0) return std::nullopt;
             return "N = " + std::to_string(n) +
                    " is not a multiple of 4: rows of B would not begin at multiples of 16 bytes";
           },
           [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
             const std::string up = std::to_string(ceil_divide(shape_of(w.axes).n, 4) * 4);
             return AxisChange{"use N = " + up, {{"n", up}}};
           }}};
}

Variant list_variant(std::string name, std::string label, std::string sentence, std::string look_at,
                     Products products, Copies copies = Copies::by_lane) {
  Variant v = esmm_variant(std::move(name), std::move(label), "ours", std::move(sentence),
                           std::move(look_at),
                           [=](const Workload& w) { return list_steps(w, products, copies); });
  v.constraints = list_constraints();
  v.scratch = list_scratch;
  charge_pairs(v);
  return v;
}

// A share of the sum of |a·b|: two TF32 numbers miss up to 2^-22 of each of a and b, and the
// product of the two low parts, up to 2^-22 again, is left out.
constexpr double kThreeProducts = 3.0 / (1 << 22);

Variant in_league(Variant v, const char* league, const char* accuracy, Pipe pipe,
                  double magnitude) {
  v.league = league;
  v.accuracy = accuracy;
  v.pipe = pipe;
  v.tolerance.magnitude = magnitude;
  return v;
}

// A warp of 32 × 32 skips eight k where their joint byte is 0.
Variant block_skip() {
  Variant v = esmm_variant(
      "tf32_skip", "TF32 block skip", "ours",
      "Tensor cores multiply eight k at a time. A warp skips them if the joint byte is 0.",
      "How rarely a byte is 0: one in ten with independent bits, 25 % of them joint.",
      [](const Workload& w) {
        constexpr std::int64_t kStages = 2, kPadA = 4, kPadB = 8;
        const Tile tile = own_tile("tf32_skip");
        KernelLaunch kernel = tiled_kernel(w, tile, "esmm/tf32_skip.cu", "tf32_skip",
                                           {"a", "b", "a_pattern", "b_pattern", "c"});
        kernel.defines.clear();  // its text has the tile
        kernel.launch.dynamic_shared_bytes =
            kStages * kValueBytes * (tile.bm * (tile.bk + kPadA) + tile.bk * (tile.bn + kPadB));
        return Steps{a_pattern_step(w), b_pattern_step(w),
                     run_kernel("multiply", std::move(kernel))};
      });
  v.scratch = both_patterns_scratch;
  v.constraints = fixed_tile_constraints("tf32_skip");
  v.constraints.insert(v.constraints.begin(), list_constraints().front());
  charge_blocks(v);
  return in_league(std::move(v), "tf32", "TF32 products", Pipe::mma_tf32, 2 * std::ldexp(1.0, -11));
}

Step split_step(const char* name, const char* from, const char* high, const char* low,
                std::int64_t count) {
  return run_kernel(name, kernel_of_threads("esmm/split_tf32.cu", "split_tf32", count,
                                            {BufferArgument{from}, BufferArgument{high},
                                             BufferArgument{low}, count}));
}

Steps dense_tf32x3_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  Step a = split_step("split A", "a", "a_high", "a_low", s.a_elements());
  Step b = split_step("split B", "b", "b_high", "b_low", s.b_elements());
  if (a_prepared(w.axes)) a.phase = Phase::prepare;
  b = preparing_b(w, std::move(b));
  constexpr const char* kCall = "cublas.gemm.tf32";
  return {std::move(a), std::move(b), dense_product(w, "low · high", kCall, "a_low", "b_high"),
          dense_product(w, "high · low", kCall, "a_high", "b_low", true),
          dense_product(w, "high · high", kCall, "a_high", "b_high", true)};
}

Buffers dense_tf32x3_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const auto part = [](const char* name, std::int64_t rows, std::int64_t columns,
                       const char* symbol) {
    return BufferSpec{name,  ElementType::f32, rows * columns, BufferRole::scratch, {rows, columns},
                      symbol};
  };
  return {part("a_high", s.m, s.k, "a_high[M, K]"), part("a_low", s.m, s.k, "a_low[M, K]"),
          part("b_high", s.k, s.n, "b_high[K, N]"), part("b_low", s.k, s.n, "b_low[K, N]")};
}

Variant dense_tf32x3() {
  Variant v = esmm_variant(
      "dense_tf32x3", "dense 3×TF32", "library",
      "Each number is split into two TF32 numbers, and the library multiplies three times: high by "
      "high, and each high part by the other's low part.",
      "Compare skipping in single precision with it: three dense products on tensor cores.",
      dense_tf32x3_steps);
  v.scratch = dense_tf32x3_scratch;
  charge(v, "model.flops", [](const Workload& w) -> std::optional<double> {
    const Shape s = shape_of(w.axes);
    return 6.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  });
  return in_league(std::move(v), "fp32_tensor", "FP32-class, three TF32 products", Pipe::wgmma_tf32,
                   kThreeProducts);
}

// Lists in the league of single precision on tensor cores, whose chunks come by lanes or by lines.
std::vector<Variant> three_products() {
  Variant three = in_league(
      list_variant("class_lists_tf32x3", "active k by class, 3×TF32",
                   "16 listed k become two dense tensor-core products. Each number is split into "
                   "two TF32 numbers, and three products are added.",
                   "The error compared with FP32's, and how much of the time is arithmetic.",
                   Products::tf32_three_times),
      "fp32_tensor", "FP32-class, three TF32 products", Pipe::mma_tf32, kThreeProducts);
  Variant three_lines = in_league(
      list_variant("class_lists_tf32x3_lines", "active k by class, 3×TF32, copied by lines",
                   "As class_lists_tf32x3, but eight lanes copy each line of a chunk.",
                   "Executed instructions compared with class_lists_tf32x3: the arithmetic of "
                   "addresses differs.",
                   Products::tf32_three_times, Copies::by_line),
      "fp32_tensor", "FP32-class, three TF32 products", Pipe::mma_tf32, kThreeProducts);
  for (Variant* v : {&three, &three_lines}) {
    charge(*v, "model.flops", [](const Workload& w) -> std::optional<double> {
      constexpr double kProducts = 3;
      return kProducts * 2 * kGroup * kGroup * w.fact(joint_fact("joint", kGroup, kGroup));
    });
  }
  return {std::move(three), std::move(three_lines)};
}

}  // namespace

std::vector<Variant> list_variants() {
  Variant lists = list_variant(
      "class_lists", "active k by class",
      "A tile's warps first list the k that it needs, sorted by which of its two column groups "
      "need them. Then they multiply one list after the other without a test.",
      "Instructions other than multiply-adds, and the bytes from L2: lines that no product needs "
      "are not fetched.",
      Products::fp32);
  Variant lines = list_variant(
      "class_lists_lines", "active k by class, copied by lines",
      "Eight lanes copy a line of one k, so a warp copies four k at once. Its products "
      "use eight k before they advance their pointers.",
      "How many instructions are not multiply-adds, compared with class_lists, where each lane "
      "copies a part of every k. The sectors are the same.",
      Products::fp32, Copies::by_line);
  std::vector<Variant> three = three_products();
  Variant tf32 =
      in_league(list_variant("class_lists_tf32", "active k by class, TF32",
                             "16 listed k become two dense tensor-core products. Inputs are "
                             "rounded to the nearest TF32 number.",
                             "Bytes from L2 compared with the library's.", Products::tf32),
                "tf32", "TF32 products", Pipe::mma_tf32, 2 * std::ldexp(1.0, -11));
  Variant tf32_lines = in_league(
      list_variant(
          "class_lists_tf32_lines", "active k by class, TF32, copied by lines",
          "As class_lists_tf32, but eight lanes copy each line of a chunk.",
          "Executed instructions compared with class_lists_tf32. The bytes from L2 are the same.",
          Products::tf32, Copies::by_line),
      "tf32", "TF32 products", Pipe::mma_tf32, 2 * std::ldexp(1.0, -11));
  Variant bf16 = in_league(
      list_variant("class_lists_bf16", "active k by class, BF16",
                   "16 listed k become one dense tensor-core product. Inputs are rounded to "
                   "bfloat16 as they come from shared memory.",
                   "One instruction instead of TF32's two, for the same bytes.", Products::bf16),
      "bf16", "BF16 products", Pipe::mma_bf16, 2 * std::ldexp(1.0, -8));
  bf16.constraints.push_back(
      {"chunks must have 16 k",
       [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
         if (list_shape(w).slots == 16) return std::nullopt;
         return "a bfloat16 product takes 16 k: a chunk of " + std::to_string(list_shape(w).slots) +
                " is half of one";
       },
       [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
         return AxisChange{"use chunks of 16 k", {{"list_slots", "16"}}};
       }});
  return {std::move(lists),    std::move(lines),      dense_tf32x3(),
          std::move(three[0]), std::move(three[1]),   block_skip(),
          std::move(tf32),     std::move(tf32_lines), std::move(bf16)};
}

}  // namespace warpscope::esmm
