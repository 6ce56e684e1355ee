// scenes/csrmm/inputs.cpp: sparse matrices by distribution, from files, and the dense operand.
#include "scenes/csrmm/inputs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/half.h"
#include "scenes/csrmm/k_tiles.h"
#include "scenes/csrmm/steps.h"
#include "scenes/host/matrix_market.h"
#include "scenes/host/parallel.h"
#include "scenes/host/random.h"

namespace warpscope::csrmm {
namespace {

constexpr std::int64_t kSmallestPiece = 16384;
enum Stream : std::uint32_t { kLengths = 1, kColumns, kWeights, kB, kKept, kUnique };

struct Csr {
  std::vector<std::int32_t> indptr, indices;
};

std::uint64_t seed_of(const Configuration& axes) {
  return static_cast<std::uint64_t>(axes.integer("seed"));
}

// Row lengths summed into indptr. error: more entries than 32-bit row pointers hold.
Result<std::vector<std::int32_t>> row_pointers(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int32_t> indptr(lengths.size() + 1, 0);
  std::int64_t total = 0;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    total += lengths[row];
    if (total > std::numeric_limits<std::int32_t>::max()) {
      return failure(ErrorKind::usage, "nnz does not fit 32-bit row pointers", "axis p",
                     "lower p, m or k");
    }
    indptr[row + 1] = static_cast<std::int32_t>(total);
  }
  return indptr;
}

// Binomial(k, p) by its normal approximation where it is close, by counting Bernoulli gaps
// elsewhere.
std::int64_t binomial(const RandomStream& stream, std::uint64_t row, std::int64_t k, double p) {
  const double mean = static_cast<double>(k) * p, variance = mean * (1 - p);
  if (variance > 100) {
    const double drawn = std::round(mean + std::sqrt(variance) * stream.normal(row));
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(drawn), 0, k);
  }
  if (p <= 0) return 0;
  const double log_miss = std::log1p(-p);
  std::int64_t count = 0, position = 0;
  for (std::uint64_t draw = 0;; ++draw) {
    const double u = 1 - stream.uniform((row << 20) + draw);
    const double misses = std::log(u) / log_miss;
    if (misses >= static_cast<double>(k - position)) return count;
    position += 1 + static_cast<std::int64_t>(misses);
    ++count;
  }
}

std::vector<std::int64_t> power_law_lengths(const Configuration& axes) {
  const std::int64_t m = axes.integer("m"), k = axes.integer("k");
  const double alpha = axes.real("alpha"), mean = static_cast<double>(k) * axes.real("p");
  const RandomStream stream(seed_of(axes), kLengths);
  std::vector<double> drawn(static_cast<std::size_t>(m));
  for (std::int64_t row = 0; row < m; ++row) {
    const double u = 1 - stream.uniform(static_cast<std::uint64_t>(row));
    drawn[static_cast<std::size_t>(row)] = std::pow(u, -1 / (alpha - 1));
  }
  // Scaled until the mean of the capped lengths is k·p: capping at k takes mass away.
  double scale = mean * static_cast<double>(m) / std::accumulate(drawn.begin(), drawn.end(), 0.0);
  for (int turn = 0; turn < 40; ++turn) {
    double total = 0;
    for (const double d : drawn) total += std::min(d * scale, static_cast<double>(k));
    if (total <= 0) break;
    scale *= mean * static_cast<double>(m) / total;
  }
  std::vector<std::int64_t> lengths(drawn.size());
  double carried = 0;  // rounding is carried on, so that the sum stays m·k·p
  for (std::size_t row = 0; row < drawn.size(); ++row) {
    const double exact = std::min(drawn[row] * scale, static_cast<double>(k)) + carried;
    lengths[row] = std::clamp<std::int64_t>(std::llround(exact), 0, k);
    carried = exact - static_cast<double>(lengths[row]);
  }
  return lengths;
}

struct Span {
  std::int64_t first = 0, count = 0;  // the columns a row may draw from
};

Span band_of(const Configuration& axes, std::int64_t row) {
  const std::int64_t m = axes.integer("m"), k = axes.integer("k"), w = axes.integer("w");
  const std::int64_t centre = m > 0 ? row * k / m : 0;
  const std::int64_t first =
      std::clamp<std::int64_t>(centre - w / 2, 0, std::max<std::int64_t>(0, k - w));
  return {first, std::min(w, k)};
}

