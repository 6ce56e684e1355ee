// scenes/esmm/inputs/pattern_counts.cpp: what the patterns of a run hold, counted on the host from
// its values.
#include "scenes/esmm/inputs/pattern_counts.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "scenes/esmm/inputs/matrix_files.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/host/parallel.h"

namespace warpscope::esmm {
namespace {

constexpr std::int64_t kFinest = 8;
constexpr std::int64_t kInstructionRows = 128;  // and columns, of a block of bf16_wgmma
constexpr std::int64_t kSmallestPiece = 1;

// A row of the operand at a time, in any order; those of one k-block, or group, on one thread.
template <typename Take>
void for_each_row(const Operand& o, std::span<const float> stored, Take take) {
  parallel_for(
      ceil_divide(o.rows, kFinest), kSmallestPiece, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> values(static_cast<std::size_t>(o.columns));
        for (std::int64_t row = begin * kFinest; row < std::min(o.rows, end * kFinest); ++row) {
          if (o.drawn()) {
            draw(o, row * o.columns, values);
          } else {
            const auto from = stored.subspan(static_cast<std::size_t>(row * o.columns));
            std::copy_n(from.begin(), values.size(), values.begin());
          }
          take(row, std::span<const float>(values));
        }
      });
}

std::int64_t set_bits(const Pattern& pattern) {
  return std::accumulate(
      pattern.bytes.begin(), pattern.bytes.end(), std::int64_t{0},
      [](std::int64_t sum, std::uint8_t byte) { return sum + std::popcount(byte); });
}

std::int64_t set_bytes(const Pattern& pattern) {
  return std::count_if(pattern.bytes.begin(), pattern.bytes.end(),
                       [](std::uint8_t byte) { return byte != 0; });
}

// How many runs of `blocks` neighbouring bytes share a bit, over all pairs of groups.
std::int64_t joint_blocks(const Pattern& a, const Pattern& b, std::int64_t blocks = 1) {
  std::int64_t count = 0;
  for (std::int64_t r = 0; r < a.groups; ++r) {
    for (std::int64_t c = 0; c < b.groups; ++c) {
      for (std::int64_t first = 0; first < a.k_blocks; first += blocks) {
        int any = 0;
        for (std::int64_t block = first; block < std::min(first + blocks, a.k_blocks); ++block)
          any |= a.at(r, block) & b.at(c, block);
        count += any != 0 ? 1 : 0;
      }
    }
  }
  return count;
}

// A drawn matrix of zeros, where that happens by chance once in a billion.
bool must_have_nonzeros(const Operand& o) {
  if (!o.drawn() || o.elements() == 0) return false;
  if (o.zeros == "causal" || o.zeros == "banded") return o.elements() > 1000;
  if (o.zeros == "column_pattern" || o.zeros == "pattern_along_n")
    return o.pattern.find('1') != std::string::npos && o.elements() > 1000;
  const double draws = o.zeros == "zero_k_blocks"
                           ? static_cast<double>(o.elements()) / static_cast<double>(8 * o.columns)
                           : static_cast<double>(o.elements()) / 4096;
  return draws * std::log1p(-std::min(o.density, 0.999999)) < std::log(1e-9);
}

// Square blocks of A with a nonzero: all, and in a row of blocks at most.
void count_square_blocks(const Pattern& finest, Facts& facts) {
  for (const std::int64_t side : {8, 16, 32}) {
    const std::int64_t times = side / kFinest;
    const Pattern rows = joined(finest, times);
    std::int64_t all = 0, most = 0;
    for (std::int64_t g = 0; g < rows.groups; ++g) {
      std::int64_t of_row = 0;
      for (std::int64_t first = 0; first < rows.k_blocks; first += times) {
        std::uint8_t any = 0;
        for (std::int64_t i = first; i < std::min(rows.k_blocks, first + times); ++i)
          any |= rows.at(g, i);
        of_row += any != 0 ? 1 : 0;
      }
      all += of_row;
      most = std::max(most, of_row);
    }
    facts[group_fact("a_sparse_blocks", side)] = static_cast<double>(all);
    facts[group_fact("a_most_blocks", side)] = static_cast<double>(most);
  }
}

constexpr std::int64_t kDrawnSteps = 128, kDrawnGroups = 32;

// Whether the groups of 32 that are drawn have the bit of each k that is: [group][k].
std::vector<bool> drawn_bits(const Operand& o) {
  std::vector<bool> bits(static_cast<std::size_t>(kDrawnGroups * kDrawnSteps), false);
  FileMatrix file;
  if (!o.drawn()) {
    Result<FileMatrix> loaded = load_matrix(o);
    if (!loaded) return bits;
    file = std::move(*loaded);
  }
  const std::int64_t lines = kDrawnGroups * kGroup;
  const std::int64_t rows = std::min(o.rows, o.k_along_rows ? lines : kDrawnSteps);
  const std::int64_t columns = std::min(o.columns, o.k_along_rows ? kDrawnSteps : lines);
  std::vector<float> values(static_cast<std::size_t>(columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    if (o.drawn()) {
      draw(o, row * o.columns, values);
    } else {
      std::copy_n(file.values.begin() + row * o.columns, columns, values.begin());
    }
    for (std::int64_t column = 0; column < columns; ++column) {
      if (!(values[static_cast<std::size_t>(column)] != 0.0f)) continue;
      const std::int64_t k = o.k_along_rows ? column : row;
      const std::int64_t group = (o.k_along_rows ? row : column) / kGroup;
      bits[static_cast<std::size_t>(group * kDrawnSteps + k)] = true;
    }
  }
  return bits;
}

}  // namespace

Raster pattern_picture(const Workload& w) {
  constexpr std::uint8_t kZero = 235, kSet = 40, kJoint = 110;
  constexpr std::int64_t kGap = 2;  // pixels between the parts
  const std::vector<bool> a = drawn_bits(operand_a(w.axes)), b = drawn_bits(operand_b(w.axes));
  Raster raster;
  raster.width = static_cast<int>(kDrawnSteps);
  raster.height = static_cast<int>(3 * kDrawnGroups + 2 * kGap);
  raster.rgb.assign(std::size_t{3} * static_cast<std::size_t>(raster.width) *
                        static_cast<std::size_t>(raster.height),
                    255);
  const auto paint = [&raster](std::int64_t part, std::size_t bit, std::uint8_t level) {
    const auto top = static_cast<std::size_t>(part * (kDrawnGroups + kGap) * kDrawnSteps);
    std::fill_n(raster.rgb.begin() + static_cast<std::ptrdiff_t>(3 * (top + bit)), 3, level);
  };
  for (std::size_t bit = 0; bit < a.size(); ++bit) {
    paint(0, bit, a[bit] ? kSet : kZero);
    paint(1, bit, a[bit] && b[bit] ? kJoint : kZero);
    paint(2, bit, b[bit] ? kSet : kZero);
  }
  return raster;
}

Result<Pattern> pattern_of(const Operand& o, std::int64_t* nonzeros) {
  Pattern p;
  p.group = kFinest;
  p.groups = ceil_divide(o.k_along_rows ? o.rows : o.columns, kFinest);
  p.k_blocks = ceil_divide(o.k_along_rows ? o.columns : o.rows, kByteSteps);
  p.bytes.assign(static_cast<std::size_t>(p.groups * p.k_blocks), 0);
  FileMatrix file;
  if (!o.drawn()) {
    Result<FileMatrix> loaded = load_matrix(o);
    if (!loaded) return tl::unexpected(loaded.error());
    file = std::move(*loaded);
  }
  std::atomic<std::int64_t> all = 0;
  for_each_row(o, file.values, [&](std::int64_t row, std::span<const float> values) {
    std::int64_t of_row = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(values[i] != 0.0f)) continue;
      ++of_row;
      const auto column = static_cast<std::int64_t>(i);
      const std::int64_t k = o.k_along_rows ? column : row;
      const std::int64_t group = (o.k_along_rows ? row : column) / kFinest;
      p.bytes[static_cast<std::size_t>(group * p.k_blocks + k / kByteSteps)] |=
          static_cast<std::uint8_t>(1u << (k % kByteSteps));
    }
    all += of_row;
  });
  if (nonzeros != nullptr) *nonzeros = all;
  return p;
}

