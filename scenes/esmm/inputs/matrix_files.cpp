// scenes/esmm/inputs/matrix_files.cpp: A and B from files: .npy, Matrix Market, and raw f32.
#include "scenes/esmm/inputs/matrix_files.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>

#include "scenes/esmm/inputs/npy_file.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/host/input_file.h"
#include "scenes/host/matrix_market.h"

namespace warpscope::esmm {
namespace {

constexpr std::int64_t kMostBytes = 64LL << 30;
// Multiples of these are whole tiles in every row of the published ladder.
constexpr std::int64_t kPaddedSide = 128, kPaddedDepth = 8;

using Extents = std::pair<std::int64_t, std::int64_t>;  // rows and columns

bool ends_in(const std::string& path, const char* ending) {
  return std::filesystem::path(path).extension() == ending;
}

Result<Extents> extents_of(const Operand& o) {
  if (o.file.empty()) {
    return failure(ErrorKind::input, "no file is chosen", "operand " + o.name,
                   "type the file's name, or draw the operand");
  }
  if (Result<void> admitted = admit_path(o.file); !admitted)
    return tl::unexpected(admitted.error());
  if (ends_in(o.file, ".npy"))
    return read_npy_header(o.file).map(
        [](const NpyHeader& h) { return Extents(h.rows, h.columns); });
  if (ends_in(o.file, ".mtx"))
    return read_matrix_market_shape(o.file).map(
        [](const FileShape& shape) { return Extents(shape.rows, shape.columns); });
  const Result<InputFile> file = InputFile::open(o.file, kMostBytes);
  if (!file) return tl::unexpected(file.error());
  const std::int64_t elements = o.raw_rows * o.raw_columns;
  if (file->bytes() == elements * kValueBytes) return Extents(o.raw_rows, o.raw_columns);
  return failure(ErrorKind::input,
                 "a raw file of " + std::to_string(o.raw_rows) + " × " +
                     std::to_string(o.raw_columns) + " f32 has " +
                     std::to_string(elements * kValueBytes) + " bytes, not " +
                     std::to_string(file->bytes()),
                 o.file, "type the shape that it has");
}

Result<FileMatrix> load_raw(const Operand& o) {
  const Result<std::string> bytes = read_input(o.file, kMostBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  FileMatrix matrix{o.raw_rows, o.raw_columns, {}, 0};
  matrix.values.resize(static_cast<std::size_t>(o.raw_rows * o.raw_columns));
  if (bytes->size() != matrix.values.size() * sizeof(float))
    return failure(ErrorKind::input, "the size of the file has changed", o.file, "load it again");
  if (!bytes->empty()) std::memcpy(matrix.values.data(), bytes->data(), bytes->size());
  return matrix;
}

Result<FileMatrix> load_dense(const Operand& o) {
  if (Result<void> admitted = admit_path(o.file); !admitted)
    return tl::unexpected(admitted.error());
  if (ends_in(o.file, ".npy")) {
    return load_npy(o.file).map([](NpyMatrix npy) {
      return FileMatrix{npy.rows, npy.columns, std::move(npy.values), npy.inexact};
    });
  }
  if (!ends_in(o.file, ".mtx")) return load_raw(o);
  MatrixMarketOptions options;
  if (o.complex_as == "real part") options.complex = ComplexAs::real_part;
  if (o.complex_as == "magnitude") options.complex = ComplexAs::magnitude;
  const Result<SparseMatrix> sparse = load_matrix_market(o.file, options);
  if (!sparse) return tl::unexpected(sparse.error());
  FileMatrix matrix{sparse->rows, sparse->columns, {}, 0};
  matrix.values.assign(static_cast<std::size_t>(matrix.rows * matrix.columns), 0.0f);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto begin = static_cast<std::size_t>(sparse->indptr[static_cast<std::size_t>(row)]);
    const auto end = static_cast<std::size_t>(sparse->indptr[static_cast<std::size_t>(row) + 1]);
    for (std::size_t j = begin; j < end; ++j) {
      matrix.values[static_cast<std::size_t>(row * matrix.columns + sparse->indices[j])] +=
          sparse->values[j];
    }
  }
  return matrix;
}

}  // namespace

Result<Configuration> settle(const Configuration& axes) {
  Configuration settled = axes;
  const bool of_a = from_file(axes, "a"), of_b = from_file(axes, "b");
  if (!of_a && !of_b) return settled;
  std::int64_t m = axes.integer("m"), n = axes.integer("n"), k = axes.integer("k");
  if (of_a) {
    const Result<Extents> a = extents_of(operand_a(axes));
    if (!a) return tl::unexpected(a.error());
    std::tie(m, k) = *a;
  }
  if (of_b) {
    const Result<Extents> b = extents_of(operand_b(axes));
    if (!b) return tl::unexpected(b.error());
    if (of_a && b->first != k) {
      return failure(ErrorKind::input,
                     "A has " + std::to_string(k) + " columns and B " + std::to_string(b->first) +
                         " rows: they cannot be multiplied",
                     axes.text("b_file"), "choose matrices whose inner sizes agree");
    }
    std::tie(k, n) = *b;
  }
  const bool pads = axes.text("pad") == "on";
  const auto whole = [pads](std::int64_t size, std::int64_t part) {
    return pads ? ceil_divide(size, part) * part : size;
  };
  settled.set("m", whole(m, kPaddedSide));
  settled.set("n", whole(n, kPaddedSide));
  settled.set("k", whole(k, kPaddedDepth));
  return settled;
}

Result<FileMatrix> load_matrix(const Operand& o) {
  Result<FileMatrix> file = load_dense(o);
  if (!file) return file;
  if (file->rows > o.rows || file->columns > o.columns) {
    return failure(ErrorKind::usage,
                   "the file's matrix is " + std::to_string(file->rows) + " × " +
                       std::to_string(file->columns),
                   o.file, "sizes follow the file: do not set them");
  }
  if (file->rows == o.rows && file->columns == o.columns) return file;
  FileMatrix padded{o.rows, o.columns, {}, file->inexact};
  padded.values.assign(static_cast<std::size_t>(o.elements()), 0.0f);
  for (std::int64_t row = 0; row < file->rows; ++row) {
    std::copy_n(file->values.begin() + row * file->columns, file->columns,
                padded.values.begin() + row * o.columns);
  }
  return padded;
}

}  // namespace warpscope::esmm
