// scenes/esmm/inputs/operands.cpp: the elements of A and B: where zeros lie, and the values between
// them.
#include "scenes/esmm/inputs/operands.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "scenes/esmm/inputs/matrix_files.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/host/random.h"

namespace warpscope::esmm {
namespace {

enum Stream : std::uint32_t { kValues = 31, kKept };

constexpr std::int64_t kReluRows = 8;  // rows of A that share a mask

// Random words by index, four of which share a block of bits.
class Words {
 public:
  Words(std::uint64_t seed, std::uint32_t stream) : stream_(seed, stream) {}
  std::uint32_t at(std::int64_t index) {
    const std::int64_t block = index / kWords;
    if (block != block_) {
      block_ = block;
      words_ = stream_.words(static_cast<std::uint64_t>(block));
    }
    return words_[static_cast<std::size_t>(index % kWords)];
  }
  // True with chance `density`; always at 1, never at 0.
  bool below(std::int64_t index, double density) {
    return static_cast<double>(at(index)) * 0x1.0p-32 < density;
  }

 private:
  static constexpr std::int64_t kWords = 4;
  RandomStream stream_;
  std::int64_t block_ = -1;
  std::array<std::uint32_t, kWords> words_{};
};

// ±(i + f / 100), i and f uniform in 0 … 4: one of 25 magnitudes is 0.
float origin_value(std::uint32_t word) {
  constexpr std::uint32_t kDigits = 5;
  const std::uint32_t whole = (word & 0xFFFF) * kDigits >> 16;
  const std::uint32_t part = (word >> 16 & 0x7FFF) * kDigits >> 15;
  const auto magnitude = static_cast<float>(whole + part / 100.0);
  return (word >> 31) != 0 ? -magnitude : magnitude;
}

// Calls then(keeps) with the operand's rule: keeps(row, column) says whether that element is kept.
// A function a rule, so that the loop over elements is compiled for each.
template <typename Then>
void with_rule(const Operand& o, Words& words, const Then& then) {
  const std::int64_t group = o.bit_group, columns = o.columns;
  const double density = o.density;
  if (o.zeros == "blockwise" && o.k_along_rows) {
    then([&](std::int64_t row, std::int64_t column) {
      return words.below(row / group * columns + column, density);
    });
  } else if (o.zeros == "blockwise") {
    then([&, groups = ceil_divide(columns, group)](std::int64_t row, std::int64_t column) {
      return words.below(row * groups + column / group, density);
    });
  } else if (o.zeros == "unstructured") {
    then([&](std::int64_t row, std::int64_t column) {
      return words.below(row * columns + column, density);
    });
  } else if (o.zeros == "zero_k_blocks") {
    then([&](std::int64_t row, std::int64_t column) {
      return words.below((o.k_along_rows ? column : row) / kByteSteps, density);
    });
  } else if (o.zeros == "relu_like") {
    then([&](std::int64_t row, std::int64_t column) {
      return words.below(row / kReluRows * columns + column, density);
    });
  } else if (o.zeros == "causal") {
    then([](std::int64_t row, std::int64_t column) { return column <= row; });
  } else if (o.zeros == "banded") {
    then([&](std::int64_t row, std::int64_t column) { return std::abs(row - column) <= o.band; });
  } else {
    const bool by_column = o.k_along_rows || o.zeros == "pattern_along_n";
    then([&, by_column](std::int64_t row, std::int64_t column) {
      return o.pattern[static_cast<std::size_t>((by_column ? column : row) % kByteSteps)] == '1';
    });
  }
}

Result<void> generate(const Operand& operand, Inputs& inputs, Facts& facts) {
  const std::string inexact = operand.name + "_inexact";
  facts.erase(inexact);
  if (operand.drawn()) {
    inputs.erase(operand.name);
    return {};
  }
  const Result<FileMatrix> matrix = load_matrix(operand);
  if (!matrix) return tl::unexpected(matrix.error());
  facts[inexact] = static_cast<double>(matrix->inexact);
  inputs[operand.name] = HostArray::of<float>(matrix->values);
  return {};
}

// What both operands take from axes of their own names.
Operand operand(const Configuration& axes, std::string name) {
  Operand o;
  o.zeros = axes.text(name + "_zeros");
  o.density = axes.real("d" + name);
  o.pattern = axes.text(name + "_string");
  o.normal = axes.text("values") == "normal";
  o.complex_as = axes.text("complex_as");
  o.file = axes.text(name + "_file");
  const std::vector<double> raw = axes.list(name + "_raw_shape");
  o.raw_rows = static_cast<std::int64_t>(raw.at(0));
  o.raw_columns = static_cast<std::int64_t>(raw.at(1));
  o.name = std::move(name);
  return o;
}

}  // namespace

Operand operand_a(const Configuration& axes) {
  const Shape s = shape_of(axes);
  Operand o = operand(axes, "a");
  o.rows = s.m;
  o.columns = s.k;
  o.bit_group = std::stoll(axes.text("a_bit_rows"));
  o.band = axes.integer("band");
  o.seed = static_cast<std::uint64_t>(axes.integer("seed"));
  return o;
}

Operand operand_b(const Configuration& axes) {
  const Shape s = shape_of(axes);
  Operand o = operand(axes, "b");
  o.k_along_rows = false;
  o.rows = s.k;
  o.columns = s.n;
  o.bit_group = std::stoll(axes.text("b_bit_columns"));
  o.seed = static_cast<std::uint64_t>(axes.integer("seed")) + 1;
  return o;
}

bool from_file(const Configuration& axes, const std::string& array) {
  return axes.text(array + "_zeros") == "file";
}

Operand operand_of(const Configuration& axes, const std::string& array) {
  return array == "a" ? operand_a(axes) : operand_b(axes);
}

void draw(const Operand& o, std::int64_t first, std::span<float> to) {
  if (o.columns == 0) return;
  Words values(o.seed, kValues), kept(o.seed, kKept);
  const RandomStream normal(o.seed, kValues);
  with_rule(o, kept, [&](const auto& keeps) {
    std::int64_t row = first / o.columns, column = first % o.columns, i = first;
    for (float& value : to) {
      value = !keeps(row, column) ? 0.0f
              : o.normal          ? static_cast<float>(normal.normal(static_cast<std::uint64_t>(i)))
                                  : origin_value(values.at(i));
      ++i;
      if (++column == o.columns) column = 0, ++row;
    }
  });
}

void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes) {
  draw(operand_of(w.axes, array), first, elements_in<float>(bytes));
}

bool is_drawn(const Workload& w, const std::string& array) { return !from_file(w.axes, array); }

Result<void> generate_a(const Configuration& axes, Inputs& inputs, Facts& facts) {
  return generate(operand_a(axes), inputs, facts);
}
Result<void> generate_b(const Configuration& axes, Inputs& inputs, Facts& facts) {
  return generate(operand_b(axes), inputs, facts);
}

}  // namespace warpscope::esmm
