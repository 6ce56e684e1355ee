// scenes/autoencoder/tables/traffic_tables.cpp: the article's tables of bytes, by formula and
// counted.
#include <cstdio>
#include <utility>

#include "scenes/autoencoder/axes.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/autoencoder/step/step.h"
#include "scenes/autoencoder/steps/steps.h"
#include "scenes/autoencoder/tables/seed_tables.h"

namespace warpscope::autoencoder {
namespace {

Configuration at_layer(const std::string& layer) {
  Configuration at = default_configuration(axes());
  at.set("layer", layer);
  return at;
}

// Bytes of one layer forward, each array once.
struct LayerBytes {
  double in, parameters, out, columns;
};
LayerBytes bytes_of(const std::string& layer) {
  const Conv s = conv_named(default_configuration(axes()), layer);
  const auto bytes = [](std::int64_t values) {
    return static_cast<double>(values * element_bytes(ElementType::f32));
  };
  return {bytes(s.in_values()), bytes(s.weights() + s.out), bytes(s.out_values()),
          bytes(s.column_values())};
}

// "counted 64.78", or why there is no such figure. `bytes`: an expression of claim.h.
std::string counted(const std::string& bytes) {
  const std::string figure = "{" + bytes + " / 1 MiB}";
  return "[[" + bytes + " >= 0 B => counted " + figure + " || " + figure + "]]";
}
std::string both_ways(const std::string& point) {
  return "(" + point + ".dram.bytes_read + " + point + ".dram.bytes_write)";
}

std::vector<std::string> version_row(const std::string& title, const std::string& variant,
                                     double read, double written, const std::string& composition) {
  const auto both = [](double modelled, const std::string& figure) {
    return "modelled " + mib_text(modelled) + " · " + figure;
  };
  return {title, both(read, counted(variant + ".dram.bytes_read")),
          both(written, counted(variant + ".dram.bytes_write")),
          both(read + written, counted(both_ways(variant))), composition};
}

ArticleTable traffic_of_conv1() {
  const LayerBytes b = bytes_of("Conv1");
  const std::string out = mib_text(b.out), columns = mib_text(b.columns);
  ArticleTable table{"Memory traffic of Conv1 forward with ReLU, 64 images, in MiB",
                     "The article divides by 1024² and calls it MB. Modelled: every array that a "
                     "kernel reads or writes passes DRAM once. Counted: dram.bytes_read and "
                     "dram.bytes_write of all kernels, with what L2 kept from the previous run.",
                     {"version", "read", "write", "total", "composition"},
                     {}};
  table.rows.push_back({"the article's formula, convolution alone", mib_text(b.in + b.parameters),
                        out, mib_text(b.in + b.parameters + b.out),
                        "input " + mib_text(b.in) + ", weights and bias " + mib_text(b.parameters) +
                            ", output " + out});
  table.rows.push_back(
      version_row("Naive", "naive_nhwc", b.in + b.parameters + b.out, 2 * b.out,
                  "the ReLU in a separate kernel reads " + out + " again and writes them again"));
  table.rows.push_back(
      version_row("Opt v1", "nchw_grid2d", b.in + b.parameters, b.out, "the ReLU is fused"));
  const std::string by_columns = "im2col " + mib_text(b.in) + " → " + columns + ", product " +
                                 mib_text(b.columns + b.parameters) + " → " + out +
                                 ", bias and ReLU in place " + out + " → " + out;
  for (const auto& [title, variant] :
       {std::pair("Opt v2", "im2col_cublas_loop"),
        {"Opt v2 as shipped, one batched product", "im2col_cublas_strided"}})
    table.rows.push_back(version_row(title, variant, b.in + b.columns + b.parameters + b.out,
                                     b.columns + 2 * b.out, by_columns));
  return table;
}

ArticleTable traffic_of_layers() {
  ArticleTable table{"The traffic formula of all five layers, forward, in MiB",
                     "Formula: 4·(N·S²·(Cin + Cout) + 9·Cin·Cout + Cout) bytes, with N = 64 "
                     "images. Counted: DRAM bytes read and written by all kernels of the layer.",
                     {"layer", "input", "weights and bias", "output", "total by the formula"},
                     {}};
  for (const SeedLevel& level : seed_levels()) table.header.push_back(level.title);
  for (const std::string& layer : conv_layers()) {
    const LayerBytes b = bytes_of(layer);
    std::vector<std::string> row = {layer, mib_text(b.in), mib_text(b.parameters), mib_text(b.out),
                                    mib_text(b.in + b.parameters + b.out)};
    for (const SeedLevel& level : seed_levels())
      row.push_back(counted(both_ways(level.layer + "@layer=" + layer)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ArticleTable workspace() {
  ArticleTable table{"im2col workspace, 64 images, in MiB",
                     "The article says: measure on your hardware. Formula: N·Cin·9·S²·4 bytes. "
                     "Allocated: the scratch memory of im2col_cublas_loop. A whole step keeps one "
                     "buffer, as large as its widest layer needs.",
                     {"layer", "formula", "allocated", "columns of a measured run"},
                     {}};
  for (const std::string& layer : conv_layers()) {
    const LayerBytes b = bytes_of(layer);
    table.rows.push_back(
        {layer, mib_text(b.columns),
         mib_text(static_cast<double>(buffer_bytes(im2col_scratch({at_layer(layer), {}})))),
         "{im2col_cublas_loop@layer=" + layer + ".model.column_bytes / 1 MiB}"});
  }
  return table;
}

ArticleTable step_memory() {
  ArticleTable table{"Device memory of a whole step, 64 images, in MiB",
                     "Kept between its kernels: maps, gradients of maps and columns, all to the "
                     "end. In all: also images, parameters in both layouts and their gradients. By "
                     "the driver: also the workspaces of libraries, in whole pages.",
                     {"version", "kept between its steps", "in all", "by the driver"},
                     {}};
  struct Row {
    const char *title, *variant;
    Level level;
  };
  const Row rows[] = {{"Naive", "step_naive", naive_level()},
                      {"Opt v1", "step_nchw", nchw_level()},
                      {"Opt v2", "step_im2col_loop", im2col_level(false)},
                      {"Opt v2 as shipped", "step_im2col_strided", im2col_level(true)},
                      {"cuDNN, FP32", "step_cudnn_fp32", cudnn_level({})},
                      {"cuDNN, TF32", "step_cudnn_tf32", cudnn_level({.tf32 = true})},
                      {"cuDNN, TF32, channels innermost", "step_cudnn_tf32_nhwc",
                       cudnn_level({.tf32 = true, .channels_innermost = true})}};
  Configuration at = default_configuration(axes());
  at.set("part", "step");
  for (const Row& row : rows) {
    const std::string of_step = std::string("{") + row.variant + "@part=step.";
    table.rows.push_back(
        {row.title, mib_text(static_cast<double>(buffer_bytes(step_scratch({at, {}}, row.level)))),
         of_step + "model.peak_bytes / 1 MiB}", of_step + "memory.device / 1 MiB}"});
  }
  return table;
}

}  // namespace

std::string mib_text(double bytes) {
  const double mib = bytes / kBytesOfMib;
  char text[32];
  std::snprintf(text, sizeof text, mib < 0.1 ? "%.3f" : "%.2f", mib);
  return text;
}

const std::vector<SeedLevel>& seed_levels() {
  static const std::vector<SeedLevel> levels = {
      {"Naive", "naive_nhwc", "step_naive", "", ""},
      {"Opt v1", "nchw_grid2d", "step_nchw", "pool_scatter", "upsample_pixels"},
      {"Opt v2", "im2col_cublas_loop", "step_im2col_loop", "pool_scatter", "upsample_pixels"}};
  return levels;
}

std::vector<ArticleTable> traffic_tables() {
  return {traffic_of_conv1(), traffic_of_layers(), workspace(), step_memory()};
}

}  // namespace warpscope::autoencoder
