// profiling/points/compare_output.cpp: compares an output with its reference and words the verdict.
#include "profiling/points/compare_output.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "scenes/base/half.h"

namespace warpscope {

namespace {

// A ratio that stands for "not a number or beyond any bound"; JSON carries no infinity.
constexpr double kHopeless = 1e300;
// … and for a number where the bound is nothing.
constexpr double kNotAllowed = 1e299;

using Element = OutputElement;

template <typename Bits>
std::int64_t place_of(Bits bits) {
  using Signed = std::make_signed_t<Bits>;
  const auto number = static_cast<Signed>(bits);
  return number >= 0 ? number : static_cast<Signed>(number ^ std::numeric_limits<Signed>::max());
}

template <typename T>
Element read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::is_same_v<T, float>) {
    return {value, place_of(std::bit_cast<std::uint32_t>(value))};
  } else if constexpr (std::is_same_v<T, double>) {
    return {value, place_of(std::bit_cast<std::uint64_t>(value))};
  } else {
    return {static_cast<double>(value), static_cast<std::int64_t>(value)};
  }
}

}  // namespace

OutputElement element_at(ElementType type, const std::byte* at) {
  std::uint16_t half = 0;
  switch (type) {
    case ElementType::u8:
      return read<std::uint8_t>(at);
    case ElementType::i8:
      return read<std::int8_t>(at);
    case ElementType::u16:
      return read<std::uint16_t>(at);
    case ElementType::i32:
      return read<std::int32_t>(at);
    case ElementType::u32:
      return read<std::uint32_t>(at);
    case ElementType::i64:
      return read<std::int64_t>(at);
    case ElementType::f16:
      std::memcpy(&half, at, sizeof half);
      return {from_f16(half), place_of(half)};
    case ElementType::bf16:
      std::memcpy(&half, at, sizeof half);
      return {from_bf16(half), place_of(half)};
    case ElementType::f32:
      return read<float>(at);
    case ElementType::f64:
      return read<double>(at);
  }
  return {};
}

double steps_apart(const OutputElement& a, const OutputElement& b) {
  // Two places may be as far apart as a signed number cannot say.
  const auto from = static_cast<std::uint64_t>(std::min(a.place, b.place)),
             to = static_cast<std::uint64_t>(std::max(a.place, b.place));
  return static_cast<double>(to - from);
}

namespace {

// A reference as the element that has it to the last bit; no value if no element can.
std::optional<Element> exact(ElementType type, double value) {
  const auto integer = [value](double least, double most) -> std::optional<Element> {
    if (!(value >= least && value <= most) || value != std::floor(value)) return std::nullopt;
    return Element{value, static_cast<std::int64_t>(value)};
  };
  constexpr double kExactIntegers = 9007199254740991.0;  // 2^53 − 1
  switch (type) {
    case ElementType::u8:
      return integer(0, 255);
    case ElementType::i8:
      return integer(-128, 127);
    case ElementType::u16:
      return integer(0, 65535);
    case ElementType::i32:
      return integer(std::numeric_limits<std::int32_t>::min(),
                     std::numeric_limits<std::int32_t>::max());
    case ElementType::u32:
      return integer(0, std::numeric_limits<std::uint32_t>::max());
    case ElementType::i64:
      return integer(-kExactIntegers, kExactIntegers);
    case ElementType::f16: {
      const std::uint16_t bits = to_f16(static_cast<float>(value));
      return Element{from_f16(bits), place_of(bits)};
    }
    case ElementType::bf16: {
      const std::uint16_t bits = to_bf16(static_cast<float>(value));
      return Element{from_bf16(bits), place_of(bits)};
    }
    case ElementType::f32: {
      const auto single = static_cast<float>(value);
      return Element{single, place_of(std::bit_cast<std::uint32_t>(single))};
    }
    case ElementType::f64:
      return Element{value, place_of(std::bit_cast<std::uint64_t>(value))};
  }
  return std::nullopt;
}

// How many steps of the type lie between both; 0: every bit is equal.
double steps_between(const Element& a, const std::optional<Element>& b) {
  if (!b) return kHopeless;
  if (std::isnan(a.value) || std::isnan(b->value))
    return std::isnan(a.value) && std::isnan(b->value) ? 0 : kHopeless;
  return steps_apart(a, *b);
}

void compare_bits(ElementType type, std::span<const std::byte> out,
                  std::span<const ReferenceValue> expected, std::int64_t first,
                  OutputComparison& comparison) {
  const auto size = static_cast<std::size_t>(element_bytes(type));
  comparison.bit_exact = true;
  for (std::size_t i = 0; i < out.size() / size; ++i) {
    ++comparison.checked;
    const Element element = element_at(type, out.data() + i * size);
    const double steps = steps_between(element, exact(type, expected[i].value));
    if (steps == 0) continue;
    ++comparison.mismatches;
    if (steps > comparison.worst_error_ratio) {
      comparison.worst_error_ratio = steps;
      comparison.worst = first + static_cast<std::int64_t>(i);
      comparison.at_worst = {element.value, expected[i].value};
    }
  }
}

void compare_values(ElementType type, std::span<const std::byte> out,
                    std::span<const ReferenceValue> expected, const Tolerance& tolerance,
                    std::int64_t first, OutputComparison& comparison) {
  const auto size = static_cast<std::size_t>(element_bytes(type));
  for (std::size_t i = 0; i < out.size() / size; ++i) {
    ++comparison.checked;
    const double value = element_at(type, out.data() + i * size).value;
    const ReferenceValue& e = expected[i];
    if ((std::isnan(value) && std::isnan(e.value)) || value == e.value) continue;
    const double bound = tolerance.accumulation * e.accumulation +
                         tolerance.magnitude * e.magnitude +
                         tolerance.reference * std::abs(e.value) + tolerance.absolute;
    const double error = std::abs(value - e.value);
    // False for NaN. An infinite reference would have an infinite bound and accept everything, so
    // it fails.
    const bool passes = !std::isinf(e.value) && error <= bound;
    if (!passes) ++comparison.mismatches;
    double ratio = error / bound;
    if (!(ratio <= kNotAllowed)) ratio = std::isfinite(error) ? kNotAllowed : kHopeless;
    if (ratio > comparison.worst_error_ratio) {
      comparison.worst_error_ratio = ratio;
      comparison.worst = first + static_cast<std::int64_t>(i);
      comparison.at_worst = {value, e.value};
    }
  }
}

}  // namespace

