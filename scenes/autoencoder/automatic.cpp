// scenes/autoencoder/automatic.cpp: the rows of `autoencoder` that pick another row.
#include "scenes/autoencoder/automatic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "scenes/autoencoder/net.h"
#include "scenes/autoencoder/step/fused_step.h"
#include "scenes/autoencoder/step/tensor_product.h"
#include "scenes/autoencoder/step/tensor_step.h"
#include "scenes/autoencoder/steps/winograd_steps.h"
#include "scenes/autoencoder/work.h"
#include "scenes/base/kernel_parts.h"

namespace warpscope::autoencoder {
namespace {

// Which channels do not fill a tile: those that are summed over, those that are written, or none.
// For gradients of weights it may be either.
enum class Sides { many, few_read, few_made };

// How long a row takes on an H200: a constant start (launches, gaps, and what one image does not
// fill) plus its planned arithmetic at a rate. Both come from a line fitted to a row's times over
// batches: its value at zero images and its rate of change.
struct PlannedSpeed {
  const char* row;
  Direction direction;  // of a step: forward
  Sides sides;          // of a step: many
  double start_us, tflops;
};
// Steps and Conv2's forward rows were measured at 1 to 1024 images, all others at 64, with
// CUDA 13.0 and cuDNN 9; what was not, of Conv1's gradient of an image, is that of Conv5's output.
constexpr auto kForward = Direction::forward, kDgrad = Direction::dgrad, kWgrad = Direction::wgrad;
constexpr PlannedSpeed kSpeeds[] = {
    {"step_graph", kForward, Sides::many, 150, 41},
    {"step_fused_winograd", kForward, Sides::many, 175, 27.6},
    {"step_cudnn_fp32", kForward, Sides::many, 300, 50},
    {"step_fused_tf32x3", kForward, Sides::many, 100, 235},
    {"step_fused_tf32", kForward, Sides::many, 85, 208},
    {"step_cudnn_tf32", kForward, Sides::many, 300, 62},
    {"step_fused_bf16", kForward, Sides::many, 80, 340},

    {"float4_loads", kForward, Sides::many, 35, 12.5},
    {"float4_loads", kForward, Sides::few_read, 3, 11.9},
    {"float4_loads", kForward, Sides::few_made, 5, 3.9},
    {"float4_loads", kDgrad, Sides::many, 5, 12.1},
    {"implicit_gemm_fp32", kForward, Sides::many, 30, 15.7},
    {"implicit_gemm_fp32", kForward, Sides::few_read, 7, 9.5},
    {"implicit_gemm_fp32", kDgrad, Sides::many, 8, 15.6},
    {"register_tiles", kForward, Sides::many, 16, 44.4},
    {"register_tiles", kForward, Sides::few_read, 6, 20},
    {"register_tiles", kForward, Sides::few_made, 8, 3.7},
    {"register_tiles", kDgrad, Sides::many, 8, 45},
    {"register_tiles", kDgrad, Sides::few_read, 6, 24},
    {"register_tiles", kDgrad, Sides::few_made, 8, 4.5},
    {"upsample_folded", kForward, Sides::many, 8, 45},
    {"upsample_folded", kForward, Sides::few_made, 8, 17},
    {"upsample_folded", kWgrad, Sides::many, 10, 40},
    {"upsample_folded", kWgrad, Sides::few_made, 10, 15.5},
    {"wgrad_split_k", kWgrad, Sides::many, 8, 1.1},
    {"wgrad_split_k", kWgrad, Sides::few_read, 8, 0.83},
    {"wgrad_split_k", kWgrad, Sides::few_made, 8, 0.83},
    {"wgrad_register_tiles", kWgrad, Sides::many, 18, 41.3},
    {"wgrad_register_tiles", kWgrad, Sides::few_read, 10, 12.8},
    {"wgrad_register_tiles", kWgrad, Sides::few_made, 10, 3.7},
    {"winograd_2x2", kForward, Sides::many, 22, 37},
    {"winograd_2x2", kDgrad, Sides::many, 10.6, 32.4},
    {"winograd_2x2", kWgrad, Sides::many, 19, 30.8},
    {"cudnn_fused_fp32", kForward, Sides::many, 32, 130},
    {"cudnn_fused_fp32", kForward, Sides::few_read, 20, 14.6},
    {"cudnn_fused_fp32", kForward, Sides::few_made, 20, 7.3},
    {"cudnn_fp32", kDgrad, Sides::many, 40, 149},
    {"cudnn_fp32", kDgrad, Sides::few_read, 40, 13.5},
    {"cudnn_fp32", kDgrad, Sides::few_made, 40, 27},
    {"cudnn_fp32", kWgrad, Sides::many, 29, 76.5},
    {"cudnn_fp32", kWgrad, Sides::few_read, 40, 9.5},
    {"cudnn_fp32", kWgrad, Sides::few_made, 40, 3.44},

    {"implicit_gemm_tf32x3", kForward, Sides::many, 10, 380},
    {"implicit_gemm_tf32x3", kForward, Sides::few_read, 6, 322},
    {"implicit_gemm_tf32x3", kForward, Sides::few_made, 6, 208},
    {"implicit_gemm_tf32x3", kDgrad, Sides::many, 12, 420},
    {"implicit_gemm_tf32x3", kDgrad, Sides::few_read, 6, 352},
    {"implicit_gemm_tf32x3", kDgrad, Sides::few_made, 6, 197},
    {"implicit_gemm_tf32x3", kWgrad, Sides::many, 12, 195},
    {"implicit_gemm_tf32x3", kWgrad, Sides::few_read, 8, 192},
    {"implicit_gemm_tf32x3", kWgrad, Sides::few_made, 8, 192},
    {"implicit_gemm_tf32", kForward, Sides::many, 8, 330},
    {"implicit_gemm_tf32", kForward, Sides::few_read, 5, 217},
    {"implicit_gemm_tf32", kForward, Sides::few_made, 5, 117},
    {"implicit_gemm_tf32", kDgrad, Sides::many, 8, 420},
    {"implicit_gemm_tf32", kDgrad, Sides::few_read, 5, 236},
    {"implicit_gemm_tf32", kDgrad, Sides::few_made, 5, 116},
    {"implicit_gemm_tf32", kWgrad, Sides::many, 12.5, 220},
    {"implicit_gemm_tf32", kWgrad, Sides::few_read, 8, 206},
    {"implicit_gemm_tf32", kWgrad, Sides::few_made, 8, 208},
    {"cudnn_fused_tf32", kForward, Sides::many, 12, 120},
    {"cudnn_fused_tf32", kForward, Sides::few_read, 20, 14.6},
    {"cudnn_fused_tf32", kForward, Sides::few_made, 20, 7.3},
    {"cudnn_tf32", kDgrad, Sides::many, 15, 240},
    {"cudnn_tf32", kDgrad, Sides::few_read, 30, 12.5},
    {"cudnn_tf32", kDgrad, Sides::few_made, 30, 21},
    {"cudnn_tf32", kWgrad, Sides::many, 40, 111},
    {"cudnn_tf32", kWgrad, Sides::few_read, 40, 9.5},
    {"cudnn_tf32", kWgrad, Sides::few_made, 40, 3.9},
    {"implicit_gemm_bf16", kForward, Sides::many, 8, 610},
    {"implicit_gemm_bf16", kForward, Sides::few_read, 5, 434},
    {"implicit_gemm_bf16", kForward, Sides::few_made, 5, 226},
    {"implicit_gemm_bf16", kDgrad, Sides::many, 8, 880},
    {"implicit_gemm_bf16", kDgrad, Sides::few_read, 5, 473},
    {"implicit_gemm_bf16", kDgrad, Sides::few_made, 5, 217},
    {"implicit_gemm_bf16", kWgrad, Sides::many, 12, 700},
    {"implicit_gemm_bf16", kWgrad, Sides::few_read, 8, 505},
    {"implicit_gemm_bf16", kWgrad, Sides::few_made, 8, 522},
};

// A row that may be picked. `work`: multiplies and adds that it plans; `fits`: null: it always
// does.
struct Candidate {
  const char* row;
  PickedLeague league;  // the strictest that it is of
  Part part;
  double (*work)(const Configuration&);
  bool (*fits)(const Configuration&) = nullptr;
  bool nhwc = false;
};

double step_work(const Configuration& c) { return 2 * static_cast<double>(step_products(c)); }
double conv_work(const Configuration& c) { return 2 * static_cast<double>(conv_of(c).products()); }
double tensor_step_work(const Configuration& c) { return tensor_step_flops({c, {}}); }
template <TensorType type>
double tensor_conv_work(const Configuration& c) {
  return tensor_conv_flops({c, {}}, type);
}
bool begins_aligned(const Configuration& c) { return c.integer("channels") % 8 == 0; }
bool rows_are_fours(const Configuration& c) { return conv_of(c).side % 4 == 0; }
bool is_folded(const Configuration& c) {
  return conv_of(c).behind_upsample && conv_of(c).side % 2 == 0;
}

constexpr auto kF32 = PickedLeague::f32, kF32Class = PickedLeague::f32_class,
               kTf32 = PickedLeague::tf32, kBf16 = PickedLeague::bf16;
constexpr Candidate kCandidates[] = {
    {"step_graph", kF32, Part::step, [](const Configuration& c) { return fused_step_flops(c, 0); }},
    {"step_fused_winograd", kF32, Part::step,
     [](const Configuration& c) { return fused_step_flops(c, 4); }},
    {"step_cudnn_fp32", kF32, Part::step, step_work, begins_aligned},
    {"step_fused_tf32x3", kF32Class, Part::step,
     [](const Configuration& c) { return 3 * tensor_step_work(c); }},
    {"step_fused_tf32", kTf32, Part::step, tensor_step_work},
    {"step_cudnn_tf32", kTf32, Part::step, step_work, begins_aligned},
    {"step_fused_bf16", kBf16, Part::step, tensor_step_work},
    {"float4_loads", kF32, Part::conv, conv_work, rows_are_fours},
    {"implicit_gemm_fp32", kF32, Part::conv, conv_work},
    {"register_tiles", kF32, Part::conv, conv_work},
    {"upsample_folded", kF32, Part::conv,
     [](const Configuration& c) { return conv_work(c) * 4 / 9; }, is_folded},
    {"wgrad_split_k", kF32, Part::conv, conv_work},
    {"wgrad_register_tiles", kF32, Part::conv, conv_work},
    {"winograd_2x2", kF32, Part::conv,
     [](const Configuration& c) { return conv_work(c) * WinogradForm{}.share(); }},
    {"cudnn_fused_fp32", kF32, Part::conv, conv_work},
    {"cudnn_fp32", kF32, Part::conv, conv_work},
    {"implicit_gemm_tf32x3", kF32Class, Part::conv, tensor_conv_work<TensorType::tf32x3>, nullptr,
     true},
    {"implicit_gemm_tf32", kTf32, Part::conv, tensor_conv_work<TensorType::tf32>, nullptr, true},
    {"cudnn_fused_tf32", kTf32, Part::conv, conv_work},
    {"cudnn_tf32", kTf32, Part::conv, conv_work},
    {"implicit_gemm_bf16", kBf16, Part::conv, tensor_conv_work<TensorType::bf16>, nullptr, true},
};

// f32 rows also meet the bound of the FP32-class, and TF32 rows meet the bound of bf16. The bf16
// league takes TF32 convolutions only on tensor cores, so that all its convolutions use NHWC.
bool may_pick(PickedLeague league, const Candidate& c) {
  if (c.league == league) return true;
  if (league == kF32Class) return c.league == kF32;
  return league == kBf16 && c.league == kTf32 && (c.part == Part::step || c.nhwc);
}

Sides sides_of(const Configuration& axes) {
  constexpr std::int64_t kFew = 16;
  if (part_of(axes) == Part::step) return Sides::many;
  const Conv s = conv_of(axes);
  const bool back = direction_of(axes) == Direction::dgrad;
  if ((back ? s.out : s.in) < kFew) return Sides::few_read;
  return (back ? s.in : s.out) < kFew ? Sides::few_made : Sides::many;
}

std::optional<double> expected_us(const Candidate& c, const Configuration& axes) {
  const bool step = c.part == Part::step;
  const Direction direction = step ? Direction::forward : direction_of(axes);
  const Sides sides = sides_of(axes);
  for (const PlannedSpeed& speed : kSpeeds) {
    if (std::string(c.row) != speed.row || direction != speed.direction || sides != speed.sides)
      continue;
    if (c.fits != nullptr && !c.fits(axes)) return std::nullopt;
    return speed.start_us + c.work(axes) / (1e6 * speed.tflops);
  }
  return std::nullopt;
}

// The shortest, and the next one.
struct Picked {
  const Candidate *first = nullptr, *second = nullptr;
  double first_us = 0, second_us = 0;
};
Picked picked_at(PickedLeague league, const Configuration& axes) {
  Picked p;
  for (const Candidate& c : kCandidates) {
    if (c.part != part_of(axes) || !may_pick(league, c)) continue;
    const std::optional<double> us = expected_us(c, axes);
    if (!us) continue;
    if (p.first == nullptr || *us < p.first_us) {
      p.second = p.first, p.second_us = p.first_us;
      p.first = &c, p.first_us = *us;
    } else if (p.second == nullptr || *us < p.second_us) {
      p.second = &c, p.second_us = *us;
    }
  }
  return p;
}

// What a league's rows say of themselves.
struct LeagueWords {
  PickedLeague league;
  const char *name, *suffix, *label;
  const char *of_conv, *of_step;  // the accuracy
  const char *conv_reference, *step_reference;
};
constexpr LeagueWords kLeagues[] = {
    {kF32, "fp32", "", "", "f32", "f32, chained", "direct", "direct"},
    {kF32Class, "fp32_tensor", "_fp32_tensor", ", FP32-class", "FP32-class, three TF32 products",
     "FP32-class, three TF32 products, chained", "direct_of_pick", "direct"},
    {kTf32, "tf32", "_tf32", ", TF32", "TF32 products", "TF32 products, chained",
     "direct_of_tf32_pick", "direct_tf32"},
    {kBf16, "bf16", "_bf16", ", bf16", "bf16 products", "bf16 products, chained", "direct_nhwc",
     "direct_bf16"},
};

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

std::string microseconds(double us) { return std::to_string(std::lround(us)) + " µs"; }

// A step has the tolerance of the row that it picks: all rows of a league have one reference.
Tolerance tolerance_of(PickedLeague league, const Variant& row, const Configuration& axes) {
  if (part_of(axes) == Part::step) return row.tolerance;
  constexpr Tolerance kOfTf32Factors = {.magnitude = 1e-3}, kOfBf16Factors = {.magnitude = 8e-3};
  return league == kTf32   ? kOfTf32Factors
         : league == kBf16 ? kOfBf16Factors
                           : tolerance_of_sums(axes);
}

// The work of the row that is picked.
template <typename RowAt, typename Own>
void charge_as_picked(Variant& v, const RowAt& row_at, const Own& own) {
  for (const char* term :
       {"model.flops", "model.executed_flops", "model.dram_bytes", "model.dram_read_bytes"}) {
    charge(v, term, [row_at, own, term = std::string(term)](const Workload& w) {
      const Workload at = own(w);
      for (const WorkTerm& t : work_terms()) {
        if (t.id == term) return evaluate(t, at, row_at(w.axes));
      }
      return std::optional<double>();
    });
  }
}

Variant automatic_row(const LeagueWords& words, Part part,
                      const std::shared_ptr<const std::map<std::string, Variant>>& rows,
                      const std::vector<Axis>& axes) {
  const PickedLeague league = words.league;
  const bool step = part == Part::step;
  // Where the part is another one, any: the row does not apply there.
  const auto row_at = [rows, league, part](const Configuration& c) -> const Variant& {
    return rows->at(part_of(c) == part ? picked_at(league, c).first->row
                                       : automatic_candidates(league, part).front());
  };
  const auto own = [axes, row_at](Workload w) {
    w.axes = for_variant(axes, w.axes, row_at(w.axes).name);
    return w;
  };
  const std::string name = std::string(step ? "step_auto" : "auto") + words.suffix;
  const std::string best = "best(" + listed(automatic_candidates(league, part)) + ")";
  const std::string fastest = "fastest(" + listed(automatic_candidates(league, part)) + ")";
  Variant v = part_variant(
      part, name, std::string(step ? "automatic step" : "automatic choice") + words.label,
      std::string("Picks one of these variants: the one that should be shortest at these axes, by "
                  "its planned arithmetic, a rate and a fixed start time. ") +
          listed(automatic_candidates(league, part)) + ".",
      "[[" + name + ".time.warm <= 1.03 * " + best +
          " => It is within 3 % of the fastest variant that it may pick here, {" + fastest +
          "}. | {" + fastest + "} takes {ratio(" + best + ", " + name +
          ".time.warm)} of its time here. || Compare it with the variants that it may pick.]] Move "
          "the batch until the choice changes. Compare the two variants there.",
      [row_at, own](const Workload& w) { return row_at(w.axes).steps(own(w)); });
  v.accuracy = step ? words.of_step : words.of_conv;
  v.league = words.name;
  v.reference = step ? words.step_reference : words.conv_reference;
  v.tolerance_at = [=](const Configuration& c) { return tolerance_of(league, row_at(c), c); };
  v.repeatable = false;  // as the library's, which may add up by atomics
  v.pipe_at = [row_at](const Configuration& c) {
    const Variant& row = row_at(c);
    return row.pipe_at ? row.pipe_at(c) : row.pipe;
  };
  charge_as_picked(v, row_at, own);
  v.constraints = {
      {"what the chosen variant needs", [row_at, own](const Workload& w, const DeviceLimits& d) {
         return unavailable(row_at(w.axes), own(w), d);
       }}};
  v.scratch = [row_at, own](const Workload& w) {
    const Variant& row = row_at(w.axes);
    return row.scratch ? row.scratch(own(w)) : Buffers{};
  };
  v.submission = [row_at](const Configuration& c) {
    const Variant& row = row_at(c);
    return row.submission ? row.submission(c) : Submission::stream;
  };
  v.choice = [row_at, league](const Workload& w) {
    const Picked p = picked_at(league, w.axes);
    std::string text = row_at(w.axes).label + ": " + p.first->row + " should take " +
                       microseconds(p.first_us) + " on an H200";
    if (p.second != nullptr)
      text += std::string(", ") + p.second->row + " " + microseconds(p.second_us);
    return text;
  };
  return v;
}

}  // namespace

std::vector<std::string> automatic_candidates(PickedLeague league, Part part) {
  std::vector<std::string> names;
  for (const Candidate& c : kCandidates) {
    if (c.part == part && may_pick(league, c)) names.emplace_back(c.row);
  }
  return names;
}

bool picks_nhwc(PickedLeague league, const Configuration& axes) {
  return picked_at(league, axes).first->nhwc;
}

std::vector<Variant> automatic_variants(const std::vector<Variant>& among,
                                        const std::vector<Axis>& axes) {
  auto rows = std::make_shared<std::map<std::string, Variant>>();
  for (const Variant& v : among) rows->emplace(v.name, v);
  std::vector<Variant> all;
  for (const Part part : {Part::conv, Part::step}) {
    for (const LeagueWords& words : kLeagues) all.push_back(automatic_row(words, part, rows, axes));
  }
  return all;
}

}  // namespace warpscope::autoencoder
