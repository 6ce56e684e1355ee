// scenes/autoencoder/tables/beyond_tables.cpp: tables of what goes beyond the published levels:
// whole steps by layer, and convolutions compared with a library's.
#include <utility>

#include "scenes/autoencoder/shapes.h"
#include "scenes/autoencoder/tables/seed_tables.h"

namespace warpscope::autoencoder {
namespace {

struct StepColumn {
  const char *title, *row;
};
constexpr StepColumn kStepColumns[] = {{"cuDNN, FP32", "step_cudnn_fp32"},
                                       {"fused, FP32", "step_fused_fp32"},
                                       {"fused, FP32, Winograd", "step_fused_winograd"},
                                       {"cuDNN, TF32", "step_cudnn_tf32"},
                                       {"cuDNN, TF32, NHWC", "step_cudnn_tf32_nhwc"},
                                       {"fused, 3×TF32", "step_fused_tf32x3"},
                                       {"fused, TF32", "step_fused_tf32"},
                                       {"fused, bf16", "step_fused_bf16"}};

// Those on tensor cores, whose graph has a second branch.
bool has_branches(const StepColumn& column) {
  const std::string name = column.row;
  return name.find("fused_tf32") != std::string::npos || name == "step_fused_bf16";
}

struct LayerPhase {
  std::string layer;
  Direction direction;
};
const char* name_of(Direction direction) {
  return direction == Direction::forward ? "forward"
         : direction == Direction::dgrad ? "dgrad"
                                         : "wgrad";
}
// The convolutions of a step: nobody asks for the gradient of the image.
std::vector<LayerPhase> convolutions_of_step() {
  std::vector<LayerPhase> all;
  for (const std::string& layer : conv_layers()) {
    for (const Direction direction : {Direction::forward, Direction::dgrad, Direction::wgrad}) {
      if (layer != "Conv1" || direction != Direction::dgrad) all.push_back({layer, direction});
    }
  }
  return all;
}
std::string title_of(const LayerPhase& p) { return p.layer + " " + name_of(p.direction); }

ArticleTable steps_by_layer() {
  ArticleTable table{
      "Beyond the article: a training step by layer and phase, 64 images",
      "Each kernel of the variant alone, warm; those of a layer and phase are added up. If a "
      "variant's graph has two branches, they run as a chain (branches=off), so that no kernels "
      "overlap; the whole step has both. Fused operators are counted with the convolution: bias, "
      "ReLU, pools and their gradients. Upsamplings are folded into the layers after them. Planned "
      "arithmetic: the products before tiles are padded. Executed arithmetic: what tensor cores "
      "execute.",
      {"layer and phase"},
      {}};
  for (const StepColumn& column : kStepColumns) table.header.emplace_back(column.title);
  const auto row_at = [&](const std::string& title, const std::string& figure, bool alone) {
    std::vector<std::string> cells = {title};
    for (const StepColumn& column : kStepColumns) {
      const std::string at = alone && has_branches(column) ? ",branches=off." : ".";
      cells.push_back("{" + std::string(column.row) + "@part=step" + at + figure + "}");
    }
    table.rows.push_back(std::move(cells));
  };
  const auto row = [&](const std::string& title, const std::string& figure) {
    row_at(title, figure, false);
  };
  for (const LayerPhase& p : convolutions_of_step())
    row_at(title_of(p), "layer." + p.layer + ".phase." + name_of(p.direction) + ".time", true);
  row_at("loss and its gradient", "layer.loss.time", true);
  row_at("the whole step as a chain", "time.warm", true);
  row("the whole step", "time.warm");
  row("its launches, copies and calls", "steps.count");
  row("planned arithmetic", "model.flops");
  row("device memory", "model.peak_bytes");
  std::vector<std::string> executed = {"executed arithmetic"};
  for (const StepColumn& column : kStepColumns) {
    executed.push_back(has_branches(column)
                           ? "{" + std::string(column.row) + "@part=step.model.executed_flops}"
                           : "as planned");
  }
  table.rows.push_back(std::move(executed));
  return table;
}

// The time of one of these rows, the shortest of them, at a layer and direction.
std::string shortest(const std::vector<std::string>& rows, const LayerPhase& p) {
  const auto time = [&p](const std::string& row) {
    return row + "@layer=" + p.layer + ",direction=" + name_of(p.direction) + ".time.warm";
  };
  std::string all = time(rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) all = "min(" + all + ", " + time(rows[i]) + ")";
  return all;
}

std::vector<std::string> ours_of_f32(const LayerPhase& p) {
  const bool back = p.direction == Direction::dgrad;
  if (!back && p.layer == "Conv4") return {"upsample_folded", "winograd_folded"};
  if (!back && p.layer == "Conv5") return {"upsample_folded"};
  const char* const tiles =
      p.direction == Direction::wgrad ? "wgrad_register_tiles" : "register_tiles";
  if (p.layer == "Conv1" || p.layer == "Conv5") return {tiles};
  return {tiles, "winograd_2x2", "winograd_4x4"};
}
std::vector<std::string> of_library(const LayerPhase& p, const std::string& type) {
  return {(p.direction == Direction::forward ? "cudnn_fused_" : "cudnn_") + type};
}

// "1.31 times as fast", or by how much it loses.
std::string against(const std::string& ours, const std::string& library) {
  const std::string won = "{ratio(" + library + ", " + ours + ")} times as fast";
  return "[[ratio(" + ours + ", " + library + ") <= 1.1 => " + won + " | ratio(" + ours + ", " +
         library + ") > 1.1 => loses: {ratio(" + ours + ", " + library +
         ")} times its time || {ratio(" + library + ", " + ours + ")}]]";
}

struct Against {
  std::string ours, library;
};
Against against_at(const LayerPhase& p, bool tf32) {
  return tf32 ? Against{shortest({"implicit_gemm_tf32"}, p), shortest(of_library(p, "tf32"), p)}
              : Against{shortest(ours_of_f32(p), p), shortest(of_library(p, "fp32"), p)};
}

ArticleTable convolutions_beside_library() {
  ArticleTable table{
      "Our convolutions against cuDNN, 64 images",
      "Warm times of one layer and direction alone. Ours in FP32 is the shortest of these: "
      "register_tiles or wgrad_register_tiles; at Conv2 to Conv4 also winograd_2x2 and "
      "winograd_4x4, the latter with ten times the error bound; after an upsampling, forward and "
      "wgrad, upsample_folded, and at Conv4 winograd_folded, which read the small map. Ours in "
      "TF32: implicit_gemm_tf32, with NHWC maps. cuDNN: cudnn_fused forward, cudnn backward, with "
      "the algorithm that its search puts first, with just FMAs or with TF32 allowed.",
      {"layer and direction", "ours, FP32", "cuDNN, FP32", "FP32 against cuDNN", "ours, 3×TF32",
       "ours, TF32", "cuDNN, TF32", "TF32 against cuDNN", "ours, bf16"},
      {}};
  for (const LayerPhase& p : convolutions_of_step()) {
    const Against f32 = against_at(p, false), tf32 = against_at(p, true);
    const auto figure = [](const std::string& expression) { return "{" + expression + "}"; };
    table.rows.push_back(
        {title_of(p), figure(f32.ours), figure(f32.library), against(f32.ours, f32.library),
         figure(shortest({"implicit_gemm_tf32x3"}, p)), figure(tf32.ours), figure(tf32.library),
         against(tf32.ours, tf32.library), figure(shortest({"implicit_gemm_bf16"}, p))});
  }
  return table;
}

ArticleTable losses_to_library() {
  ArticleTable table{
      "Where cuDNN is more than 10 % ahead of our convolutions",
      "From the table above: a layer and direction, and how many times cuDNN's time ours takes.",
      {"products", "losses", "all known"},
      {}};
  for (const bool tf32 : {false, true}) {
    std::string losses, any, known;
    for (const LayerPhase& p : convolutions_of_step()) {
      const Against a = against_at(p, tf32);
      const std::string ratio = "ratio(" + a.ours + ", " + a.library + ")";
      losses += "[[" + ratio + " > 1.1 => " + title_of(p) + " {" + ratio + "} times; | || ]]";
      any += (any.empty() ? "" : " or ") + ratio + " > 1.1";
      known += (known.empty() ? "" : " and ") + ratio + " > 0";
    }
    table.rows.push_back({tf32 ? "TF32" : "FP32",
                          "[[" + any + " => At: | None. || Not all are known.]] " + losses,
                          "[[" + known + " => yes | no || no: {why}]]"});
  }
  return table;
}

}  // namespace

std::vector<ArticleTable> beyond_tables() {
  return {steps_by_layer(), convolutions_beside_library(), losses_to_library()};
}

}  // namespace warpscope::autoencoder