Tolerance for_output(Tolerance tolerance, ElementType type) {
  if (type == ElementType::f16) {
    tolerance.reference += std::ldexp(1.0, -11);
    tolerance.absolute = std::max(tolerance.absolute, std::ldexp(1.0, -25));
  } else if (type == ElementType::bf16) {
    tolerance.reference += std::ldexp(1.0, -8);
  }
  return tolerance;
}

void compare_elements(std::span<const float> out, std::span<const ReferenceValue> expected,
                      const Tolerance& tolerance, std::int64_t first,
                      OutputComparison& comparison) {
  compare_elements(ElementType::f32, std::as_bytes(out), expected, tolerance, first, comparison);
}

void compare_elements(std::span<const std::uint32_t> out, std::span<const ReferenceValue> expected,
                      const Tolerance& tolerance, std::int64_t first,
                      OutputComparison& comparison) {
  compare_elements(ElementType::u32, std::as_bytes(out), expected, tolerance, first, comparison);
}

void compare_elements(ElementType type, std::span<const std::byte> out,
                      std::span<const ReferenceValue> expected, const Tolerance& tolerance,
                      std::int64_t first, OutputComparison& comparison) {
  if (tolerance.bit_exact) return compare_bits(type, out, expected, first, comparison);
  compare_values(type, out, expected, tolerance, first, comparison);
}

bool accepts_zeros(ElementType type, std::span<const ReferenceValue> expected,
                   const Tolerance& tolerance) {
  constexpr std::array<std::byte, 8> kZero{};
  const std::span<const std::byte> zero(kZero.data(),
                                        static_cast<std::size_t>(element_bytes(type)));
  bool something = false;
  for (const ReferenceValue& value : expected) {
    something = something || value.value != 0;
    OutputComparison one;
    compare_elements(type, zero, {&value, 1}, tolerance, 0, one);
    if (one.mismatches > 0) return false;
  }
  return something;
}

tl::unexpected<Error> judges_nothing(const std::string& output) {
  return failure(ErrorKind::input,
                 "the tolerance cannot find errors: zeros in all of " + output + " would pass too",
                 "tolerance", "allow less than the outputs themselves");
}

Verdict without_reference() {
  Verdict verdict;
  verdict.outcome = Outcome::no_reference;
  verdict.sentence = "it ran, but the scene has no reference to compare its outputs with";
  verdict.remedy = "add [reference] and [tolerance] to the scene's description";
  return verdict;
}

