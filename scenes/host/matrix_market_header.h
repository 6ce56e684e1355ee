// scenes/host/matrix_market_header.h: a Matrix Market file's lines, banner and size line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenes/host/matrix_market.h"

//   MatrixMarketLines lines(text, "a.mtx");
//   const Result<MatrixMarketHeader> header = read_header(lines, options, file_bytes);
//   while (const auto words = lines.next()) …      // the entries

namespace warpscope {

enum class MatrixField { real, integer, pattern, complex };
enum class MatrixSymmetry { general, symmetric, skew, hermitian };

// The words of a text, line by line, and where that is, for errors.
class MatrixMarketLines {
 public:
  MatrixMarketLines(std::string_view text, std::string name)
      : text_(text), name_(std::move(name)) {}

  // The next line's words; nothing at the end of the text. Blank lines are passed over and, but in
  // the first line, comments.
  std::optional<std::vector<std::string_view>> next();
  std::int64_t line() const { return line_; }
  std::string_view text() const { return text_; }

  // An error of the line last read, or of another one.
  tl::unexpected<Error> bad(std::string what, std::string remedy = "correct the file") const;
  tl::unexpected<Error> bad_at(std::int64_t line, std::string what,
                               std::string remedy = "correct the file") const;
  // error: no whole number, or too large; `what` names it: "the row".
  Result<std::int64_t> whole(std::string_view word, const char* what) const;

 private:
  std::string_view text_;
  std::string name_;
  std::size_t position_ = 0;
  std::int64_t line_ = 0;
  bool first_seen_ = false;
};

struct MatrixMarketHeader {
  bool array = false;  // every element is listed, not entries with their places
  MatrixField field = MatrixField::real;
  MatrixSymmetry symmetry = MatrixSymmetry::general;
  std::int64_t rows = 0, columns = 0;
  std::int64_t entries = 0;  // that the file lists
};

// The banner and the size line. error: input, also where the file of `file_bytes` has no room for
// what its size line promises.
Result<MatrixMarketHeader> read_header(MatrixMarketLines& lines, const MatrixMarketOptions& options,
                                       std::int64_t file_bytes);

}  // namespace warpscope
