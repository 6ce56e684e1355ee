// scenes/autoencoder/tables/time_tables.cpp: the article's tables of occupancy and time, and its
// checklist.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "scenes/autoencoder/axes.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/autoencoder/tables/seed_tables.h"

namespace warpscope::autoencoder {
namespace {

// Ceilings of an H200, which the modelled times are of. source: roofs that a session measures.
constexpr double kDramBytesPerNs = 4300, kProductFlopPerNs = 50300, kTf32FlopPerNs = 366000;
constexpr double kLinesPerNs = 132 * 1.98;  // a line of L1 a cycle on 132 multiprocessors

constexpr std::int64_t kLanes = 32;
constexpr int kStepsOfEpoch = 781;  // whole batches of 64 in 50 000 images

std::string time_text(double ns) {
  char text[32];
  std::snprintf(text, sizeof text, ns >= 1e6 ? "%.2f ms" : "%.1f µs",
                ns >= 1e6 ? ns / 1e6 : ns / 1e3);
  return text;
}

double f32_bytes(std::int64_t values) {
  return static_cast<double>(values * element_bytes(ElementType::f32));
}

// Lines of L1 that a product of one warp asks for: pixels and weights.
double naive_lines(const Conv& s) {
  const std::int64_t weights = std::min(kLanes, s.out);
  return static_cast<double>(weights + ceil_divide(kLanes, s.out));
}
double grid2d_lines(const Conv& s) { return s.side < 16 ? 6 : 3; }
double lines_ns(const Conv& s, double lines) {
  return static_cast<double>(s.products()) / kLanes * lines / kLinesPerNs;
}

// Columns written, a product of them, bias and ReLU in place.
double columns_ns(const Conv& s) {
  const double in = f32_bytes(s.in_values()), out = f32_bytes(s.out_values());
  const double columns = f32_bytes(s.column_values());
  const double product = std::max(2 * static_cast<double>(s.products()) / kProductFlopPerNs,
                                  (columns + out) / kDramBytesPerNs);
  return (in + columns + 2 * out) / kDramBytesPerNs + product;
}

// On tensor cores, with what can be fused or folded.
double floor_ns(const Conv& s) {
  double bytes = f32_bytes(s.in_values() + s.out_values());
  double flops = 2 * static_cast<double>(s.products());
  if (s.behind_upsample) {
    bytes = f32_bytes(s.in_values() / 4 + s.out_values());
    flops *= 4.0 / 9;
  } else if (s.of_image) {
    const std::int64_t pooled = s.out_values() / 4;
    bytes = f32_bytes(s.in_values() + pooled) + static_cast<double>(pooled) / 4;  // two bits each
  }
  return std::max(bytes / kDramBytesPerNs, flops / kTf32FlopPerNs);
}

// "modelled 1.8 ms · 1.95 ms alone", and what it takes within a step where one was recorded.
std::string time_cell(double modelled, const std::string& point, const SeedLevel& level,
                      const std::string& layer) {
  const std::string in_step = level.step + "@part=step.layer." + layer + ".phase.forward.time";
  const std::string begins = "modelled " + time_text(modelled) + " · ";
  if (point.empty()) return begins + "{" + in_step + "} in a whole step";
  return begins + "{" + point + ".time.warm}[[" + in_step + " > 0 ns => , {" + in_step +
         "} in a whole step || ]]";
}

std::vector<std::string> conv_row(const Conv& s) {
  std::vector<std::string> row = {s.layer};
  const double modelled[] = {lines_ns(s, naive_lines(s)), lines_ns(s, grid2d_lines(s)),
                             columns_ns(s)};
  for (std::size_t i = 0; i < seed_levels().size(); ++i) {
    const SeedLevel& level = seed_levels()[i];
    row.push_back(time_cell(modelled[i], level.layer + "@layer=" + s.layer, level, s.layer));
  }
  row.push_back(time_text(floor_ns(s)) + (s.behind_upsample ? ", upsampling folded in"
                                          : s.of_image      ? ", pool fused"
                                                            : ""));
  return row;
}

std::vector<std::string> window_row(const Windows& s, bool pool) {
  const std::int64_t values = s.large_values() + s.small_values() * (pool ? 2 : 1);
  std::vector<std::string> row = {s.layer};
  for (const SeedLevel& level : seed_levels()) {
    const std::string& variant = pool ? level.pool : level.upsampling;
    const std::string at = pool ? "@part=pool,pool_layer=" : "@part=upsample,up_layer=";
    row.push_back(time_cell(f32_bytes(values) / kDramBytesPerNs,
                            variant.empty() ? "" : variant + at + s.layer, level, s.layer));
  }
  row.push_back(pool ? "0: fused into the convolution" : "0: folded into the convolution");
  return row;
}

ArticleTable kernel_times() {
  ArticleTable table{
      "Kernel time of a forward pass, 64 images",
      "Modelled for an H200. Naive and Opt v1: one line of L1 per cycle on 132 multiprocessors at "
      "1980 MHz. Opt v2: 4.3 TB/s of DRAM and products at 50.3 TFLOP/s. Floor: 366 TFLOP/s in "
      "TF32. Measured: the median of a layer alone, warm. In a whole step: its kernels added up.",
      {"layer"},
      {}};
  for (const SeedLevel& level : seed_levels()) table.header.push_back(level.title);
  table.header.emplace_back("floor, modelled");
  const Configuration at = default_configuration(axes());
  const auto conv = [&](const char* layer) {
    table.rows.push_back(conv_row(conv_named(at, layer)));
  };
  const auto windows = [&](const char* layer, bool pool) {
    table.rows.push_back(window_row(windows_named(at, layer), pool));
  };
  conv("Conv1");
  windows("Pool1", true);
  conv("Conv2");
  windows("Pool2", true);
  conv("Conv3");
  windows("Up1", false);
  conv("Conv4");
  windows("Up2", false);
  conv("Conv5");
  return table;
}

ArticleTable occupancy() {
  struct Row {
    const char *title, *point, *kernel, *registers, *theoretical;
  };
  constexpr const char* kNone = "nothing was said";
  constexpr Row kRows[] = {
      {"Naive, forward", "naive_nhwc@layer=Conv2", "naive_forward", "31", "100 %"},
      {"Naive, dgrad", "naive_nhwc@layer=Conv2,direction=dgrad", "naive_dgrad", kNone, kNone},
      {"Naive, wgrad", "naive_nhwc@layer=Conv2,direction=wgrad", "naive_wgrad", "32", "100 %"},
      {"Opt v1, forward", "nchw_grid2d@layer=Conv2", "nchw_grid2d", "32", "100 %"},
      {"Opt v1, dgrad", "nchw_grid2d@layer=Conv2,direction=dgrad", "nchw_grid2d", "32", "100 %"},
      {"Opt v1, wgrad", "nchw_grid2d@layer=Conv2,direction=wgrad", "nchw_wgrad", "40", "75 %"},
      {"Opt v2, im2col", "im2col_cublas_loop@layer=Conv2", "im2col", "26", "100 %"},
      {"Opt v2, bias and ReLU", "im2col_cublas_loop@layer=Conv2", "bias_relu", kNone, kNone},
      {"Opt v2, col2im", "im2col_cublas_loop@layer=Conv2,direction=dgrad", "col2im", "28",
       "100 %"}};
  ArticleTable table{
      "Occupancy of nine kernels, Conv2, blocks of 256 threads",
      "Expected: registers of the trainer's kernels, which the article does not state. Registers "
      "and theoretical occupancy: from the compiler and the driver. Achieved: occupancy.achieved, "
      "which CUPTI calls sm__warps_active.avg.pct_of_peak_sustained_active.",
      {"kernel", "registers, expected", "registers", "theoretical, expected", "theoretical",
       "achieved"},
      {}};
  for (const Row& row : kRows) {
    const std::string kernel = std::string(row.point) + ".kernel." + row.kernel + ".";
    table.rows.push_back({row.title, row.registers, "{" + kernel + "registers}", row.theoretical,
                          "{" + kernel + "occupancy.theoretical}",
                          "{" + kernel + "occupancy.achieved}"});
  }
  return table;
}

// A training step of the published program, or of others.
struct StepLevel {
  const char *title, *variant, *on_t4, *on_h200, *said;
};
// The article describes one product per image; its program, which was timed, batches the forward
// pass.
constexpr const char* kOfShipped = "its text alone: see as shipped";
constexpr StepLevel kSteps[] = {
    {"Naive", "step_naive", "500.57 s", "115 s", "169×"},
    {"Opt v1", "step_nchw", "247.15 s", "40.6 s", "342×"},
    {"Opt v2", "step_im2col_loop", kOfShipped, kOfShipped, kOfShipped},
    {"Opt v2 as shipped, forward batched", "step_im2col_strided", "50.52 s", "8.4 s",
     "1690×, and 1674× of its own times"},
    {"cuDNN, FP32", "step_cudnn_fp32", "nothing was said", "nothing was said", "nothing was said"},
    {"cuDNN, TF32", "step_cudnn_tf32", "nothing was said", "nothing was said", "nothing was said"},
    {"cuDNN, TF32, channels innermost", "step_cudnn_tf32_nhwc", "nothing was said",
     "nothing was said", "nothing was said"},
    {"Fused, FP32", "step_fused_fp32", "nothing was said", "nothing was said", "nothing was said"},
    {"Fused, FP32, Conv2 to 4 by Winograd", "step_fused_winograd", "nothing was said",
     "nothing was said", "nothing was said"},
    {"Fused, FP32, one graph", "step_graph", "nothing was said", "nothing was said",
     "nothing was said"},
    {"Fused, 3×TF32", "step_fused_tf32x3", "nothing was said", "nothing was said",
     "nothing was said"},
    {"Fused, TF32", "step_fused_tf32", "nothing was said", "nothing was said", "nothing was said"},
    {"Fused, bf16", "step_fused_bf16", "nothing was said", "nothing was said", "nothing was said"}};

std::string of_step(const char* variant, const std::string& figure) {
  return std::string(variant) + "@part=step." + figure;
}
constexpr const char* kCpu = "cpu_sequential@part=step,batch=1.time.warm";

ArticleTable epochs() {
  const std::string steps = std::to_string(kStepsOfEpoch);
  ArticleTable table{
      "Time per epoch, " + steps + " steps of 64 images",
      "An epoch is " + steps +
          " × the median step, with its copies, loss and SGD update, unless its cell says "
          "otherwise. The published times are from a T4, and from the published trainer on an "
          "H200.",
      {"version", "a step", "an epoch", "published, on a T4", "published trainer, H200"},
      {}};
  for (const StepLevel& level : kSteps) {
    const std::string time = of_step(level.variant, "time.warm");
    const std::string many = "{" + steps + " * " + time + "}: " + steps + " × the median step";
    const std::string trained = of_step(level.variant, "epoch.");
    table.rows.push_back({level.title, "{" + time + "}",
                          "[[" + of_step(level.variant, "outcome") + " = 'correct' and " + trained +
                              "steps = " + steps + " => {" + trained +
                              "time}: an epoch trained from end to end | " + many + " || " + many +
                              "]]",
                          level.on_t4, level.on_h200});
  }
  table.rows.push_back({"CPU, one thread", std::string("{") + kCpu + "} for 1 image",
                        std::string("{50000 * ") + kCpu + "}: 50 000 × the 1 image that it ran",
                        "169.18 s for 100 images, 23.5 h for 50 000", "nothing was said"});
  return table;
}

ArticleTable trainers() {
  ArticleTable table{
      "A step of the published trainer beside these, 64 images",
      "The published trainer was timed on an H200, with its copies and the loss that is read back. "
      "Its work around the kernels is the same in all three versions and is within the 10.70 ms of "
      "the last one. Its naive chain also computes a gradient of the image, with as many products "
      "as Conv5 forward. A difference beyond both is in its kernels. The naive forward kernel has "
      "the listed loops. For the others the description says what a thread computes, but neither "
      "the layout of the weights that input gradients read, nor how many loads of a serial sum are "
      "in flight at once.",
      {"version", "published trainer, H200", "here", "of its time", "forward",
       "gradients of weights and biases", "gradients of inputs", "Conv5 forward"},
      {}};
  struct Row {
    const char *title, *variant, *trainer;
  };
  constexpr Row kRows[] = {{"Naive", "step_naive", "147.6 ms"},
                           {"Opt v1", "step_nchw", "51.95 ms"},
                           {"Opt v2 as shipped", "step_im2col_strided", "10.70 ms"}};
  for (const Row& row : kRows) {
    const std::string time = of_step(row.variant, "time.warm"), trainer = row.trainer;
    const std::string share = "{" + time + " / " + trainer + " * 100 %}";
    const auto phase = [&](const char* figure) {
      return "{" + of_step(row.variant, figure) + ".time}";
    };
    table.rows.push_back({row.title, trainer, "{" + time + "}",
                          "[[" + time + " > 0.8 * " + trainer + " and " + time + " < 1.2 * " +
                              trainer + " => " + share + ", within 20 % | " + share +
                              ", beyond 20 % || " + share + "]]",
                          phase("phase.forward"), phase("phase.wgrad"), phase("phase.dgrad"),
                          phase("layer.Conv5.phase.forward")});
  }
  return table;
}

ArticleTable speed_ups() {
  ArticleTable table{
      "Speed-up over the CPU, per image",
      "The CPU ran 1 image, with one thread; a GPU step has 64. The published table has 169.18 s "
      "for the CPU, measured with 100 images: 84 590 s for 50 000.",
      {"version", "CPU, 1 image", "GPU, 64 images", "speed-up", "published speed-up"},
      {}};
  for (const StepLevel& level : kSteps) {
    const std::string time = of_step(level.variant, "time.warm");
    table.rows.push_back({level.title, std::string("{") + kCpu + "}", "{" + time + "}",
                          std::string("{64 * ") + kCpu + " / " + time + "} times", level.said});
  }
  return table;
}

// A figure with a mark: reached or missed.
std::string marked(const std::string& figure, const std::string& target) {
  const std::string shown = "{" + figure + "}";
  return "[[" + figure + " > " + target + " => " + shown + ", reached | " + shown + ", missed || " +
         shown + "]]";
}

ArticleTable targets() {
  ArticleTable table{"The published targets, Conv2 forward",
                     "Marks, not verdicts: matrix products may run at a low occupancy, and the "
                     "share of DRAM is meaningful for kernels limited by DRAM.",
                     {"target", "metric"},
                     {}};
  std::vector<std::string> variants;
  for (const SeedLevel& level : seed_levels()) {
    table.header.push_back(level.title);
    variants.push_back(level.layer);
  }
  table.header.emplace_back("columns that are not written");
  variants.emplace_back("implicit_gemm_fp32");
  struct Target {
    const char *title, *metric, *figure, *behind, *limit;
  };
  constexpr Target kTargets[] = {
      {"occupancy > 80 %", "occupancy.achieved", ".occupancy.achieved", "", "80 %"},
      {"memory > 70 %", "rate.dram_bytes over the copy roof of DRAM", ".rate.dram_bytes",
       " / roof.dram.copy * 100 %", "70 %"},
      {"SM efficiency > 90 %", "sm.active: sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
       ".sm.active", "", "90 %"},
      {"warp efficiency > 90 %", "inst.lanes over 32 lanes", ".inst.lanes", " / 32 * 100 %",
       "90 %"}};
  for (const Target& target : kTargets) {
    std::vector<std::string> row = {target.title, target.metric};
    for (const std::string& variant : variants)
      row.push_back(marked(variant + "@layer=Conv2" + target.figure + target.behind, target.limit));
    table.rows.push_back(std::move(row));
  }
  std::vector<std::string> bound = {"memory-, compute- or latency-bound",
                                    "the nearest roof, and the share of it"};
  for (const std::string& variant : variants) {
    const std::string at = variant + "@layer=Conv2.";
    bound.push_back("[[" + at + "binding_ratio > 0 % => {" + at + "binds}, {" + at +
                    "binding_ratio} || {" + at + "binds}]]");
  }
  table.rows.push_back(std::move(bound));
  return table;
}

ArticleTable checklist() {
  const auto time = [](const std::string& point) { return "{" + point + ".time.warm}"; };
  const std::string from = time("nchw_grid2d@layer=Conv2") + " → ";
  return {
      "The published checklist of optimisations",
      "Times are of Conv2 forward unless another layer is named. An arrow starts at nchw_grid2d.",
      {"what to do", "where it is done", "figure"},
      {{"verify against the CPU, before and after", "warpscope verify; the gate of every figure",
        "naive_nhwc: {naive_nhwc@layer=Conv2.outcome}, nchw_grid2d: "
        "{nchw_grid2d@layer=Conv2.outcome}, im2col_cublas_loop: "
        "{im2col_cublas_loop@layer=Conv2.outcome}"},
       {"profile, take a baseline", "Metrics and Journal; naive_nhwc",
        time("naive_nhwc@layer=Conv2")},
       {"NCHW layout", "nchw_grid2d",
        time("naive_nhwc@layer=Conv2") + " → " + time("nchw_grid2d@layer=Conv2")},
       {"tiles in shared memory", "shared_tile", from + time("shared_tile@layer=Conv2")},
       {"weights in constant memory", "constant_weights, at Conv1",
        time("nchw_grid2d@layer=Conv1") + " → " + time("constant_weights@layer=Conv1")},
       {"loads of 16 bytes", "float4_loads", from + time("float4_loads@layer=Conv2")},
       {"fuse kernels", "fused_relu_pool beside conv_then_pool",
        time("conv_then_pool@part=conv_pool") + " → " + time("fused_relu_pool@part=conv_pool")},
       {"unroll 3×3", "nchw_run_time_window beside nchw_grid2d, whose nine taps are unrolled",
        time("nchw_run_time_window@layer=Conv2") + " → " + time("nchw_grid2d@layer=Conv2") +
            ", {nchw_run_time_window@layer=Conv2.inst.executed} → "
            "{nchw_grid2d@layer=Conv2.inst.executed} instructions"},
       {"register pressure, block dimensions", "block_shape, and Occupancy",
        "{block_shape@layer=Conv2.registers} registers, " + from + time("block_shape@layer=Conv2")},
       {"im2col and a matrix product", "im2col_cublas_loop, im2col_cublas_strided",
        from + time("im2col_cublas_loop@layer=Conv2") + ", " +
            time("im2col_cublas_strided@layer=Conv2")},
       {"measure the improvement", "Journal, warpscope compare",
        "a whole step: " + time("step_naive@part=step") + " → " + time("step_nchw@part=step") +
            " → " + time("step_im2col_loop@part=step")},
       {"look for regressions", "warpscope compare A B", "needs two sessions: this is one"}}};
}

}  // namespace

std::vector<ArticleTable> time_tables() {
  return {occupancy(), kernel_times(), epochs(), trainers(), speed_ups(), targets(), checklist()};
}

std::vector<ArticleTable> seed_tables() {
  std::vector<ArticleTable> all = traffic_tables();
  for (const auto made : {time_tables, beyond_tables}) {
    for (ArticleTable& table : made()) all.push_back(std::move(table));
  }
  return all;
}

}  // namespace warpscope::autoencoder