Span block_of(const Configuration& axes, std::int64_t row) {
  const std::int64_t k = axes.integer("k"), side = axes.integer("b");
  const std::int64_t first = (row / side) * side;
  if (first >= k) return {0, 0};
  return {first, std::min(side, k - first)};
}

Span columns_of(const Configuration& axes, std::int64_t row) {
  if (axes.text("rows") == "banded") return band_of(axes, row);
  if (axes.text("rows") == "block_diagonal") return block_of(axes, row);
  return {0, axes.integer("k")};
}

std::vector<std::int64_t> row_lengths(const Configuration& axes) {
  const std::int64_t m = axes.integer("m"), k = axes.integer("k");
  const double p = axes.real("p");
  const std::string& rows = axes.text("rows");
  const std::int64_t fixed =
      static_cast<std::int64_t>(std::floor(static_cast<double>(k) * p + 1e-6));
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(m), fixed);
  if (rows == "power_law") return power_law_lengths(axes);
  if (rows == "one_huge_row") {
    std::fill(lengths.begin(), lengths.end(), 0);
    if (m > 0) {
      lengths[static_cast<std::size_t>(std::min(axes.integer("huge_row"), m - 1))] = m * fixed;
    }
  } else if (rows == "binomial") {
    const RandomStream stream(seed_of(axes), kLengths);
    parallel_for(m, 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        lengths[static_cast<std::size_t>(row)] =
            binomial(stream, static_cast<std::uint64_t>(row), k, p);
      }
    });
  } else if (rows == "banded") {
    for (std::int64_t row = 0; row < m; ++row) {
      lengths[static_cast<std::size_t>(row)] = std::min(fixed, band_of(axes, row).count);
    }
  } else if (rows == "block_diagonal") {
    const double fill = std::min(1.0, p * static_cast<double>(k) / axes.real("b"));
    for (std::int64_t row = 0; row < m; ++row) {
      lengths[static_cast<std::size_t>(row)] =
          std::llround(fill * static_cast<double>(block_of(axes, row).count));
    }
  }
  return lengths;
}

// The columns of the entries from `first` on, each of `span`.
void draw_columns(const Configuration& axes, const Span& span, std::int64_t first,
                  std::span<std::int32_t> columns) {
  const RandomStream stream(seed_of(axes), kColumns);
  const auto count = static_cast<std::uint64_t>(span.count);
  for (std::size_t e = 0; e < columns.size(); ++e) {
    const std::uint64_t drawn = stream.below(static_cast<std::uint64_t>(first) + e, count);
    columns[e] = static_cast<std::int32_t>(span.first + static_cast<std::int64_t>(drawn));
  }
}

Result<Csr> drawn_rows(const Configuration& axes) {
  Result<std::vector<std::int32_t>> indptr = row_pointers(row_lengths(axes));
  if (!indptr) return tl::unexpected(indptr.error());
  Csr csr{std::move(*indptr), {}};
  csr.indices.resize(static_cast<std::size_t>(csr.indptr.back()));
  const std::int64_t m = axes.integer("m"), k = axes.integer("k");
  const bool banded = axes.text("rows") == "banded", blocks = axes.text("rows") == "block_diagonal";
  const auto fill = [&](std::int64_t begin, std::int64_t end, const Span& span) {
    draw_columns(
        axes, span, begin,
        std::span(csr.indices)
            .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  };
  if (!banded && !blocks) {
    parallel_for(static_cast<std::int64_t>(csr.indices.size()), kSmallestPiece,
                 [&](std::int64_t begin, std::int64_t end) {
                   fill(begin, end, {0, k});
                 });
    return csr;
  }
  parallel_for(m, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const Span span = columns_of(axes, row);
      const std::int64_t first = csr.indptr[static_cast<std::size_t>(row)];
      const std::int64_t last = csr.indptr[static_cast<std::size_t>(row) + 1];
      const bool full = blocks && last - first == span.count;
      if (!full) {
        fill(first, last, span);
      } else {
        std::iota(csr.indices.begin() + first, csr.indices.begin() + last,
                  static_cast<std::int32_t>(span.first));
      }
    }
  });
  return csr;
}

