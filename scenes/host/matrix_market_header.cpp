// scenes/host/matrix_market_header.cpp: a Matrix Market file's lines, banner and size line.
#include "scenes/host/matrix_market_header.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace warpscope {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

Result<void> read_field(const MatrixMarketLines& lines, const MatrixMarketOptions& options,
                        const std::string& field, MatrixMarketHeader& header) {
  if (field == "real" || field == "double") {
    header.field = MatrixField::real;
  } else if (field == "integer" || field == "unsigned-integer") {
    header.field = MatrixField::integer;
  } else if (field == "pattern") {
    header.field = MatrixField::pattern;
    if (header.array) return lines.bad("an array cannot have the field pattern");
  } else if (field == "complex") {
    header.field = MatrixField::complex;
    if (options.complex == ComplexAs::refuse) {
      return lines.bad("the matrix is complex",
                       "choose “real part” or “magnitude” for complex values");
    }
  } else {
    return lines.bad("the banner's field is “" + field + "”",
                     "it must be real, double, integer, unsigned-integer, pattern or complex");
  }
  return {};
}

Result<void> read_symmetry(const MatrixMarketLines& lines, const std::string& symmetry,
                           MatrixMarketHeader& header) {
  if (symmetry == "general") {
    header.symmetry = MatrixSymmetry::general;
  } else if (symmetry == "symmetric") {
    header.symmetry = MatrixSymmetry::symmetric;
  } else if (symmetry == "skew-symmetric") {
    header.symmetry = MatrixSymmetry::skew;
    if (header.field == MatrixField::pattern)
      return lines.bad("a pattern cannot be skew-symmetric");
  } else if (symmetry == "hermitian") {
    header.symmetry = MatrixSymmetry::hermitian;
    if (header.field != MatrixField::complex)
      return lines.bad("only complex matrices can be hermitian");
  } else {
    return lines.bad("the banner's symmetry is “" + symmetry + "”",
                     "it must be general, symmetric, skew-symmetric or hermitian");
  }
  return {};
}

Result<void> read_banner(MatrixMarketLines& lines, const MatrixMarketOptions& options,
                         MatrixMarketHeader& header) {
  const auto words = lines.next();
  if (!words) return lines.bad("the file is empty", "choose a Matrix Market file");
  if (lower((*words)[0]) != "%%matrixmarket") {
    return lines.bad("the first line is not a MatrixMarket banner", "choose a Matrix Market file");
  }
  if (words->size() < 5 || lower((*words)[1]) != "matrix") {
    return lines.bad("the banner is not “matrix format field symmetry”");
  }
  const std::string format = lower((*words)[2]), field = lower((*words)[3]),
                    symmetry = lower((*words)[4]);
  if (format != "coordinate" && format != "array") {
    return lines.bad("the banner's format is “" + format + "”", "it must be coordinate or array");
  }
  header.array = format == "array";
  return read_field(lines, options, field, header).and_then([&] {
    return read_symmetry(lines, symmetry, header);
  });
}

Result<void> read_sizes(MatrixMarketLines& lines, MatrixMarketHeader& header) {
  const auto words = lines.next();
  if (!words) return lines.bad("the size line is missing: the file is truncated", "fetch it again");
  const std::size_t expected = header.array ? 2 : 3;
  if (words->size() != expected) {
    return lines.bad("the size line has " + std::to_string(words->size()) + " numbers instead of " +
                     std::to_string(expected));
  }
  const auto rows = lines.whole((*words)[0], "the number of rows");
  const auto columns = lines.whole((*words)[1], "the number of columns");
  if (!rows) return tl::unexpected(rows.error());
  if (!columns) return tl::unexpected(columns.error());
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
  if (*rows < 0 || *columns < 0) return lines.bad("the size line has a negative number");
  if (*rows > kMost || *columns > kMost)
    return lines.bad("the size does not fit in 32-bit indices");
  if (!header.array) {
    const auto entries = lines.whole((*words)[2], "the number of entries");
    if (!entries) return tl::unexpected(entries.error());
    if (*entries < 0) return lines.bad("the size line has a negative number");
    header.entries = *entries;
  } else {
    header.entries = header.symmetry == MatrixSymmetry::general ? *rows * *columns
                     : header.symmetry == MatrixSymmetry::skew  ? *rows * (*rows - 1) / 2
                                                                : *rows * (*rows + 1) / 2;
  }
  if (header.symmetry != MatrixSymmetry::general && *rows != *columns) {
    return lines.bad("a symmetric matrix must be square; this one is " + std::to_string(*rows) +
                     " × " + std::to_string(*columns));
  }
  header.rows = *rows;
  header.columns = *columns;
  return {};
}

