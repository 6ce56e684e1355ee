// scenes/host/matrix_market.cpp: reads Matrix Market files into CSR.
#include "scenes/host/matrix_market.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

enum class Field { real, integer, pattern, complex };
enum class Symmetry { general, symmetric, skew, hermitian };

struct Triple {
  std::int32_t row, column;
  double value;
  std::int64_t line;
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// Whether a number out of a double's range is too small for it, not too large.
bool underflows(std::string_view number) {
  const std::size_t exponent = number.find('e');
  if (exponent != std::string_view::npos) return number.substr(exponent + 1).starts_with('-');
  return number.find_first_of("123456789") > number.find('.');
}

class Reader {
 public:
  Reader(std::string_view text, std::string name, const MatrixMarketOptions& options,
         std::int64_t file_bytes)
      : text_(text), name_(std::move(name)), options_(options), file_bytes_(file_bytes) {}

  Result<SparseMatrix> read() {
    if (text_.starts_with("\x1f\x8b") || text_.starts_with("PK") || text_.starts_with("BZh")) {
      return bad("the file is compressed", "unpack it first");
    }
    return banner()
        .and_then([&] { return sizes(); })
        .and_then([&] { return array_ ? array_entries() : coordinate_entries(); })
        .and_then([&] { return mirror(); })
        .and_then([&]() -> Result<SparseMatrix> { return assemble(); });
  }

  Result<MatrixShape> shape() {
    if (text_.starts_with("\x1f\x8b") || text_.starts_with("PK") || text_.starts_with("BZh")) {
      return bad("the file is compressed", "unpack it first");
    }
    return banner().and_then([&] { return sizes(); }).map([&] {
      return MatrixShape{matrix_.rows, matrix_.columns,
                         symmetry_ == Symmetry::general ? entries_ : 2 * entries_};
    });
  }

 private:
  tl::unexpected<Error> bad(std::string what, std::string remedy = "correct the file") const {
    return failure(ErrorKind::input, std::move(what), name_ + ":" + std::to_string(line_),
                   std::move(remedy));
  }

  // The next line's words; nothing at the end of the text. Comments and blank lines are passed
  // over.
  std::optional<std::vector<std::string_view>> next_words() {
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
      if (words.empty() || (words[0].front() == '%' && banner_seen_)) continue;
      return words;
    }
    return std::nullopt;
  }

  Result<void> banner() {
    const auto words = next_words();
    banner_seen_ = true;
    if (!words) return bad("the file is empty", "choose a Matrix Market file");
    if (lower((*words)[0]) != "%%matrixmarket") {
      return bad("the first line is not a MatrixMarket banner", "choose a Matrix Market file");
    }
    if (words->size() < 5 || lower((*words)[1]) != "matrix") {
      return bad("the banner is not “matrix format field symmetry”");
    }
    const std::string format = lower((*words)[2]), field = lower((*words)[3]),
                      symmetry = lower((*words)[4]);
    if (format != "coordinate" && format != "array") {
      return bad("the banner's format is “" + format + "”", "it must be coordinate or array");
    }
    array_ = format == "array";
    if (field == "real" || field == "double") {
      field_ = Field::real;
    } else if (field == "integer" || field == "unsigned-integer") {
      field_ = Field::integer;
    } else if (field == "pattern") {
      field_ = Field::pattern;
      if (array_) return bad("an array cannot have the field pattern");
    } else if (field == "complex") {
      field_ = Field::complex;
      if (options_.complex == ComplexAs::refuse) {
        return bad("the matrix is complex", "choose “real part” or “magnitude” for complex values");
      }
    } else {
      return bad("the banner's field is “" + field + "”",
                 "it must be real, double, integer, unsigned-integer, pattern or complex");
    }
    if (symmetry == "general") {
      symmetry_ = Symmetry::general;
    } else if (symmetry == "symmetric") {
      symmetry_ = Symmetry::symmetric;
    } else if (symmetry == "skew-symmetric") {
      symmetry_ = Symmetry::skew;
      if (field_ == Field::pattern) return bad("a pattern cannot be skew-symmetric");
    } else if (symmetry == "hermitian") {
      symmetry_ = Symmetry::hermitian;
      if (field_ != Field::complex) return bad("only complex matrices can be hermitian");
    } else {
      return bad("the banner's symmetry is “" + symmetry + "”",
                 "it must be general, symmetric, skew-symmetric or hermitian");
    }
    return {};
  }

