// scenes/esmm/axes.cpp: what can be varied in `esmm`.
#include "scenes/esmm/axes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/lists.h"
#include "scenes/esmm/tiles.h"
#include "scenes/esmm/words.h"

namespace warpscope::esmm {
namespace {

Axis size_axis(const char* name, const char* label, const char* unit, const char* description) {
  Axis axis = number_axis(name, label, unit, description, AxisKind::integer, AxisScale::log,
                          Binding::argument, 256, 16384, AxisValue(std::int64_t{4096}));
  axis.typed_minimum = 0;
  axis.typed_maximum = 1 << 20;
  axis.stops = {256, 512, 1024, 2048, 4096, 8192, 16384};
  if (axis.name != "m") axis.linked_to = "m";
  return axis;
}

bool drawn_by_density(const std::string& zeros) {
  return zeros == "blockwise" || zeros == "unstructured" || zeros == "zero_k_blocks" ||
         zeros == "relu_like";
}

Axis only_where(Axis axis, const char* decides, bool (*holds)(const std::string&)) {
  axis.applies = [decides, holds](const Configuration& c) { return holds(c.text(decides)); };
  return axis;
}

Axis density_axis(const char* name, const char* label, const char* description,
                  const char* decides) {
  Axis axis = number_axis(name, label, "ratio", description, AxisKind::real, AxisScale::linear,
                          Binding::input, 0, 1, 0.5);
  axis.stops = {0.125, 0.25, 0.5, 1};
  return only_where(std::move(axis), decides, drawn_by_density);
}

Result<void> eight_bits(std::string_view text) {
  const bool bits =
      std::all_of(text.begin(), text.end(), [](char c) { return c == '0' || c == '1'; });
  if (text.size() == 8 && bits) return {};
  return failure(ErrorKind::usage,
                 "a pattern has eight characters, each 0 or 1: " + std::string(text),
                 "pattern string", "write the eight k from left to right: 11110000");
}

Axis string_axis(const char* name, const char* label, const char* description, const char* decides,
                 bool (*holds)(const std::string&)) {
  Axis axis;
  axis.name = name;
  axis.label = label;
  axis.description = description;
  axis.kind = AxisKind::text;
  axis.binds = Binding::input;
  axis.default_value = std::string("11110000");
  axis.admit_text = eight_bits;
  return only_where(std::move(axis), decides, holds);
}

Axis group_axis(const char* name, const char* label, const char* description, const char* decides) {
  return only_where(choice_axis(name, label, description, {"32", "8", "64"}), decides,
                    [](const std::string& zeros) { return zeros == "blockwise"; });
}

bool is_file(const std::string& zeros) { return zeros == "file"; }

Axis file_axis(const char* name, const char* label, const char* decides) {
  Axis axis;
  axis.name = name;
  axis.label = label;
  axis.description = "A .npy, .mtx or raw f32 file; sizes follow it.";
  axis.kind = AxisKind::file;
  axis.takes = {".npy", ".mtx", ".raw", ".bin"};
  axis.binds = Binding::input;
  axis.default_value = std::string();
  return only_where(std::move(axis), decides, is_file);
}

Axis shape_axis(const char* name, const char* label, const char* decides) {
  Axis axis;
  axis.name = name;
  axis.label = label;
  axis.description = "Rows and columns of a file that is neither .npy nor .mtx.";
  axis.kind = AxisKind::list;
  axis.binds = Binding::input;
  axis.default_value = std::string("4096,4096");
  axis.typed_maximum = 1 << 20;
  axis.minimum_items = axis.maximum_items = 2;
  return only_where(std::move(axis), decides, is_file);
}

// An axis that means something where A or B is a file.
Axis of_files(Axis axis) {
  axis.applies = [](const Configuration& c) {
    return is_file(c.text("a_zeros")) || is_file(c.text("b_zeros"));
  };
  return axis;
}

}  // namespace

// Long: a table of axes, one after the other.
std::vector<Axis> axes() {
  Axis band = number_axis(
      "band", "band", "columns", "Elements of A are kept up to this distance from the diagonal.",
      AxisKind::integer, AxisScale::log, Binding::input, 1, 16384, AxisValue(std::int64_t{256}));
  band.typed_minimum = 0;
  Axis db =
      density_axis("db", "kept bits of B",
                   "The chance that a mask bit of B is set; follows dA until unlinked.", "b_zeros");
  db.linked_to = "da";
  Axis seed =
      number_axis("seed", "seed", "", "Random seed of A. That of B is one more.", AxisKind::integer,
                  AxisScale::linear, Binding::input, 0, 1e6, AxisValue(std::int64_t{12345}));
  seed.typed_maximum = 9007199254740990.0;  // 2^53 - 2: exact in a double, and so is one more
  Axis reuse = number_axis(
      "reuse", "products per preparation", "products",
      "How many products share one preparation of B. All of it is made before timing starts. Each "
      "timed call then repeats 1/reuse of it, which is the share that one product pays.",
      AxisKind::integer, AxisScale::log, Binding::launch_shape, 1, 256, AxisValue(std::int64_t{1}));
  reuse.stops = {1, 4, 16, 64, 256};
  reuse.typed_maximum = 1 << 20;
  reuse.applies = [](const Configuration& c) { return c.text("preprocessing") == "both_per_call"; };
  std::vector<Axis> all = {
      size_axis("m", "rows of A", "rows", "Rows of A and C (the batch size)."),
      size_axis("n", "columns of B", "columns", "Columns of B and C; follows m until unlinked."),
      size_axis("k", "depth", "k", "Columns of A and rows of B; follows m until unlinked."),
      density_axis("da", "kept bits of A", "The chance that a mask bit of A is set.", "a_zeros"),
      std::move(db),
      choice_axis("a_zeros", "zeros of A",
                  "Where A is zero: by random bits per row group, in a repeated pattern of eight "
                  "k, anywhere, in whole blocks of eight k, by random bits per eight rows, above "
                  "the diagonal, outside a band, or as in a file.",
                  {"blockwise", "column_pattern", "unstructured", "zero_k_blocks", "relu_like",
                   "causal", "banded", "file"}),
      choice_axis(
          "b_zeros", "zeros of B",
          "Where B is zero: by random bits per column group, in a repeated pattern of eight k or "
          "of eight columns, anywhere, in whole blocks of eight k, or as in a file.",
          {"blockwise", "column_pattern", "pattern_along_n", "unstructured", "zero_k_blocks",
           "file"}),
      file_axis("a_file", "file of A", "a_zeros"),
      shape_axis("a_raw_shape", "shape of a raw A", "a_zeros"),
      file_axis("b_file", "file of B", "b_zeros"),
      shape_axis("b_raw_shape", "shape of a raw B", "b_zeros"),
      of_files(choice_axis("complex_as", "complex values",
                           "How a complex value of a Matrix Market file is read.",
                           {"refuse", "real part", "magnitude"})),
      of_files(
          choice_axis("pad", "whole tiles",
                      "Pads files with zeros: M and N to multiples of 128, K to a multiple of 8.",
                      {"off", "on"})),
      string_axis("a_string", "pattern of A", "Which of eight k are kept in every row of A.",
                  "a_zeros", [](const std::string& zeros) { return zeros == "column_pattern"; }),
      string_axis("b_string", "pattern of B",
                  "Which of eight k, or of eight columns, are kept in B.", "b_zeros",
                  [](const std::string& zeros) {
                    return zeros == "column_pattern" || zeros == "pattern_along_n";
                  }),
      group_axis("a_bit_rows", "rows per bit", "Rows of A that share a random bit.", "a_zeros"),
      group_axis("b_bit_columns", "columns per bit", "Columns of B that share a random bit.",
                 "b_zeros"),
      only_where(std::move(band), "a_zeros",
                 [](const std::string& zeros) { return zeros == "banded"; }),
      choice_axis(
          "values", "values",
          "Values of the nonzeros: ±(i + f/100) with i and f in 0 … 4, as published, or N(0, 1).",
          {"origin", "normal"}),
      choice_axis("preprocessing", "preprocessing",
                  "When masks are made: all in every call, B's before timing (B holds weights), or "
                  "all before.",
                  {"both_per_call", "b_prepared", "both_prepared"}, Binding::launch_shape),
      std::move(reuse),
      choice_axis("broken", "show broken variants",
                  "Also lists kernels that are wrong on purpose, to show why they fail.",
                  {"off", "on"}, Binding::launch_shape),
      std::move(seed),
  };
  for (Axis& axis : tile_axes()) all.push_back(std::move(axis));
  Axis form =
      choice_axis("ab_form", "form",
                  "How a lane uses its own mask byte of B: a test, a conditional load, the bit as "
                  "a factor, the whole warp's bits first, or a search in its list.",
                  {"flat", "conditional_load", "inline_multiply", "hierarchical", "offset_lists"},
                  Binding::compile_time);
  form.of_variants = {"ab_fine"};
  Axis group = choice_axis("a_group", "rows per byte", "Rows of A that one mask byte covers.",
                           {"8", "32", "64"}, Binding::compile_time);
  group.of_variants = {"joint_granularity"};
  Axis side = choice_axis("block_side", "block side",
                          "Rows and columns of the blocks that cuSPARSE stores or leaves out.",
                          {"8", "16", "32"}, Binding::launch_shape);
  side.of_variants = {"cusparse_bsr", "cusparse_blocked_ell"};
  all.push_back(std::move(side));
  all.push_back(std::move(form));
  all.push_back(std::move(group));
  for (Axis& axis : list_axes()) all.push_back(std::move(axis));
  for (Axis& axis : word_axes()) all.push_back(std::move(axis));
  return all;
}

std::vector<Preset> presets() {
  const auto blockwise = [](const char* name, const char* sentence, const char* density) {
    return Preset{name,
                  sentence,
                  {{"m", "4096"},
                   {"n", "4096"},
                   {"k", "4096"},
                   {"da", density},
                   {"db", density},
                   {"a_zeros", "blockwise"},
                   {"b_zeros", "blockwise"}}};
  };
  return {
      blockwise("4096³ · d .5 (default)",
                "A mask bit is set with chance ½ in each operand, so with ¼ in both.", "0.5"),
      blockwise("4096³ · d .25", "A sixteenth of the products is left.", "0.25"),
      blockwise("4096³ · d .125",
                "One product in 64 is left, but all of A and B must still be read.", "0.125"),
      blockwise("4096³ · dense",
                "All bits are set: shows what skipping costs if nothing can be skipped.", "1"),
      {"column pattern 11110000",
       "The same four of eight k in every row of A and column of B: the published input.",
       {{"m", "4096"},
        {"n", "4096"},
        {"k", "4096"},
        {"a_zeros", "column_pattern"},
        {"b_zeros", "column_pattern"},
        {"a_string", "11110000"},
        {"b_string", "11110000"}}},
      {"unstructured, 62.5 % kept",
       "Zeros anywhere: among 32 rows, practically every k has a nonzero.",
       {{"m", "4096"}, {"n", "4096"}, {"k", "4096"}, {"a_zeros", "unstructured"}, {"da", "0.625"}}},
  };
}

Result<void> admit(const Configuration& axes) {
  constexpr std::int64_t kMostElements = 4'000'000'000;  // 16 GB of host memory
  const Shape s = shape_of(axes);
  for (const auto& [name, rows, columns, which] : {std::tuple("A", s.m, s.k, "axes m and k"),
                                                   {"B", s.k, s.n, "axes k and n"},
                                                   {"C", s.m, s.n, "axes m and n"}}) {
    if (rows == 0 || columns <= kMostElements / rows) continue;
    return failure(ErrorKind::usage,
                   std::string(name) + " would have " + std::to_string(rows) + " × " +
                       std::to_string(columns) + " elements",
                   which, "lower them until it has at most " + std::to_string(kMostElements));
  }
  return {};
}

}  // namespace warpscope::esmm
