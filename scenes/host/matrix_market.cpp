// scenes/host/matrix_market.cpp: reads Matrix Market files into CSR.
#include "scenes/host/matrix_market.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "scenes/host/input_file.h"
#include "scenes/host/matrix_market_header.h"

namespace warpscope {
namespace {

struct Triple {
  std::int32_t row, column;
  double value;
  std::int64_t line;
};

// Whether a number out of a double's range is too small for it, not too large.
bool underflows(std::string_view number) {
  const std::size_t exponent = number.find('e');
  if (exponent != std::string_view::npos) return number.substr(exponent + 1).starts_with('-');
  return number.find_first_of("123456789") > number.find('.');
}

// The entries of a file whose header has been read.
class Reader {
 public:
  Reader(MatrixMarketLines lines, const MatrixMarketHeader& header,
         const MatrixMarketOptions& options)
      : lines_(std::move(lines)), header_(header), options_(options) {
    matrix_.rows = header.rows;
    matrix_.columns = header.columns;
  }

  Result<SparseMatrix> read() {
    return (header_.array ? array_entries() : coordinate_entries())
        .and_then([&] { return mirror(); })
        .and_then([&]() -> Result<SparseMatrix> { return assemble(); });
  }

 private:
  Result<double> real(std::string_view word) const {
    std::string text(word);
    std::replace(text.begin(), text.end(), 'd', 'e');  // Fortran exponents
    std::replace(text.begin(), text.end(), 'D', 'e');
    if (text.starts_with('+') && !text.starts_with("+-")) text.erase(0, 1);
    double value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool out_of_range = end.ec == std::errc::result_out_of_range;
    if ((!out_of_range && end.ec != std::errc()) || end.ptr != text.data() + text.size()) {
      return lines_.bad("“" + std::string(word.substr(0, 40)) + "” is not a number");
    }
    if (!std::isfinite(value)) {
      return lines_.bad("the value “" + std::string(word.substr(0, 40)) + "” is not finite",
                        "remove it: products with it are not finite");
    }
    if (out_of_range && underflows(text)) return 0.0;
    if (out_of_range || std::abs(value) > std::numeric_limits<float>::max()) {
      return lines_.bad(
          "the value “" + std::string(word.substr(0, 40)) + "” does not fit in a 32-bit float",
          "scale the matrix");
    }
    return value;
  }

  Result<double> value_of(const std::vector<std::string_view>& words, std::size_t at) {
    if (header_.field == MatrixField::pattern) return 1.0;
    const auto first = real(words[at]);
    if (!first) return first;
    if (header_.field == MatrixField::integer) {
      if (std::abs(*first) > 16777216.0) inexact_ = true;
      return first;
    }
    if (header_.field == MatrixField::real) return first;
    const auto second = real(words[at + 1]);
    if (!second) return second;
    return options_.complex == ComplexAs::real_part ? *first : std::hypot(*first, *second);
  }

  std::size_t value_words() const {
    return header_.field == MatrixField::pattern   ? 0
           : header_.field == MatrixField::complex ? 2
                                                   : 1;
  }

  Result<void> coordinate_entries() {
    triples_.reserve(static_cast<std::size_t>(header_.entries));
    while (const auto words = lines_.next()) {
      if (static_cast<std::int64_t>(triples_.size()) == header_.entries) {
        return lines_.bad("there are more entries than the " + std::to_string(header_.entries) +
                          " of the size line");
      }
      if (words->size() != 2 + value_words()) {
        return lines_.bad("the entry has " + std::to_string(words->size()) + " words instead of " +
                          std::to_string(2 + value_words()));
      }
      const auto row = lines_.whole((*words)[0], "the row");
      const auto column = lines_.whole((*words)[1], "the column");
      if (!row) return tl::unexpected(row.error());
      if (!column) return tl::unexpected(column.error());
      if (*row < 1 || *row > matrix_.rows) {
        return lines_.bad(
            "row " + std::to_string(*row) + " is outside 1 to " + std::to_string(matrix_.rows),
            *row == 0 ? "indices of the format start at 1: add 1 to all of them"
                      : "correct the file");
      }
      if (*column < 1 || *column > matrix_.columns) {
        return lines_.bad("column " + std::to_string(*column) + " is outside 1 to " +
                              std::to_string(matrix_.columns),
                          *column == 0 ? "indices of the format start at 1: add 1 to all of them"
                                       : "correct the file");
      }
      const auto value = value_of(*words, 2);
      if (!value) return tl::unexpected(value.error());
      triples_.push_back({static_cast<std::int32_t>(*row - 1),
                          static_cast<std::int32_t>(*column - 1), *value, lines_.line()});
    }
    if (static_cast<std::int64_t>(triples_.size()) < header_.entries) {
      return lines_.bad("the file ends after " + std::to_string(triples_.size()) + " of " +
                            std::to_string(header_.entries) + " entries",
                        "the file is truncated: fetch it again");
    }
    return {};
  }