// source: R-MAT, Chakrabarti et al., SDM 2004, with (.57, .19, .19, .05) on the next power of two;
// draws outside m × k are rejected.
Result<Csr> rmat(const Configuration& axes) {
  const std::int64_t m = axes.integer("m"), k = axes.integer("k");
  const std::int64_t wanted =
      static_cast<std::int64_t>(std::floor(static_cast<double>(k) * axes.real("p") + 1e-6)) * m;
  std::size_t levels = 0;
  while ((std::int64_t{1} << levels) < std::max(m, k)) ++levels;
  const RandomStream stream(seed_of(axes), kColumns);
  std::vector<std::pair<std::int32_t, std::int32_t>> entries(static_cast<std::size_t>(wanted));
  parallel_for(wanted, kSmallestPiece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t row = m, column = k;
      for (std::uint64_t attempt = 0; row >= m || column >= k; ++attempt) {
        row = column = 0;
        std::array<std::uint32_t, 4> words{};
        for (std::size_t level = 0; level < levels; ++level) {
          // A block of random words serves four levels; there are at most 25.
          const std::size_t word = level % words.size();
          if (word == 0) {
            words = stream.words((static_cast<std::uint64_t>(i) << 20) + (attempt << 3) +
                                 level / words.size());
          }
          const double u = words[word] * 0x1.0p-32;
          row = 2 * row + (u >= 0.76 ? 1 : 0);
          column = 2 * column + ((u >= 0.57 && u < 0.76) || u >= 0.95 ? 1 : 0);
        }
      }
      entries[static_cast<std::size_t>(i)] = {static_cast<std::int32_t>(row),
                                              static_cast<std::int32_t>(column)};
    }
  });
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(m), 0);
  for (const auto& entry : entries) ++lengths[static_cast<std::size_t>(entry.first)];
  Result<std::vector<std::int32_t>> indptr = row_pointers(lengths);
  if (!indptr) return tl::unexpected(indptr.error());
  Csr csr{std::move(*indptr), std::vector<std::int32_t>(entries.size())};
  std::vector<std::int32_t> next(csr.indptr.begin(), csr.indptr.end() - 1);
  for (const auto& [row, column] : entries) {
    csr.indices[static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++)] = column;
  }
  return csr;
}

// Draws again, from the columns that a row may use, until no row has a column twice.
void make_unique(const Configuration& axes, Csr& csr) {
  const RandomStream stream(seed_of(axes), kUnique);
  parallel_for(static_cast<std::int64_t>(csr.indptr.size()) - 1, 256,
               [&](std::int64_t begin, std::int64_t end) {
                 std::vector<std::int32_t> row, kept;
                 for (std::int64_t r = begin; r < end; ++r) {
                   const auto first = csr.indices.begin() + csr.indptr[static_cast<std::size_t>(r)];
                   const auto last =
                       csr.indices.begin() + csr.indptr[static_cast<std::size_t>(r) + 1];
                   const Span span = columns_of(axes, r);
                   if (last - first > span.count) continue;  // one huge row can be longer than k
                   std::uint64_t draw = static_cast<std::uint64_t>(r) << 24;
                   row.assign(first, last);
                   std::sort(row.begin(), row.end());
                   kept.clear();
                   std::unique_copy(row.begin(), row.end(), std::back_inserter(kept));
                   while (kept.size() < row.size()) {
                     const auto column = static_cast<std::int32_t>(
                         span.first + static_cast<std::int64_t>(stream.below(
                                          draw++, static_cast<std::uint64_t>(span.count))));
                     const auto at = std::lower_bound(kept.begin(), kept.end(), column);
                     if (at == kept.end() || *at != column) kept.insert(at, column);
                   }
                   // Back to an unsorted order, by random keys.
                   for (std::size_t i = kept.size(); i > 1; --i) {
                     std::swap(kept[i - 1], kept[stream.below(draw++, i)]);
                   }
                   std::copy(kept.begin(), kept.end(), first);
                 }
               });
}

void sort_rows(Csr& csr) {
  parallel_for(static_cast<std::int64_t>(csr.indptr.size()) - 1, 256,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t r = begin; r < end; ++r) {
                   std::sort(csr.indices.begin() + csr.indptr[static_cast<std::size_t>(r)],
                             csr.indices.begin() + csr.indptr[static_cast<std::size_t>(r) + 1]);
                 }
               });
}