Verdict written_into(const std::string& input) {
  Verdict verdict;
  verdict.outcome = Outcome::wrong;
  verdict.sentence = "it writes into the input " + input + ": its next run has another input";
  verdict.remedy = "write to outputs and scratch, or declare " + input +
                   " a state, which is restored before every sample";
  return verdict;
}

WrongElement wrong_element(const BufferSpec& spec, std::int64_t index,
                           std::span<const std::byte> element, const ReferenceValue& expected) {
  const auto text = [](double value) {
    if (std::isnan(value)) return std::string("nan");  // of either sign
    char digits[48];
    std::snprintf(digits, sizeof digits, "%.9g", value);
    return std::string(digits);
  };
  return {element_name(spec, index), text(element_at(spec.type, element.data()).value),
          text(expected.value)};
}

std::optional<WrongElement> find_first_wrong(const BufferSpec& spec, std::span<const std::byte> out,
                                             std::span<const ReferenceValue> expected,
                                             const Tolerance& tolerance) {
  const auto size = static_cast<std::size_t>(element_bytes(spec.type));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    OutputComparison one;
    const std::span<const std::byte> element = out.subspan(i * size, size);
    compare_elements(spec.type, element, expected.subspan(i, 1), tolerance, 0, one);
    if (one.mismatches > 0)
      return wrong_element(spec, static_cast<std::int64_t>(i), element, expected[i]);
  }
  return std::nullopt;
}

Result<const Reference*> named_reference(const Scene& scene, const Variant& variant,
                                         const std::string& name) {
  if (const Reference* reference = find_reference(scene, name)) return reference;
  return failure(ErrorKind::internal, "there is no reference " + name, variant.name);
}

Result<const Reference*> judging_reference(const Scene& scene, const Variant& variant) {
  Result<const Reference*> reference = named_reference(scene, variant, variant.reference);
  if (reference && (*reference)->reported_only)
    return failure(ErrorKind::internal, "its reference " + variant.reference + " is only reported",
                   variant.name);
  return reference;
}

int comparison_type(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return 0;
    case ElementType::f16:
      return 1;
    case ElementType::bf16:
      return 2;
    case ElementType::u32:
      return 3;
    case ElementType::i32:
      return 4;
    case ElementType::u16:
      return 5;
    case ElementType::u8:
      return 6;
    case ElementType::i8:
      return 7;
    case ElementType::i64:
      return 8;
    case ElementType::f64:
      return 9;
  }
  return 0;
}

std::string element_name(const BufferSpec& spec, std::int64_t index) {
  std::string text;
  for (std::size_t axis = spec.shape.size(); axis-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(1, spec.shape[axis]);
    text = std::to_string(index % extent) + (text.empty() ? "" : ", ") + text;
    index /= extent;
  }
  return spec.name + "[" + text + "]";
}

namespace {

std::string count_of(std::int64_t value) { return format_value(static_cast<double>(value), "1"); }

bool is_floating(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f64 || type == ElementType::f16 ||
         type == ElementType::bf16;
}

std::string digits_of(double value, int digits) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

// ": 5 in place of 4"
std::string pair_words(const OutputComparison::Pair& pair, ElementType type) {
  const int digits = is_floating(type) ? 9 : 17;
  return ": " + digits_of(pair.value, digits) + " in place of " + digits_of(pair.expected, digits);
}

// "; a relative difference of 2.4e-07"
std::string relative_words(double value, double expected) {
  if (expected == 0 || !std::isfinite(value) || !std::isfinite(expected)) return "";
  return ", a relative difference of " +
         digits_of(std::abs(value - expected) / std::abs(expected), 2);
}

// A word as an f32, if it looks like one that a program computes with: whole numbers that are not
// huge have the exponents of numbers far below.
std::optional<float> as_f32(double word) {
  const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(word));
  constexpr float kLeast = 1e-15f, kMost = 1e15f;
  const float size = std::abs(number);
  return size >= kLeast && size <= kMost ? std::optional(number) : std::nullopt;
}