  Result<std::int64_t> whole(std::string_view word, const char* what) const {
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

  Result<double> real(std::string_view word) const {
    std::string text(word);
    std::replace(text.begin(), text.end(), 'd', 'e');  // Fortran exponents
    std::replace(text.begin(), text.end(), 'D', 'e');
    if (text.starts_with('+') && !text.starts_with("+-")) text.erase(0, 1);
    double value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool out_of_range = end.ec == std::errc::result_out_of_range;
    if ((!out_of_range && end.ec != std::errc()) || end.ptr != text.data() + text.size()) {
      return bad("“" + std::string(word.substr(0, 40)) + "” is not a number");
    }
    if (!std::isfinite(value)) {
      return bad("the value “" + std::string(word.substr(0, 40)) + "” is not finite",
                 "remove it: products with it have no finite result");
    }
    if (out_of_range && underflows(text)) return 0.0;
    if (out_of_range || std::abs(value) > std::numeric_limits<float>::max()) {
      return bad("the value “" + std::string(word.substr(0, 40)) + "” does not fit a 32-bit float",
                 "scale the matrix");
    }
    return value;
  }

  Result<void> sizes() {
    const auto words = next_words();
    if (!words) return bad("the size line is missing: the file is truncated", "fetch it again");
    const std::size_t expected = array_ ? 2 : 3;
    if (words->size() != expected) {
      return bad("the size line has " + std::to_string(words->size()) + " numbers instead of " +
                 std::to_string(expected));
    }
    const auto rows = whole((*words)[0], "the number of rows");
    const auto columns = whole((*words)[1], "the number of columns");
    if (!rows) return tl::unexpected(rows.error());
    if (!columns) return tl::unexpected(columns.error());
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
    if (*rows < 0 || *columns < 0) return bad("the size line has a negative number");
    if (*rows > kMost || *columns > kMost) return bad("the size does not fit 32-bit indices");
    if (!array_) {
      const auto entries = whole((*words)[2], "the number of entries");
      if (!entries) return tl::unexpected(entries.error());
      if (*entries < 0) return bad("the size line has a negative number");
      entries_ = *entries;
    } else {
      entries_ = symmetry_ == Symmetry::general ? *rows * *columns
                 : symmetry_ == Symmetry::skew  ? *rows * (*rows - 1) / 2
                                                : *rows * (*rows + 1) / 2;
    }
    if (symmetry_ != Symmetry::general && *rows != *columns) {
      return bad("a symmetric matrix must be square, this one is " + std::to_string(*rows) + " × " +
                 std::to_string(*columns));
    }
    matrix_.rows = *rows;
    matrix_.columns = *columns;
    // An entry takes at least two characters, a pattern entry four: a header that promises more
    // than the file can hold is found before memory is taken for it. Rows cost memory without text.
    const std::int64_t room = file_bytes_;
    if (entries_ > room) {
      return bad("the size line promises " + std::to_string(entries_) +
                     " entries but the file is only " + std::to_string(room) + " bytes long",
                 "the file is truncated or its size line is wrong");
    }
    constexpr std::int64_t kManyEmpty = 1 << 16, kShortestEntry = 4;
    const std::int64_t longer = std::max(*rows, *columns);
    if (longer > kManyEmpty && longer > room / kShortestEntry) {
      return bad("the size line promises " + std::to_string(longer) +
                     (*rows > *columns ? " rows" : " columns") +
                     ", more than the file has room for entries",
                 "the file is truncated, or leave out the rows and columns that are empty");
    }
    return {};
  }

  Result<double> value_of(const std::vector<std::string_view>& words, std::size_t at) {
    if (field_ == Field::pattern) return 1.0;
    const auto first = real(words[at]);
    if (!first) return first;
    if (field_ == Field::integer) {
      if (std::abs(*first) > 16777216.0) inexact_ = true;
      return first;
    }
    if (field_ == Field::real) return first;
    const auto second = real(words[at + 1]);
    if (!second) return second;
    return options_.complex == ComplexAs::real_part ? *first : std::hypot(*first, *second);
  }

  std::size_t value_words() const {
    return field_ == Field::pattern ? 0 : field_ == Field::complex ? 2 : 1;
  }

  Result<void> coordinate_entries() {
    triples_.reserve(static_cast<std::size_t>(entries_));
    while (const auto words = next_words()) {
      if (static_cast<std::int64_t>(triples_.size()) == entries_) {
        return bad("there are more entries than the " + std::to_string(entries_) +
                   " of the size line");
      }
      if (words->size() != 2 + value_words()) {
        return bad("the entry has " + std::to_string(words->size()) + " words instead of " +
                   std::to_string(2 + value_words()));
      }
      const auto row = whole((*words)[0], "the row");
      const auto column = whole((*words)[1], "the column");
      if (!row) return tl::unexpected(row.error());
      if (!column) return tl::unexpected(column.error());
      if (*row < 1 || *row > matrix_.rows) {
        return bad(
            "row " + std::to_string(*row) + " is outside 1 to " + std::to_string(matrix_.rows),
            *row == 0 ? "indices of the format start at 1: add 1 to all of them"
                      : "correct the file");
      }
      if (*column < 1 || *column > matrix_.columns) {
        return bad("column " + std::to_string(*column) + " is outside 1 to " +
                       std::to_string(matrix_.columns),
                   *column == 0 ? "indices of the format start at 1: add 1 to all of them"
                                : "correct the file");
      }
      const auto value = value_of(*words, 2);
      if (!value) return tl::unexpected(value.error());
      triples_.push_back({static_cast<std::int32_t>(*row - 1),
                          static_cast<std::int32_t>(*column - 1), *value, line_});
    }
    if (static_cast<std::int64_t>(triples_.size()) < entries_) {
      return bad("the file ends after " + std::to_string(triples_.size()) + " of " +
                     std::to_string(entries_) + " entries",
                 "the file is truncated: fetch it again");
    }
    return {};
  }

  Result<void> array_entries() {
    std::int64_t read = 0;
    std::int64_t row = symmetry_ == Symmetry::skew ? 1 : 0, column = 0;
    while (const auto words = next_words()) {
      if (read == entries_) {
        return bad("there are more values than the " + std::to_string(entries_) +
                   " of the size line");
      }
      if (words->size() != value_words()) {
        return bad("the line has " + std::to_string(words->size()) + " words instead of " +
                   std::to_string(value_words()));
      }
      const auto value = value_of(*words, 0);
      if (!value) return tl::unexpected(value.error());
      if (*value != 0) {
        triples_.push_back(
            {static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), *value, line_});
      }
      ++read;
      if (++row == matrix_.rows) {
        ++column;
        row = symmetry_ == Symmetry::general ? 0
              : symmetry_ == Symmetry::skew  ? column + 1
                                             : column;
      }
    }
    if (read < entries_) {
      return bad("the file ends after " + std::to_string(read) + " of " + std::to_string(entries_) +
                     " values",
                 "the file is truncated: fetch it again");
    }
    return {};
  }