// What the lengths of rows say, where columns do not matter.
void describe_rows(std::span<const std::int32_t> indptr, std::int64_t k, Facts& facts) {
  const std::int64_t m = static_cast<std::int64_t>(indptr.size()) - 1;
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(m));
  std::adjacent_difference(indptr.begin() + 1, indptr.end(), lengths.begin());
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  const double nnz = indptr.back();
  facts["m"] = static_cast<double>(m);
  facts["k"] = static_cast<double>(k);
  facts["nnz"] = nnz;
  facts["mean_row"] = m > 0 ? nnz / static_cast<double>(m) : 0;
  facts["longest_row"] = m > 0 ? *longest : 0;
  facts["shortest_row"] = m > 0 ? *shortest : 0;
  facts["empty_rows"] = static_cast<double>(std::count(lengths.begin(), lengths.end(), 0));
  facts["row_segments"] =
      static_cast<double>(count_segments(lengths, segment_limit(nnz, static_cast<double>(m))));
}

void describe(const Csr& csr, std::int64_t k, Inputs& inputs, Facts& facts) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(k), 0);
  for (const std::int32_t column : csr.indices) ++counts[static_cast<std::size_t>(column)];
  const std::int64_t m = static_cast<std::int64_t>(csr.indptr.size()) - 1;
  std::int64_t duplicates = 0;
  std::vector<std::int32_t> seen_in(static_cast<std::size_t>(k), -1);
  for (std::int64_t row = 0; row < m; ++row) {
    const std::int32_t begin = csr.indptr[static_cast<std::size_t>(row)];
    const std::int32_t end = csr.indptr[static_cast<std::size_t>(row) + 1];
    for (std::int32_t j = begin; j < end; ++j) {
      std::int32_t& seen =
          seen_in[static_cast<std::size_t>(csr.indices[static_cast<std::size_t>(j)])];
      duplicates += seen == row ? 1 : 0;
      seen = static_cast<std::int32_t>(row);
    }
  }
  describe_rows(csr.indptr, k, facts);
  const double nnz = facts.at("nnz");
  facts["longest_column"] = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  facts["distinct_columns"] = static_cast<double>(k - std::count(counts.begin(), counts.end(), 0));
  facts["duplicates"] = static_cast<double>(duplicates);
  facts["empty_columns"] = static_cast<double>(std::count(counts.begin(), counts.end(), 0));
  facts["column_segments"] =
      static_cast<double>(count_segments(counts, segment_limit(nnz, static_cast<double>(k))));
  inputs["indptr"] = HostArray::of<std::int32_t>(csr.indptr);
  inputs["indices"] = HostArray::of<std::int32_t>(csr.indices);
  inputs["column_counts"] = HostArray::of<std::int32_t>(counts);
}

Result<void> load_file(const Configuration& axes, Inputs& inputs, Facts& facts) {
  MatrixMarketOptions options;
  const std::string& complex = axes.text("complex_as");
  if (complex == "real part") options.complex = ComplexAs::real_part;
  if (complex == "magnitude") options.complex = ComplexAs::magnitude;
  Result<SparseMatrix> matrix = load_matrix_market(axes.text("file"), options);
  if (!matrix) return tl::unexpected(matrix.error());
  if (matrix->rows != axes.integer("m") || matrix->columns != axes.integer("k")) {
    return failure(
        ErrorKind::usage,
        "the file's matrix is " + std::to_string(matrix->rows) + " × " +
            std::to_string(matrix->columns),
        axes.text("file"),
        "set m=" + std::to_string(matrix->rows) + " k=" + std::to_string(matrix->columns));
  }
  if (Result<void> valid = validate_csr(matrix->indptr, matrix->indices, matrix->columns); !valid) {
    return valid;
  }
  facts["file_pattern"] = matrix->pattern ? 1 : 0;
  inputs["file_values"] = HostArray::of<float>(matrix->values);
  Csr csr{std::move(matrix->indptr), std::move(matrix->indices)};
  describe(csr, axes.integer("k"), inputs, facts);
  return {};
}