Pattern joined(const Pattern& pattern, std::int64_t times) {
  Pattern wide{pattern.group * times, ceil_divide(pattern.groups, times), pattern.k_blocks, {}};
  wide.bytes.assign(static_cast<std::size_t>(wide.groups * wide.k_blocks), 0);
  for (std::int64_t g = 0; g < pattern.groups; ++g) {
    for (std::int64_t block = 0; block < pattern.k_blocks; ++block)
      wide.bytes[static_cast<std::size_t>(g / times * wide.k_blocks + block)] |=
          pattern.at(g, block);
  }
  return wide;
}

std::vector<std::int64_t> groups_with(const Pattern& pattern) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(pattern.k_blocks * kByteSteps), 0);
  for (std::int64_t g = 0; g < pattern.groups; ++g) {
    for (std::int64_t k = 0; k < pattern.k_blocks * kByteSteps; ++k)
      counts[static_cast<std::size_t>(k)] += pattern.at(g, k / kByteSteps) >> (k % kByteSteps) & 1;
  }
  return counts;
}

std::string group_fact(const char* name, std::int64_t group) {
  return name + std::string("_") + std::to_string(group);
}
std::string joint_fact(const char* name, std::int64_t rows, std::int64_t columns) {
  return group_fact(name, rows) + "_" + std::to_string(columns);
}

