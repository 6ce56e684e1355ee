// profiling/engine/run/files/user_outputs.cpp: what buffers of a person's launches hold at the end.
#include "profiling/engine/run/files/user_outputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "profiling/points/compare_output.h"
#include "scenes/base/npy_array.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

std::string number_text(double value, ElementType type) {
  const bool wide = type == ElementType::f64;
  char text[40];
  std::snprintf(text, sizeof text, wide ? "%.17g" : "%.9g", value);
  return text;
}

double value_at(const HostArray& array, std::int64_t index) {
  // By the byte, so that of an array made by page only the element's page is made.
  const std::int64_t size = element_bytes(array.type());
  const auto bytes = array.elements<std::byte>();
  std::array<std::byte, 8> element{};
  for (std::int64_t k = 0; k < size; ++k)
    element[static_cast<std::size_t>(k)] = bytes[index * size + k];
  return element_at(array.type(), element.data()).value;
}

// All digits of an element: a double does not have those of 64 bits.
std::string element_text(const HostArray& array, std::int64_t i, bool is_unsigned) {
  if (array.type() != ElementType::i64) return number_text(value_at(array, i), array.type());
  const std::int64_t whole = array.elements<std::int64_t>()[i];
  return is_unsigned ? std::to_string(static_cast<std::uint64_t>(whole)) : std::to_string(whole);
}

// How far element i of two arrays of 64-bit whole numbers is off.
std::uint64_t whole_difference(const HostArray& array, const HostArray& expected, std::int64_t i,
                               bool is_unsigned) {
  const std::int64_t a = array.elements<std::int64_t>()[i],
                     b = expected.elements<std::int64_t>()[i];
  const auto bits_a = static_cast<std::uint64_t>(a), bits_b = static_cast<std::uint64_t>(b);
  const bool less = is_unsigned ? bits_a < bits_b : a < b;
  return less ? bits_b - bits_a : bits_a - bits_b;
}

// How far element i of such an array is from 0.
double magnitude_of(const HostArray& array, std::int64_t i, bool is_unsigned) {
  const std::int64_t whole = array.elements<std::int64_t>()[i];
  return is_unsigned ? static_cast<double>(static_cast<std::uint64_t>(whole))
                     : std::abs(static_cast<double>(whole));
}

// "c[0:4] = 1 2 3 4"
std::string printed(const UserOutput& wanted, const HostArray& array, bool is_unsigned) {
  constexpr std::int64_t kMostPrinted = 1024;
  const std::int64_t first = std::clamp<std::int64_t>(wanted.first, 0, array.count());
  const std::int64_t asked = wanted.count < 0 ? array.count() : wanted.count;
  const std::int64_t end = std::min({array.count(), first + asked, first + kMostPrinted});
  std::string text =
      wanted.buffer + "[" + std::to_string(first) + ":" + std::to_string(end) + "] =";
  for (std::int64_t i = first; i < end; ++i) text += " " + element_text(array, i, is_unsigned);
  return text;
}