// A number in the type of weights, B and C.
class Rounded {
 public:
  Rounded(ElementType type, std::span<std::byte> to) : type_(type), to_(to) {}
  std::size_t count() const { return to_.size() / static_cast<std::size_t>(element_bytes(type_)); }
  // Whether it is a zero in that type.
  bool set(std::size_t e, float value) const {
    if (type_ == ElementType::f32) {
      elements_in<float>(to_)[e] = value;
      return value == 0.0f;
    }
    const std::uint16_t bits = type_ == ElementType::f16 ? to_f16(value) : to_bf16(value);
    elements_in<std::uint16_t>(to_)[e] = bits;
    return (bits & 0x7fff) == 0;
  }

 private:
  ElementType type_;
  std::span<std::byte> to_;
};

void make_weights(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  const Rounded weights(value_type(axes), bytes);
  const bool one = axes.text("weights") == "homo";
  const RandomStream stream(seed_of(axes), kWeights);
  for (std::size_t e = 0; e < weights.count(); ++e) {
    weights.set(
        e, one ? 1.0f : static_cast<float>(stream.normal(static_cast<std::uint64_t>(first) + e)));
  }
}

// Returns how many elements are not zero.
std::int64_t make_b(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  const std::int64_t n = axes.integer("n"), strips = (n + 31) / 32;
  const double density = axes.real("db");
  const bool by_row = axes.text("zeros") == "rows", by_strip = axes.text("zeros") == "strips";
  const Rounded b(value_type(axes), bytes);
  const RandomStream kept(seed_of(axes), kKept), drawn(seed_of(axes), kB);
  std::int64_t nonzeros = 0, row = n > 0 ? first / n : 0, column = n > 0 ? first % n : 0;
  for (std::size_t e = 0; e < b.count(); ++e, ++column) {
    if (column == n) column = 0, ++row;
    const std::uint64_t i = static_cast<std::uint64_t>(first) + e;
    const std::uint64_t deciding = by_row ? static_cast<std::uint64_t>(row)
                                   : by_strip
                                       ? static_cast<std::uint64_t>(row * strips + column / 32)
                                       : i;
    const bool there = kept.uniform(deciding) < density;
    const bool zero = b.set(e, there ? static_cast<float>(drawn.normal(i)) : 0.0f);
    nonzeros += zero ? 0 : 1;
  }
  return nonzeros;
}

// One pass over all entries, a piece at a time, for these columns.
void count_columns(const Workload& w, std::int64_t first, std::span<std::int32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0);
  std::vector<std::int32_t> piece(static_cast<std::size_t>(kSmallestPiece));
  const auto nnz = static_cast<std::int64_t>(w.fact("nnz"));
  for (std::int64_t from = 0; from < nnz; from += kSmallestPiece) {
    const std::span<std::int32_t> columns = std::span(piece).first(
        static_cast<std::size_t>(std::min<std::int64_t>(kSmallestPiece, nnz - from)));
    draw_columns(w.axes, {0, w.integer("k")}, from, columns);
    for (const std::int32_t column : columns) {
      const std::int64_t at = column - first;
      if (at >= 0 && at < static_cast<std::int64_t>(counts.size()))
        ++counts[static_cast<std::size_t>(at)];
    }
  }
}

// Whether weights are those of the matrix's file.
bool weights_of_file(const Configuration& axes, const Facts& facts) {
  if (axes.text("weights") == "homo") return false;
  const auto pattern = facts.find("file_pattern");
  return pattern != facts.end() && pattern->second != 1;
}

}  // namespace

bool columns_by_index(const Configuration& axes) {
  const std::string& rows = axes.text("rows");
  return (rows == "fixed" || rows == "binomial" || rows == "power_law" || rows == "one_huge_row") &&
         axes.text("sorted") == "off" && axes.text("duplicates") == "on" && axes.integer("k") > 0;
}

void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes) {
  if (array == "b") {
    make_b(w.axes, first, bytes);
  } else if (array == "weights") {
    make_weights(w.axes, first, bytes);
  } else if (array == "indices") {
    draw_columns(w.axes, {0, w.integer("k")}, first, elements_in<std::int32_t>(bytes));
  } else {
    count_columns(w, first, elements_in<std::int32_t>(bytes));
  }
}

bool has_elements(const Workload& w, const std::string& array) {
  if (array == "indices" || array == "column_counts") return columns_by_index(w.axes);
  if (array == "indptr") return false;  // a row begins where those before it end
  return array != "weights" || !weights_of_file(w.axes, w.facts);
}