  Result<void> mirror() {
    matrix_.stored_entries = static_cast<std::int64_t>(triples_.size());
    if (inexact_) matrix_.warnings.push_back("some integers are not exact in 32-bit floats");
    if (symmetry_ == Symmetry::general) return {};
    // |−z| = |z|: magnitudes of a skew-symmetric matrix are symmetric.
    const bool magnitudes = field_ == Field::complex && options_.complex == ComplexAs::magnitude;
    const double sign = symmetry_ == Symmetry::skew && !magnitudes ? -1.0 : 1.0;
    bool upper = false;
    const std::size_t stored = triples_.size();
    for (std::size_t i = 0; i < stored; ++i) {
      const Triple t = triples_[i];
      if (t.row == t.column) {
        if (symmetry_ == Symmetry::skew && t.value != 0) {
          line_ = t.line;
          return bad("a skew-symmetric matrix has a nonzero on its diagonal");
        }
        continue;
      }
      upper = upper || t.column > t.row;
      triples_.push_back({t.column, t.row, sign * t.value, t.line});
    }
    if (upper)
      matrix_.warnings.push_back("entries above the diagonal were taken as the stored triangle");
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
        line_ = std::max(t.line, found->line);
        return bad("lines " + std::to_string(std::min(t.line, found->line)) + " and " +
                       std::to_string(std::max(t.line, found->line)) +
                       " store both (i, j) and (j, i) of a symmetric matrix",
                   "keep one triangle");
      }
    }
    return {};
  }

  Result<SparseMatrix> assemble() {
    if (triples_.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      return bad("nnz does not fit 32-bit row pointers", "use a smaller matrix");
    }
    matrix_.pattern = field_ == Field::pattern;
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
        line_ = t.line;
        return bad("the value is beyond the largest 32-bit floating-point number",
                   "scale the matrix");
      }
    }
    return std::move(matrix_);
  }

  std::string_view text_;
  std::string name_;
  MatrixMarketOptions options_;
  std::int64_t file_bytes_ = 0;
  std::size_t position_ = 0;
  std::int64_t line_ = 0;
  bool banner_seen_ = false, array_ = false, inexact_ = false;
  Field field_ = Field::real;
  Symmetry symmetry_ = Symmetry::general;
  std::int64_t entries_ = 0;
  std::vector<Triple> triples_;
  SparseMatrix matrix_;
};

}  // namespace

Result<SparseMatrix> parse_matrix_market(std::string_view text, const std::string& name,
                                         const MatrixMarketOptions& options) {
  return Reader(text, name, options, static_cast<std::int64_t>(text.size())).read();
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
  const Result<Text> text = read_text(path, std::numeric_limits<std::int64_t>::max());
  if (!text) return tl::unexpected(text.error());
  return parse_matrix_market(text->beginning, path.string(), options);
}

Result<MatrixShape> read_matrix_market_shape(const std::filesystem::path& path) {
  constexpr std::int64_t kHead = 1 << 20;  // comments before the size line are rarely longer
  const Result<Text> head = read_text(path, kHead);
  if (!head) return tl::unexpected(head.error());
  // Whether complex values are wanted is asked when the entries are read.
  return Reader(head->beginning, path.string(), {ComplexAs::magnitude}, head->file_bytes).shape();
}

}  // namespace warpscope
