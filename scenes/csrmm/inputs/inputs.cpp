// scenes/csrmm/inputs/inputs.cpp: the structure of A, drawn or from a file, and the facts of its
// rows.
#include "scenes/csrmm/inputs/inputs.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "scenes/csrmm/inputs/drawn_structure.h"
#include "scenes/csrmm/inputs/operand_values.h"
#include "scenes/csrmm/steps/k_tiles.h"
#include "scenes/csrmm/steps/steps.h"
#include "scenes/host/matrix_market.h"

namespace warpscope::csrmm {
namespace {

constexpr std::int64_t kPieceEntries = 16384;

// What SELL-32-1024 would store: rows are sorted by length within windows of 1024, and each slice
// of 32 rows is padded to its longest. source: M. Kreutzer et al., SIAM J. Sci. Comput. 36 (2014).
double sell_entries(std::vector<std::int32_t> lengths) {
  constexpr std::size_t kSlice = 32, kWindow = 1024;
  double entries = 0;
  for (std::size_t first = 0; first < lengths.size(); first += kWindow) {
    const std::size_t end = std::min(first + kWindow, lengths.size());
    std::sort(lengths.begin() + static_cast<std::ptrdiff_t>(first),
              lengths.begin() + static_cast<std::ptrdiff_t>(end), std::greater<>());
    for (std::size_t row = first; row < end; row += kSlice)
      entries += static_cast<double>(kSlice) * lengths[row];
  }
  return entries;
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
  facts["wide_row_segments"] =
      static_cast<double>(count_segments(lengths, wide_segment_limit(nnz, static_cast<double>(m))));
  facts["sell_entries"] = sell_entries(std::move(lengths));
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
        "the matrix in the file is " + std::to_string(matrix->rows) + " × " +
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

// One pass over all entries, a piece at a time, for these columns.
void count_columns(const Workload& w, std::int64_t first, std::span<std::int32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0);
  std::vector<std::int32_t> piece(static_cast<std::size_t>(kPieceEntries));
  const auto nnz = static_cast<std::int64_t>(w.fact("nnz"));
  for (std::int64_t from = 0; from < nnz; from += kPieceEntries) {
    const std::span<std::int32_t> columns = std::span(piece).first(
        static_cast<std::size_t>(std::min<std::int64_t>(kPieceEntries, nnz - from)));
    draw_columns(w.axes, {0, w.integer("k")}, from, columns);
    for (const std::int32_t column : columns) {
      const std::int64_t at = column - first;
      if (at >= 0 && at < static_cast<std::int64_t>(counts.size()))
        ++counts[static_cast<std::size_t>(at)];
    }
  }
}

}  // namespace

std::uint64_t seed_of(const Configuration& axes) {
  return static_cast<std::uint64_t>(axes.integer("seed"));
}

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
    const Result<FileShape> shape = read_matrix_market_shape(axes.text("file"));
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
                 " in a matrix with " + std::to_string(columns) + " columns");
    }
  }
  return {};
}

}  // namespace warpscope::csrmm