double expected_entries(const Configuration& axes) {
  const std::string& rows = axes.text("rows");
  if (rows == "file") {
    const Result<MatrixShape> shape = read_matrix_market_shape(axes.text("file"));
    return shape ? static_cast<double>(shape->most_entries) : 0;  // loading it says why not
  }
  const double row = axes.real("k") * axes.real("p");
  const double most = rows == "block_diagonal" ? axes.real("b")
                      : rows == "banded"       ? axes.real("w")
                                               : row;
  return axes.real("m") * std::min(row, most);
}

Result<void> generate_structure(const Configuration& axes, Inputs& inputs, Facts& facts) {
  const std::string& rows = axes.text("rows");
  if (rows == "file") return load_file(axes, inputs, facts);
  const bool empty = axes.integer("k") == 0;
  Result<Csr> csr =
      empty ? Csr{std::vector<std::int32_t>(static_cast<std::size_t>(axes.integer("m")) + 1, 0), {}}
      : rows == "rmat" ? rmat(axes)
                       : drawn_rows(axes);
  if (!csr) return tl::unexpected(csr.error());
  if (axes.text("duplicates") == "off") make_unique(axes, *csr);
  if (axes.text("sorted") == "on") sort_rows(*csr);
  inputs.erase("file_values");
  facts.erase("file_pattern");
  describe(*csr, axes.integer("k"), inputs, facts);
  return {};
}

Result<void> outline_structure(const Configuration& axes, Inputs& inputs, Facts& facts) {
  if (!columns_by_index(axes)) return generate_structure(axes, inputs, facts);
  for (const char* late : {"longest_column", "distinct_columns", "duplicates", "empty_columns",
                           "column_segments", "file_pattern"}) {
    facts.erase(late);
  }
  inputs.erase("file_values");
  const Result<std::vector<std::int32_t>> indptr = row_pointers(row_lengths(axes));
  if (!indptr) return tl::unexpected(indptr.error());
  describe_rows(*indptr, axes.integer("k"), facts);
  inputs["indptr"] = HostArray::of<std::int32_t>(*indptr);
  return {};
}

Result<void> generate_weights(const Configuration& axes, Inputs& inputs, Facts& facts) {
  if (weights_of_file(axes, facts)) {
    inputs["weights"] = rounded(inputs.at("file_values"), value_type(axes));
    return {};
  }
  const bool one = axes.text("weights") == "homo";
  inputs["weights"] =
      HostArray::whole(value_type(axes), one ? 1 : static_cast<std::int64_t>(facts.at("nnz")),
                       [&axes](std::int64_t first, std::span<std::byte> bytes) {
                         make_weights(axes, first, bytes);
                       });
  return {};
}

Result<void> generate_b(const Configuration& axes, Inputs& inputs, Facts& facts) {
  const std::int64_t rows = axes.integer(transposed(axes) ? "m" : "k");
  std::atomic<std::int64_t> nonzeros = 0;
  inputs["b"] = HostArray::whole(value_type(axes), rows * axes.integer("n"),
                                 [&](std::int64_t first, std::span<std::byte> bytes) {
                                   nonzeros += make_b(axes, first, bytes);
                                 });
  facts["b_nonzeros"] = static_cast<double>(nonzeros.load());
  return {};
}

Result<void> validate_csr(std::span<const std::int32_t> indptr,
                          std::span<const std::int32_t> indices, std::int64_t columns) {
  const auto bad = [](std::string what) {
    return failure(ErrorKind::input, std::move(what), "CSR arrays",
                   "check the file that made them");
  };
  if (indptr.empty() || indptr[0] != 0) return bad("the row pointers do not start at 0");
  for (std::size_t row = 0; row + 1 < indptr.size(); ++row) {
    if (indptr[row + 1] < indptr[row]) {
      return bad("the row pointers fall after row " + std::to_string(row));
    }
  }
  if (static_cast<std::size_t>(indptr.back()) != indices.size()) {
    return bad("the last row pointer is " + std::to_string(indptr.back()) + " but there are " +
               std::to_string(indices.size()) + " entries");
  }
  for (std::size_t j = 0; j < indices.size(); ++j) {
    if (indices[j] < 0 || indices[j] >= columns) {
      return bad("entry " + std::to_string(j) + " has column " + std::to_string(indices[j]) +
                 " of a matrix with " + std::to_string(columns) + " columns");
    }
  }
  return {};
}

}  // namespace warpscope::csrmm