  Result<void> array_entries() {
    std::int64_t read = 0;
    std::int64_t row = header_.symmetry == MatrixSymmetry::skew ? 1 : 0, column = 0;
    while (const auto words = lines_.next()) {
      if (read == header_.entries) {
        return lines_.bad("there are more values than the " + std::to_string(header_.entries) +
                          " of the size line");
      }
      if (words->size() != value_words()) {
        return lines_.bad("the line has " + std::to_string(words->size()) + " words instead of " +
                          std::to_string(value_words()));
      }
      const auto value = value_of(*words, 0);
      if (!value) return tl::unexpected(value.error());
      if (*value != 0) {
        triples_.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column),
                            *value, lines_.line()});
      }
      ++read;
      if (++row == matrix_.rows) {
        ++column;
        row = header_.symmetry == MatrixSymmetry::general ? 0
              : header_.symmetry == MatrixSymmetry::skew  ? column + 1
                                                          : column;
      }
    }
    if (read < header_.entries) {
      return lines_.bad("the file ends after " + std::to_string(read) + " of " +
                            std::to_string(header_.entries) + " values",
                        "the file is truncated: fetch it again");
    }
    return {};
  }

  Result<void> mirror() {
    matrix_.stored_entries = static_cast<std::int64_t>(triples_.size());
    if (inexact_) matrix_.warnings.emplace_back("some integers are not exact in 32-bit floats");
    if (header_.symmetry == MatrixSymmetry::general) return {};
    // |−z| = |z|: magnitudes of a skew-symmetric matrix are symmetric.
    const bool magnitudes =
        header_.field == MatrixField::complex && options_.complex == ComplexAs::magnitude;
    const double sign = header_.symmetry == MatrixSymmetry::skew && !magnitudes ? -1.0 : 1.0;
    bool upper = false;
    const std::size_t stored = triples_.size();
    for (std::size_t i = 0; i < stored; ++i) {
      const Triple t = triples_[i];
      if (t.row == t.column) {
        if (header_.symmetry == MatrixSymmetry::skew && t.value != 0) {
          return lines_.bad_at(t.line, "a skew-symmetric matrix has a nonzero on its diagonal");
        }
        continue;
      }
      upper = upper || t.column > t.row;
      triples_.push_back({t.column, t.row, sign * t.value, t.line});
    }
    if (upper)
      matrix_.warnings.emplace_back("entries above the diagonal were read as the stored triangle");
    return both_triangles(stored);
  }

  // A stored (i, j) whose mirror (j, i) is stored as well would count twice.
  Result<void> both_triangles(std::size_t stored) {
    std::vector<Triple> sorted(triples_.begin(),
                               triples_.begin() + static_cast<std::ptrdiff_t>(stored));
    const auto before = [](const Triple& a, const Triple& b) {
      return std::pair(a.row, a.column) < std::pair(b.row, b.column);
    };
    std::sort(sorted.begin(), sorted.end(), before);
    for (const Triple& t : sorted) {
      if (t.column <= t.row) continue;
      const Triple mirrored{t.column, t.row, 0, 0};
      const auto found = std::lower_bound(sorted.begin(), sorted.end(), mirrored, before);
      if (found != sorted.end() && found->row == t.column && found->column == t.row) {
        return lines_.bad_at(std::max(t.line, found->line),
                             "lines " + std::to_string(std::min(t.line, found->line)) + " and " +
                                 std::to_string(std::max(t.line, found->line)) +
                                 " store both (i, j) and (j, i) of a symmetric matrix",
                             "keep one triangle");
      }
    }
    return {};
  }

  Result<SparseMatrix> assemble() {
    if (triples_.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      return lines_.bad("nnz does not fit in 32-bit row pointers", "use a smaller matrix");
    }
    matrix_.pattern = header_.field == MatrixField::pattern;
    matrix_.indptr.assign(static_cast<std::size_t>(matrix_.rows) + 1, 0);
    for (const Triple& t : triples_) ++matrix_.indptr[static_cast<std::size_t>(t.row) + 1];
    for (std::size_t row = 0; row < static_cast<std::size_t>(matrix_.rows); ++row) {
      matrix_.indptr[row + 1] += matrix_.indptr[row];
    }
    matrix_.indices.resize(triples_.size());
    matrix_.values.resize(triples_.size());
    std::vector<std::int32_t> next(matrix_.indptr.begin(), matrix_.indptr.end() - 1);
    for (const Triple& t : triples_) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(t.row)]++);
      matrix_.indices[at] = t.column;
      matrix_.values[at] = static_cast<float>(t.value);
      if (!std::isfinite(matrix_.values[at])) {
        return lines_.bad_at(t.line, "the value is beyond the largest 32-bit floating-point number",
                             "scale the matrix");
      }
    }
    return std::move(matrix_);
  }

  MatrixMarketLines lines_;
  MatrixMarketHeader header_;
  MatrixMarketOptions options_;
  bool inexact_ = false;
  std::vector<Triple> triples_;
  SparseMatrix matrix_;
};

}  // namespace

