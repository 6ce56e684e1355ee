// scenes/base/csr_fill.cpp: sparse matrices in compressed rows as fills of a launch's buffers.
#include "scenes/base/csr_fill.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "scenes/host/random.h"

namespace warpscope {
namespace {

constexpr std::int64_t kMostElements = 1 << 26, kMostExtent = 1 << 30;
constexpr std::uint32_t kGapStream = 0xC52, kValueStream = 0xC53;

tl::unexpected<Error> refuse(std::string_view words, std::string what) {
  return failure(ErrorKind::usage, std::move(what), std::string(words),
                 "write csr indptr, csr indices or csr values, then rows=1000 columns=500 "
                 "density=0.1 and, if you like, a random seed=7");
}

Result<CsrFill::Part> part_named(std::string_view words, std::string_view name) {
  if (name == "indptr") return CsrFill::Part::row_begins;
  if (name == "indices") return CsrFill::Part::columns;
  if (name == "values") return CsrFill::Part::values;
  return refuse(words, "“" + std::string(name) + "” is not a part of a matrix");
}

// "rows=1000" into the number that it names.
Result<void> set_number(std::string_view words, std::string_view word, CsrNumbers& numbers) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const std::string text(equals == std::string_view::npos ? "" : word.substr(equals + 1));
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(number >= 0) || number > 1e15)
    return refuse(words, "“" + std::string(word) + "” has no number");
  if (name == "density") {
    numbers.density = number;
    return {};
  }
  if (number != std::floor(number))
    return refuse(words, "“" + std::string(word) + "” is not a whole number");
  const auto whole = static_cast<std::int64_t>(number);
  if (name == "rows") {
    numbers.rows = whole;
  } else if (name == "columns") {
    numbers.columns = whole;
  } else if (word.starts_with("seed=")) {
    numbers.seed = static_cast<std::uint64_t>(whole);
  } else {
    return refuse(words,
                  "“" + std::string(name) + "” is not one of rows, columns, density and seed=");
  }
  return {};
}

}  // namespace

Result<CsrPattern> csr_pattern(const CsrNumbers& numbers) {
  const auto unfit = [&](const char* what, const char* remedy) {
    return failure(ErrorKind::usage, what, "csr", remedy);
  };
  if (numbers.rows < 1 || numbers.columns < 1 || numbers.rows > kMostExtent ||
      numbers.columns > kMostExtent)
    return unfit("a sparse matrix has 1 to 2^30 rows and columns", "write rows=1000 columns=500");
  if (!(numbers.density >= 0 && numbers.density <= 1))
    return unfit("a density is a number from 0 to 1", "write density=0.1");
  const double all = static_cast<double>(numbers.rows) * static_cast<double>(numbers.columns);
  if (all * numbers.density > static_cast<double>(kMostElements) || numbers.rows > kMostElements)
    return unfit("the sparse matrix has more than 2^26 elements or rows",
                 "choose fewer rows or columns, or a smaller density");
  CsrPattern pattern;
  pattern.row_begins.reserve(static_cast<std::size_t>(numbers.rows) + 1);
  pattern.row_begins.push_back(0);
  const RandomStream random(numbers.seed, kGapStream);
  // The distance to the next element of a Bernoulli sequence is geometric.
  const double scale = numbers.density < 1 ? 1 / std::log1p(-numbers.density) : 0;
  std::uint64_t draws = 0;
  double at = -1;
  const auto advance = [&] {
    const double gap = numbers.density == 0 ? all
                       : numbers.density < 1
                           ? std::floor(std::log1p(-random.uniform(draws++)) * scale)
                           : 0;
    at += 1 + std::min(gap, all);
  };
  advance();
  const auto columns = static_cast<double>(numbers.columns);
  for (std::int64_t row = 0; row < numbers.rows; ++row) {
    const double begin = static_cast<double>(row) * columns;
    for (; at < begin + columns; advance())
      pattern.columns.push_back(static_cast<std::int32_t>(at - begin));
    pattern.row_begins.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

std::int64_t count_of(const CsrFill& fill) {
  const std::size_t count = fill.part == CsrFill::Part::row_begins ? fill.pattern->row_begins.size()
                                                                   : fill.pattern->columns.size();
  return static_cast<std::int64_t>(count);
}

double element_of(const CsrFill& fill, std::int64_t i, bool whole) {
  const auto at = static_cast<std::size_t>(i);
  if (i < 0 || i >= count_of(fill)) return 0;
  if (fill.part == CsrFill::Part::row_begins)
    return static_cast<double>(fill.pattern->row_begins[at]);
  if (fill.part == CsrFill::Part::columns) return fill.pattern->columns[at];
  constexpr std::uint64_t kWholeValues = 9;
  const RandomStream random(fill.seed, kValueStream);
  return whole ? static_cast<double>(1 + random.below(at, kWholeValues)) : random.uniform(at);
}

Result<CsrFill> parse_csr_fill(std::string_view words) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; (at = words.find_first_not_of(' ', at)) != std::string_view::npos;) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    parts.push_back(words.substr(at, end - at));
    at = end;
  }
  if (parts.size() < 2 || parts[0] != "csr") return refuse(words, "it names no part of a matrix");
  const Result<CsrFill::Part> part = part_named(words, parts[1]);
  if (!part) return tl::unexpected(part.error());
  CsrNumbers numbers;
  for (std::size_t k = 2; k < parts.size(); ++k) {
    if (Result<void> set = set_number(words, parts[k], numbers); !set)
      return tl::unexpected(set.error());
  }
  Result<CsrPattern> pattern = csr_pattern(numbers);
  if (!pattern) return refuse(words, pattern.error().what);
  return CsrFill{*part, numbers.seed, std::make_shared<const CsrPattern>(std::move(*pattern))};
}

}  // namespace warpscope
