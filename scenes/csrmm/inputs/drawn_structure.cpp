// scenes/csrmm/inputs/drawn_structure.cpp: the rows and columns of A by distribution.
#include "scenes/csrmm/inputs/drawn_structure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "scenes/csrmm/inputs/inputs.h"
#include "scenes/host/parallel.h"
#include "scenes/host/random.h"

namespace warpscope::csrmm {
namespace {

constexpr std::int64_t kPieceEntries = 16384;

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

ColumnSpan band_of(const Configuration& axes, std::int64_t row) {
  const std::int64_t m = axes.integer("m"), k = axes.integer("k"), w = axes.integer("w");
  const std::int64_t centre = m > 0 ? row * k / m : 0;
  const std::int64_t first =
      std::clamp<std::int64_t>(centre - w / 2, 0, std::max<std::int64_t>(0, k - w));
  return {first, std::min(w, k)};
}

ColumnSpan block_of(const Configuration& axes, std::int64_t row) {
  const std::int64_t k = axes.integer("k"), side = axes.integer("b");
  const std::int64_t first = (row / side) * side;
  if (first >= k) return {0, 0};
  return {first, std::min(side, k - first)};
}

ColumnSpan columns_of(const Configuration& axes, std::int64_t row) {
  if (axes.text("rows") == "banded") return band_of(axes, row);
  if (axes.text("rows") == "block_diagonal") return block_of(axes, row);
  return {0, axes.integer("k")};
}

}  // namespace

Result<std::vector<std::int32_t>> row_pointers(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int32_t> indptr(lengths.size() + 1, 0);
  std::int64_t total = 0;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    total += lengths[row];
    if (total > std::numeric_limits<std::int32_t>::max()) {
      return failure(ErrorKind::usage, "nnz does not fit in 32-bit row pointers", "axis p",
                     "lower p, m or k");
    }
    indptr[row + 1] = static_cast<std::int32_t>(total);
  }
  return indptr;
}

std::vector<std::int64_t> row_lengths(const Configuration& axes) {
  const std::int64_t m = axes.integer("m"), k = axes.integer("k");
  const double p = axes.real("p");
  const std::string& rows = axes.text("rows");
  const auto fixed = static_cast<std::int64_t>(std::floor(static_cast<double>(k) * p + 1e-6));
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

void draw_columns(const Configuration& axes, const ColumnSpan& span, std::int64_t first,
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
  const auto fill = [&](std::int64_t begin, std::int64_t end, const ColumnSpan& span) {
    draw_columns(
        axes, span, begin,
        std::span(csr.indices)
            .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  };
  if (!banded && !blocks) {
    parallel_for(static_cast<std::int64_t>(csr.indices.size()), kPieceEntries,
                 [&](std::int64_t begin, std::int64_t end) {
                   fill(begin, end, {0, k});
                 });
    return csr;
  }
  parallel_for(m, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const ColumnSpan span = columns_of(axes, row);
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

Result<Csr> rmat(const Configuration& axes) {
  const std::int64_t m = axes.integer("m"), k = axes.integer("k");
  const std::int64_t wanted =
      static_cast<std::int64_t>(std::floor(static_cast<double>(k) * axes.real("p") + 1e-6)) * m;
  std::size_t levels = 0;
  while ((std::int64_t{1} << levels) < std::max(m, k)) ++levels;
  const RandomStream stream(seed_of(axes), kColumns);
  std::vector<std::pair<std::int32_t, std::int32_t>> entries(static_cast<std::size_t>(wanted));
  parallel_for(wanted, kPieceEntries, [&](std::int64_t begin, std::int64_t end) {
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

void make_unique(const Configuration& axes, Csr& csr) {
  const RandomStream stream(seed_of(axes), kUnique);
  parallel_for(static_cast<std::int64_t>(csr.indptr.size()) - 1, 256,
               [&](std::int64_t begin, std::int64_t end) {
                 std::vector<std::int32_t> row, kept;
                 for (std::int64_t r = begin; r < end; ++r) {
                   const auto first = csr.indices.begin() + csr.indptr[static_cast<std::size_t>(r)];
                   const auto last =
                       csr.indices.begin() + csr.indptr[static_cast<std::size_t>(r) + 1];
                   const ColumnSpan span = columns_of(axes, r);
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

}  // namespace warpscope::csrmm
