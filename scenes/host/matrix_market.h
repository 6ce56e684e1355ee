// scenes/host/matrix_market.h: reads Matrix Market files into CSR.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// source: Boisvert, Pozo and Remington, "The Matrix Market exchange formats", NISTIR 5935.

namespace warpscope {

struct SparseMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int32_t> indptr;   // [rows + 1]
  std::vector<std::int32_t> indices;  // [nnz], in the order of the file within a row
  std::vector<float> values;          // [nnz]; 1 for pattern files
  bool pattern = false;
  std::int64_t stored_entries = 0;  // before symmetry was expanded
  std::vector<std::string> warnings;
};

enum class ComplexAs { refuse, real_part, magnitude };

struct MatrixMarketOptions {
  ComplexAs complex = ComplexAs::refuse;
};

// error: input, naming line and cause; also when there is no such file.
Result<SparseMatrix> load_matrix_market(const std::filesystem::path& path,
                                        const MatrixMarketOptions& options = {});

struct FileShape {
  std::int64_t rows = 0, columns = 0;
  std::int64_t most_entries = 0;  // with both triangles of a symmetric matrix
};
// The size line alone, without reading the entries.
Result<FileShape> read_matrix_market_shape(const std::filesystem::path& path);
Result<SparseMatrix> parse_matrix_market(std::string_view text, const std::string& name,
                                         const MatrixMarketOptions& options = {});

}  // namespace warpscope