// How far two elements of a bit-exact output are apart, in units that the type has.
std::string apart_words(double steps, ElementType type,
                        const std::optional<OutputComparison::Pair>& pair) {
  const std::string count = digits_of(steps, 17);
  if (is_floating(type))
    return ", by " + count + " ulp" + (pair ? relative_words(pair->value, pair->expected) : "");
  if (!pair) return ", by " + count;
  const std::string words = ", by " + count + pair_words(*pair, type);
  if (type != ElementType::u32) return words;
  // Captured memory has no type: its words are compared as whole numbers.
  const std::optional<float> value = as_f32(pair->value), expected = as_f32(pair->expected);
  if (!value || !expected || std::signbit(*value) != std::signbit(*expected)) return words;
  return ", by " + count + " as words of 32 bits; read as f32, by " + count + " ulp" +
         relative_words(*value, *expected);
}

Verdict bit_verdict(Verdict verdict, const BufferSpec& output, const std::string& place,
                    const std::optional<OutputComparison::Pair>& pair) {
  if (verdict.mismatches == 0) {
    verdict.outcome = Outcome::correct;
    verdict.sentence = "every bit of " + count_of(verdict.checked_elements) + " elements of " +
                       output.name + " equals the reference";
    return verdict;
  }
  verdict.outcome = Outcome::wrong;
  verdict.sentence = count_of(verdict.checked_elements - verdict.mismatches) + " of " +
                     count_of(verdict.checked_elements) + " elements of " + output.name +
                     " are bit-equal; the farthest, at " + place;
  if (verdict.worst_error_ratio >= kHopeless) {
    verdict.sentence += is_floating(output.type)
                            ? ", is not a number or was never written"
                            : ", has a reference that its type cannot represent";
  } else {
    verdict.sentence += apart_words(verdict.worst_error_ratio, output.type, pair);
  }
  verdict.remedy = "no time is shown for a wrong result";
  return verdict;
}

}  // namespace

Verdict verdict_of(const OutputComparison& comparison, const BufferSpec& output) {
  Verdict verdict;
  verdict.checked_elements = comparison.checked;
  verdict.mismatches = comparison.mismatches;
  verdict.worst_error_ratio = comparison.worst_error_ratio;
  const std::string place = element_name(output, comparison.worst);
  if (comparison.bit_exact)
    return bit_verdict(std::move(verdict), output, place, comparison.at_worst);
  // Two digits, and never an exponent.
  const double worst_ratio = verdict.worst_error_ratio;
  char ratio[48];
  if (worst_ratio >= 100 && worst_ratio < 1e12) {
    const double unit = std::pow(10.0, std::floor(std::log10(worst_ratio)) - 1);
    std::snprintf(ratio, sizeof ratio, "%.0f", std::round(worst_ratio / unit) * unit);
  } else {
    std::snprintf(ratio, sizeof ratio, "%.2g", worst_ratio);
  }
  const std::string share = format_value(verdict.worst_error_ratio, "ratio");
  if (verdict.mismatches == 0) {
    verdict.outcome = Outcome::correct;
    verdict.sentence = verdict.worst_error_ratio == 0
                           ? "every element equals the reference"
                           : "largest error " + share + " of what is allowed, at " + place;
    return verdict;
  }
  verdict.outcome = Outcome::wrong;
  const double worst = verdict.worst_error_ratio;
  verdict.sentence =
      std::to_string(verdict.mismatches) + " of " + std::to_string(comparison.checked) +
      " elements are beyond the bound; the worst, at " + place +
      (worst >= kHopeless
           ? ", is not a number or was never written"
           : (worst >= kNotAllowed ? ", where the bound is 0"
                                   : std::string(", by ") + ratio + "×") +
                 (comparison.at_worst ? pair_words(*comparison.at_worst, output.type) : ""));
  verdict.remedy = "no time is shown for a wrong result";
  return verdict;
}

void add_output(Verdict& whole, const Verdict& output) {
  whole.checked_elements += output.checked_elements;
  whole.mismatches += output.mismatches;
  if (whole.sentence.empty() || output.worst_error_ratio > whole.worst_error_ratio ||
      (output.outcome == Outcome::wrong && whole.outcome != Outcome::wrong)) {
    whole.worst_error_ratio = std::max(whole.worst_error_ratio, output.worst_error_ratio);
    whole.sentence = output.sentence;
    whole.remedy = output.remedy;
  }
  if (output.outcome != Outcome::correct) whole.outcome = output.outcome;
}

ReportedError reported_error(const std::string& reference, const Verdict& whole) {
  return {reference, whole.worst_error_ratio, whole.mismatches, whole.checked_elements,
          "against " + reference + ": " + whole.sentence};
}

}  // namespace warpscope