std::string percent(std::int64_t part, std::int64_t whole) {
  char text[16];
  std::snprintf(text, sizeof text, "%.4g %%",
                whole == 0 ? 100 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

// Elements whose bits are those of the expected ones, in the output's own type.
std::int64_t equal_bits(const HostArray& array, const HostArray& expected) {
  std::int64_t equal = 0;
  const auto size = static_cast<std::size_t>(element_bytes(array.type()));
  const std::byte *a = array.bytes().data(), *b = expected.bytes().data();
  for (std::int64_t i = 0; i < array.count(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * size;
    equal += array.type() == expected.type() ? std::memcmp(a + at, b + at, size) == 0
                                             : value_at(array, i) == value_at(expected, i);
  }
  return equal;
}

// The element with the largest difference; one that is not a number is larger than any.
std::int64_t worst_element(const HostArray& array, const HostArray& expected) {
  std::int64_t worst = 0;
  double largest = 0;
  for (std::int64_t i = 0; i < array.count() && !std::isnan(largest); ++i) {
    const double is = value_at(array, i), should = value_at(expected, i);
    if (std::isnan(is) && std::isnan(should)) continue;
    const double off = std::abs(is - should);
    if (std::isnan(off) || off > largest) worst = i, largest = off;
  }
  return worst;
}

std::string all_as_expected(const UserOutput& wanted, std::int64_t count, std::int64_t equal) {
  return "all " + std::to_string(count) + " elements of " + wanted.buffer + " are as expected; " +
         percent(equal, count) + " are bit-equal";
}

// The same as compare, of 64-bit whole numbers.
void compare_whole(const UserOutput& wanted, const HostArray& array, const HostArray& expected,
                   bool is_unsigned, TracedOutput& output) {
  std::int64_t wrong = 0, first = -1, worst = 0, equal = 0;
  std::uint64_t largest = 0;
  for (std::int64_t i = 0; i < array.count(); ++i) {
    const std::uint64_t off = whole_difference(array, expected, i, is_unsigned);
    equal += off == 0;
    if (off > largest) worst = i, largest = off;
    const double bound = wanted.absolute + wanted.relative * magnitude_of(expected, i, is_unsigned);
    if (off == 0 || static_cast<double>(off) <= bound) continue;
    ++wrong;
    if (first < 0) first = i;
  }
  output.wrong = wrong > 0;
  if (!output.wrong) {
    output.sentence = all_as_expected(wanted, array.count(), equal);
    return;
  }
  const auto place = [&](std::int64_t i) {
    return wanted.buffer + "[" + std::to_string(i) + "] is " + element_text(array, i, is_unsigned) +
           ", expected " + element_text(expected, i, is_unsigned) + ", off by " +
           std::to_string(whole_difference(array, expected, i, is_unsigned));
  };
  output.sentence = std::to_string(wrong) + " of " + std::to_string(array.count()) +
                    " elements of " + wanted.buffer + " differ; the first: " + place(first) +
                    (worst == first ? "" : "; the largest difference: " + place(worst)) + "; " +
                    percent(equal, array.count()) + " are bit-equal";
}

// Sets the sentence and whether it is wrong. error: input: the file.
Result<void> compare(const UserOutput& wanted, const HostArray& array, bool is_unsigned,
                     TracedOutput& output) {
  UserArgument file;
  file.buffer = true;
  file.fill = "file";
  file.file = wanted.expected_file;
  file.count = -1;
  file.type = array.type();
  file.type_given = !wanted.expected_file.ends_with(".npy");
  const Result<HostArray> expected = elements_of(file, 0);
  if (!expected) return tl::unexpected(expected.error());
  if (expected->count() != array.count()) {
    output.wrong = true;
    output.sentence = wanted.buffer + " has " + std::to_string(array.count()) + " elements, and " +
                      wanted.expected_file + " has " + std::to_string(expected->count());
    return {};
  }
  if (array.type() == ElementType::i64 && expected->type() == ElementType::i64) {
    compare_whole(wanted, array, *expected, is_unsigned, output);
    return {};
  }
  std::vector<ReferenceValue> values(static_cast<std::size_t>(array.count()));
  for (std::int64_t i = 0; i < array.count(); ++i)
    values[static_cast<std::size_t>(i)].value = value_at(*expected, i);
  Tolerance tolerance;
  tolerance.reference = wanted.relative;
  tolerance.absolute = wanted.absolute;
  tolerance.bit_exact = wanted.relative == 0 && wanted.absolute == 0;
  OutputComparison comparison;
  compare_elements(array.type(), array.bytes(), values, tolerance, 0, comparison);
  const std::int64_t equal = equal_bits(array, *expected);
  output.wrong = comparison.mismatches > 0;
  if (!output.wrong) {
    output.sentence = all_as_expected(wanted, array.count(), equal);
    return {};
  }
  std::int64_t first = 0;
  for (; first < array.count(); ++first) {
    OutputComparison one;
    const auto size = static_cast<std::size_t>(element_bytes(array.type()));
    compare_elements(
        array.type(), array.bytes().subspan(static_cast<std::size_t>(first) * size, size),
        std::span(values).subspan(static_cast<std::size_t>(first), 1), tolerance, first, one);
    if (one.mismatches > 0) break;
  }
  const std::int64_t worst = worst_element(array, *expected);
  const auto place = [&](std::int64_t i) {
    const double is = value_at(array, i), should = value_at(*expected, i);
    return wanted.buffer + "[" + std::to_string(i) + "] is " + number_text(is, array.type()) +
           ", expected " + number_text(should, array.type()) + ", off by " +
           number_text(std::abs(is - should), array.type());
  };
  output.sentence = std::to_string(comparison.mismatches) + " of " + std::to_string(array.count()) +
                    " elements of " + wanted.buffer + " differ; the first: " + place(first) +
                    (worst == first ? "" : "; the largest difference: " + place(worst)) + "; " +
                    percent(equal, array.count()) + " are bit-equal";
  return {};
}

}  // namespace

Result<std::vector<TracedOutput>> outputs_of(const std::vector<UserOutput>& wanted,
                                             const UserBuffers& buffers,
                                             const EmulatedMemory& memory) {
  std::vector<TracedOutput> outputs;
  for (const UserOutput& each : wanted) {
    const UserBuffers::Placed* placed = buffers.find(each.buffer);
    if (placed == nullptr)
      return failure(ErrorKind::usage, "there is no buffer “" + each.buffer + "” to look at",
                     each.buffer, "name one of these: " + buffers.names());
    const HostArray& array = *placed->array;
    TracedOutput& output = outputs.emplace_back();
    output.name = each.buffer;
    if (each.count != 0) output.printed = printed(each, array, placed->is_unsigned);
    if (!each.expected_file.empty()) {
      if (Result<void> compared = compare(each, array, placed->is_unsigned, output); !compared)
        return tl::unexpected(compared.error());
      const auto unwritten = memory.unwritten(placed->address, element_bytes(array.type()));
      if (unwritten.count > 0) {
        output.wrong = true;
        output.sentence = std::to_string(unwritten.count) + " of " + std::to_string(array.count()) +
                          " elements of " + each.buffer + " were never written, the first is " +
                          each.buffer + "[" + std::to_string(unwritten.first) + "]; " +
                          output.sentence;
      }
    }
    if (each.out_file.empty()) continue;
    const std::span<const std::byte> bytes = array.bytes();
    const std::string text =
        each.out_file.ends_with(".npy")
            ? npy_text(array.type(), {array.count()}, bytes)
            : std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (Result<void> written = write_file(each.out_file, text); !written)
      return tl::unexpected(written.error());
  }
  return outputs;
}

}  // namespace warpscope