Result<void> measure_patterns(const Configuration& axes, Inputs&, Facts& facts) {
  std::map<std::string, std::vector<Pattern>> by_group;
  std::map<std::string, std::vector<std::vector<std::int64_t>>> with_bit;
  for (const char* array : {"a", "b"}) {
    const Operand operand = operand_of(axes, array);
    std::int64_t nonzeros = 0;
    const Result<Pattern> finest = pattern_of(operand, &nonzeros);
    if (!finest) return tl::unexpected(finest.error());
    if (operand.k_along_rows) {
      facts["a_nonzeros"] = static_cast<double>(nonzeros);
      count_square_blocks(*finest, facts);
    }
    for (const std::int64_t group : kCountedGroups) {
      const Pattern pattern = joined(*finest, group / kFinest);
      facts[array + group_fact("_bits", group)] = static_cast<double>(set_bits(pattern));
      facts[array + group_fact("_blocks", group)] = static_cast<double>(set_bytes(pattern));
      if (group == kGroup && operand.k_along_rows) {
        std::int64_t bits = 0;
        for (std::int64_t block = 0; block < pattern.k_blocks && pattern.groups > 0; ++block)
          bits += std::popcount(pattern.at(0, block));
        facts["a_first_bits"] = static_cast<double>(bits);
      }
      with_bit[array].push_back(groups_with(pattern));
      by_group[array].push_back(pattern);
    }
    if (set_bits(*finest) == 0 && must_have_nonzeros(operand)) {
      return failure(ErrorKind::input, "every mask byte is 0 although nonzeros were requested",
                     std::string("operand ") + array, "report it with this configuration");
    }
  }
  for (std::size_t r = 0; r < std::size(kCountedGroups); ++r) {
    for (std::size_t c = 0; c < std::size(kCountedGroups); ++c) {
      const std::int64_t rows = kCountedGroups[r], columns = kCountedGroups[c];
      facts[joint_fact("joint", rows, columns)] =
          static_cast<double>(std::inner_product(with_bit["a"][r].begin(), with_bit["a"][r].end(),
                                                 with_bit["b"][c].begin(), std::int64_t{0}));
      if (rows < kGroup || columns < kGroup) continue;
      facts[joint_fact("joint_blocks", rows, columns)] =
          static_cast<double>(joint_blocks(by_group["a"][r], by_group["b"][c]));
      if (rows == kInstructionRows && columns == kInstructionRows)
        facts["joint_sixteens_128"] =
            static_cast<double>(joint_blocks(by_group["a"][r], by_group["b"][c], 2));
    }
  }
  return {};
}

}  // namespace warpscope::esmm