Result<SparseMatrix> parse_matrix_market(std::string_view text, const std::string& name,
                                         const MatrixMarketOptions& options) {
  MatrixMarketLines lines(text, name);
  const Result<MatrixMarketHeader> header =
      read_header(lines, options, static_cast<std::int64_t>(text.size()));
  if (!header) return tl::unexpected(header.error());
  return Reader(std::move(lines), *header, options).read();
}

namespace {

struct Text {
  std::string beginning;
  std::int64_t file_bytes = 0;
};

// At most `limit` bytes of a file. error: usage (no path), input.
Result<Text> read_text(const std::filesystem::path& path, std::int64_t limit) {
  if (path.empty()) {
    return failure(ErrorKind::usage, "no file is chosen", "axis file",
                   "give the path of a .mtx file, or choose another distribution of rows");
  }
  // Far above the largest collections; an entry takes up to ten times its text.
  constexpr std::int64_t kMostFileBytes = 8LL << 30;
  Result<InputFile> file = InputFile::open(path, kMostFileBytes);
  if (!file) return tl::unexpected(file.error());
  Text text{std::string(static_cast<std::size_t>(std::min(file->bytes(), limit)), '\0'),
            file->bytes()};
  std::size_t length = 0;
  while (length < text.beginning.size()) {
    const Result<std::size_t> step =
        file->read(text.beginning.data() + length, text.beginning.size() - length);
    if (!step) return tl::unexpected(step.error());
    if (*step == 0) break;
    length += *step;
  }
  text.beginning.resize(length);
  return text;
}

}  // namespace

Result<SparseMatrix> load_matrix_market(const std::filesystem::path& path,
                                        const MatrixMarketOptions& options) {
  if (Result<void> admitted = admit_path(path.string()); !admitted)
    return tl::unexpected(admitted.error());
  const Result<Text> text = read_text(path, std::numeric_limits<std::int64_t>::max());
  if (!text) return tl::unexpected(text.error());
  return parse_matrix_market(text->beginning, path.string(), options);
}

Result<FileShape> read_matrix_market_shape(const std::filesystem::path& path) {
  constexpr std::int64_t kHead = 1 << 20;  // comments before the size line are rarely longer
  if (Result<void> admitted = admit_path(path.string()); !admitted)
    return tl::unexpected(admitted.error());
  const Result<Text> head = read_text(path, kHead);
  if (!head) return tl::unexpected(head.error());
  // Whether complex values are wanted is asked when the entries are read.
  MatrixMarketLines lines(head->beginning, path.string());
  return read_header(lines, {ComplexAs::magnitude}, head->file_bytes)
      .map([](const MatrixMarketHeader& header) {
        return FileShape{
            header.rows, header.columns,
            header.symmetry == MatrixSymmetry::general ? header.entries : 2 * header.entries};
      });
}

}  // namespace warpscope