// An entry takes at least two characters, a pattern entry four: a header that promises more than
// the file can hold is found before memory is taken for it. Rows cost memory without text.
Result<void> check_room(const MatrixMarketLines& lines, const MatrixMarketHeader& header,
                        std::int64_t room) {
  if (header.entries > room) {
    return lines.bad("the size line promises " + std::to_string(header.entries) +
                         " entries but the file is only " + std::to_string(room) + " bytes long",
                     "the file is truncated or its size line is wrong");
  }
  constexpr std::int64_t kManyEmpty = 1 << 16, kShortestEntry = 4;
  const std::int64_t longer = std::max(header.rows, header.columns);
  if (longer > kManyEmpty && longer > room / kShortestEntry) {
    return lines.bad("the size line promises " + std::to_string(longer) +
                         (header.rows > header.columns ? " rows" : " columns") +
                         ", more than the file can have entries",
                     "the file is truncated, or remove empty rows and columns");
  }
  return {};
}

}  // namespace

std::optional<std::vector<std::string_view>> MatrixMarketLines::next() {
  while (position_ < text_.size()) {
    std::size_t end = text_.find('\n', position_);
    if (end == std::string_view::npos) end = text_.size();
    std::string_view line = text_.substr(position_, end - position_);
    position_ = end + 1;
    ++line_;
    std::vector<std::string_view> words;
    std::size_t at = 0;
    while (at < line.size()) {
      const std::size_t begin = line.find_first_not_of(" \t\r\f\v", at);
      if (begin == std::string_view::npos) break;
      const std::size_t stop = line.find_first_of(" \t\r\f\v", begin);
      at = stop == std::string_view::npos ? line.size() : stop;
      words.push_back(line.substr(begin, at - begin));
      if (words.size() > 8) break;
    }
    if (words.empty() || (words[0].front() == '%' && first_seen_)) continue;
    first_seen_ = true;
    return words;
  }
  return std::nullopt;
}

tl::unexpected<Error> MatrixMarketLines::bad(std::string what, std::string remedy) const {
  return bad_at(line_, std::move(what), std::move(remedy));
}

tl::unexpected<Error> MatrixMarketLines::bad_at(std::int64_t line, std::string what,
                                                std::string remedy) const {
  return failure(ErrorKind::input, std::move(what), name_ + ":" + std::to_string(line),
                 std::move(remedy));
}

Result<std::int64_t> MatrixMarketLines::whole(std::string_view word, const char* what) const {
  std::int64_t value = 0;
  const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end.ec == std::errc::result_out_of_range) {
    return bad(std::string(what) + " “" + std::string(word.substr(0, 40)) + "” overflows");
  }
  if (end.ec != std::errc() || end.ptr != word.data() + word.size()) {
    return bad(std::string(what) + " “" + std::string(word.substr(0, 40)) +
               "” is not a whole number");
  }
  return value;
}

Result<MatrixMarketHeader> read_header(MatrixMarketLines& lines, const MatrixMarketOptions& options,
                                       std::int64_t file_bytes) {
  if (lines.text().starts_with("\x1f\x8b") || lines.text().starts_with("PK") ||
      lines.text().starts_with("BZh")) {
    return lines.bad("the file is compressed", "unpack it first");
  }
  MatrixMarketHeader header;
  return read_banner(lines, options, header)
      .and_then([&] { return read_sizes(lines, header); })
      .and_then([&] { return check_room(lines, header, file_bytes); })
      .map([&] { return header; });
}

}  // namespace warpscope
