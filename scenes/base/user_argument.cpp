// scenes/base/user_argument.cpp: kernel arguments in words, for kernels of the person's own.
#include "scenes/base/user_argument.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "scenes/base/half.h"
#include "scenes/host/enumerators.h"
#include "scenes/host/random.h"

namespace warpscope {
namespace {

constexpr std::array kTypes = {
    ElementType::u8,  ElementType::i8,  ElementType::u16,  ElementType::i32, ElementType::u32,
    ElementType::i64, ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::f64};
static_assert(kTypes.size() == kEnumeratorCount<ElementType>);
constexpr std::array kFills = {"zero", "one", "iota", "random", "unset"};

tl::unexpected<Error> refuse(std::string_view text, std::string why) {
  return failure(
      ErrorKind::usage, std::move(why), "--arg " + std::string(text),
      "write TYPE[COUNT]:FILL for a buffer, such as f32[1024]:random, TYPE:VALUE, such as "
      "i32:7, or struct:{…} of both");
}

// The upper half of a float's bits: bfloat16 cut off.
std::uint16_t bf16_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}

// source: IEEE 754-2008 binary16; values here are whole numbers or in [0, 1), cut off.
std::uint16_t f16_bits(float value) {
  if (value == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::abs(value), &exponent);  // in [0.5, 1)
  if (exponent > 16) return 0x7c00;
  if (exponent < -13) return 0;
  const auto mantissa = static_cast<std::uint16_t>((fraction * 2 - 1) * 1024);
  return static_cast<std::uint16_t>((value < 0 ? 0x8000 : 0) | ((exponent + 14) << 10) | mantissa);
}

template <typename T, typename Convert>
void fill_with(std::span<std::byte> bytes, const UserArgument& argument, const RandomStream& random,
               std::int64_t first, Convert&& convert) {
  const bool whole = std::is_integral_v<T> && argument.type != ElementType::f16 &&
                     argument.type != ElementType::bf16;
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(1, argument.count));
  const double turns = (argument.high - argument.low) / argument.step;
  const auto turn = static_cast<std::uint64_t>(std::clamp(std::ceil(turns - 1e-9), 1.0, 1e15));
  auto i = static_cast<std::uint64_t>(first);
  for (T& element : elements_in<T>(bytes)) {
    double value = 0;
    if (argument.fill == "one") value = 1;
    if (argument.fill == "iota") value = static_cast<double>(i);
    if (argument.fill.starts_with("range"))
      value = argument.low + static_cast<double>(i % turn) * argument.step;
    if (argument.csr) value = element_of(*argument.csr, static_cast<std::int64_t>(i), whole);
    if (argument.fill == "random")
      value = whole ? static_cast<double>(random.below(i, count)) : random.uniform(i);
    element = convert(value);
    ++i;
  }
}

template <typename T>
void store_whole(std::span<const double> values, std::span<std::byte> bytes) {
  using Limits = std::numeric_limits<T>;
  const std::span<T> elements = elements_in<T>(bytes);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const double value = std::isnan(values[e]) ? 0 : std::trunc(values[e]);
    if (value >= static_cast<double>(Limits::max())) {
      elements[e] = Limits::max();
    } else {
      elements[e] =
          value <= static_cast<double>(Limits::lowest()) ? Limits::lowest() : static_cast<T>(value);
    }
  }
}

template <typename T, typename Convert>
void store_real(std::span<const double> values, std::span<std::byte> bytes, Convert convert) {
  const std::span<T> elements = elements_in<T>(bytes);
  for (std::size_t e = 0; e < elements.size(); ++e) elements[e] = convert(values[e]);
}

// A whole number in decimal, or in hexadecimal after 0x, that T holds exactly.
template <typename T>
Result<HostArray> whole_value(std::string_view text, std::string_view argument) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  const int base = digits.starts_with("0x") || digits.starts_with("0X") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const auto parsed =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (digits.empty() || parsed.ec == std::errc::invalid_argument ||
      parsed.ptr != digits.data() + digits.size())
    return refuse(argument, "“" + std::string(text) + "” is not a whole number");
  using Limits = std::numeric_limits<T>;
  const auto most = static_cast<std::uint64_t>(Limits::max());
  const std::uint64_t lowest = Limits::is_signed ? most + 1 : 0;  // its magnitude
  if (parsed.ec != std::errc() || magnitude > (negative ? lowest : most)) {
    return refuse(argument, "“" + std::string(text) + "” does not fit " +
                                to_text(element_type_of<T>()) + ", which has values from " +
                                std::to_string(Limits::min()) + " to " +
                                std::to_string(Limits::max()));
  }
  const T value = static_cast<T>(negative ? 0 - magnitude : magnitude);
  return HostArray::of(std::span<const T>(&value, 1));
}

// The bits of a u64, kept as those of an i64.
Result<HostArray> unsigned_value(std::string_view text, std::string_view argument) {
  const std::string_view digits =
      text.starts_with("0x") || text.starts_with("0X") ? text.substr(2) : text;
  std::uint64_t bits = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), bits,
                                      digits.size() == text.size() ? 10 : 16);
  if (digits.empty() || parsed.ptr != digits.data() + digits.size() || text.starts_with('-'))
    return refuse(argument, "“" + std::string(text) + "” is not a whole number from 0 on");
  if (parsed.ec != std::errc())
    return refuse(argument, "“" + std::string(text) +
                                "” does not fit u64, which has values from 0 to "
                                "18446744073709551615");
  const auto value = static_cast<std::int64_t>(bits);
  return HostArray::of(std::span<const std::int64_t>(&value, 1));
}

template <typename T>
Result<HostArray> real_value(const std::string& text, std::string_view argument) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool blank = text.empty() || std::isspace(static_cast<unsigned char>(text[0])) != 0;
  if (blank || *end != '\0' || std::isnan(number))
    return refuse(argument, "“" + text + "” is not a number");
  const T value = static_cast<T>(number);
  const bool vanished = value == 0 && text.find_first_of("123456789") < text.find_first_of("eEpP");
  if (!std::isfinite(value) || vanished) {
    return refuse(argument, "“" + text + "” is " + (vanished ? "nearer to zero" : "larger") +
                                " than " + to_text(element_type_of<T>()) + " can represent");
  }
  return HostArray::of(std::span<const T>(&value, 1));
}

Result<HostArray> value_of(ElementType type, const std::string& text, std::string_view argument) {
  switch (type) {
    case ElementType::u8:
      return whole_value<std::uint8_t>(text, argument);
    case ElementType::i8:
      return whole_value<std::int8_t>(text, argument);
    case ElementType::u16:
      return whole_value<std::uint16_t>(text, argument);
    case ElementType::i32:
      return whole_value<std::int32_t>(text, argument);
    case ElementType::u32:
      return whole_value<std::uint32_t>(text, argument);
    case ElementType::i64:
      return whole_value<std::int64_t>(text, argument);
    case ElementType::f32:
      return real_value<float>(text, argument);
    case ElementType::f64:
      return real_value<double>(text, argument);
    case ElementType::f16:
    case ElementType::bf16:
      break;
  }
  return refuse(argument, "a value cannot have a 16-bit floating type");
}

constexpr std::size_t kMostMembers = 256, kMostNesting = 8;
constexpr std::size_t kMostRawBytes = 4096;  // of all parameters, compute capability 9.0

Result<UserArgument> raw_argument(std::string_view text) {
  std::string_view digits = text.substr(std::string_view("bytes:").size());
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  UserArgument argument;
  argument.kind = UserArgument::Kind::raw;
  if (digits.empty() || digits.size() % 2 != 0 || digits.size() > 2 * kMostRawBytes)
    return refuse(text, "it is not 1 to 4096 bytes of two hexadecimal digits each");
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    std::uint8_t byte = 0;
    const auto parsed = std::from_chars(digits.data() + at, digits.data() + at + 2, byte, 16);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + at + 2)
      return refuse(text, "“" + std::string(digits.substr(at, 2)) + "” is not a byte");
    argument.raw.push_back(static_cast<std::byte>(byte));
  }
  return argument;
}

// "@x.npy": the elements of a file, whose type and count come from it where they are not given.
Result<UserArgument> file_argument(UserArgument argument, std::string_view file,
                                   std::string_view text) {
  argument.file = file.substr(1);
  argument.fill = "file";
  argument.buffer = true;
  if (argument.file.empty()) return refuse(text, "it names no file after “@”");
  if (file == text && !argument.file.ends_with(".npy"))
    return refuse(text,
                  "only a .npy file says what its elements are: write f32:" + std::string(file));
  if (argument.count == 0) argument.count = -1;
  return argument;
}

// "&x", "&x+64"
Result<UserArgument> reference_argument(std::string_view text) {
  UserArgument argument;
  argument.kind = UserArgument::Kind::reference;
  const std::size_t plus = text.find('+');
  argument.name = text.substr(1, plus == std::string_view::npos ? plus : plus - 1);
  if (argument.name.empty()) return refuse(text, "it names no buffer after “&”");
  if (plus == std::string_view::npos) return argument;
  const std::string_view digits = text.substr(plus + 1);
  const auto parsed =
      std::from_chars(digits.data(), digits.data() + digits.size(), argument.offset_bytes);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size())
    return refuse(text, "“" + std::string(digits) + "” is not a number of bytes");
  return argument;
}

// "range 2:10", "range 0:1:0.25"
Result<UserArgument> range_argument(UserArgument argument, std::string_view text) {
  const std::string words = argument.fill.substr(std::string_view("range").size());
  double* const numbers[] = {&argument.low, &argument.high, &argument.step};
  const char* at = words.c_str();
  std::size_t given = 0;
  for (; given < std::size(numbers); ++given) {
    char* end = nullptr;
    *numbers[given] = std::strtod(at, &end);
    if (end == at) return refuse(text, "“" + argument.fill + "” is not a range: range 0:10");
    at = end;
    if (*at != ':') break;
    ++at;
  }
  const double turns = (argument.high - argument.low) / argument.step;
  if (*at != '\0' || given == 0 || !(turns > 0) || !std::isfinite(turns))
    return refuse(text,
                  "“" + argument.fill + "” is not a range: write range 0:10 or range 0:1:0.25");
  return argument;
}

// "i32[]:csr indptr rows=8 columns=8 density=0.5": the matrix says how many elements there are.
Result<UserArgument> csr_argument(UserArgument argument, bool counted, std::string_view text,
                                  std::int64_t most_bytes) {
  Result<CsrFill> fill = parse_csr_fill(argument.fill);
  if (!fill) return tl::unexpected(fill.error());
  const std::int64_t count = count_of(*fill);
  if (counted && argument.count != count)
    return refuse(text, "this part of the matrix has " + std::to_string(count) + " elements, not " +
                            std::to_string(argument.count));
  if (count > most_bytes / element_bytes(argument.type))
    return refuse(text, "the matrix has too many elements");
  argument.count = count;
  argument.csr = std::move(*fill);
  return argument;
}

// "f32[1024]:random"
Result<UserArgument> buffer_argument(UserArgument argument, std::string_view text,
                                     std::int64_t most_bytes) {
  const std::size_t bracket = text.find('['), end = text.find(']');
  const std::string_view count =
      end == std::string_view::npos ? "" : text.substr(bracket + 1, end - bracket - 1);
  const auto parsed = std::from_chars(count.data(), count.data() + count.size(), argument.count);
  const std::int64_t most = most_bytes / element_bytes(argument.type);
  const bool csr = end != std::string_view::npos && text.substr(end + 1).starts_with(":csr ");
  if (csr && count.empty()) {
    argument.buffer = true;
    argument.fill = text.substr(end + 2);
    return csr_argument(std::move(argument), false, text, most_bytes);
  }
  if (count.empty() || parsed.ec != std::errc() || parsed.ptr != count.data() + count.size() ||
      argument.count < 0 || argument.count > most) {
    return refuse(text, "the count in brackets is not a number from 0 to " + std::to_string(most));
  }
  argument.buffer = true;
  const std::string_view rest = text.substr(end + 1);
  if (rest.empty()) return argument;
  argument.fill = rest.substr(1);
  if (rest.starts_with(":@")) return file_argument(std::move(argument), rest.substr(1), text);
  for (const char* fill : kFills) {
    if (rest[0] == ':' && argument.fill == fill) return argument;
  }
  if (rest.starts_with(":=") && rest.size() > 2) return argument;
  if (csr) return csr_argument(std::move(argument), true, text, most_bytes);
  if (rest.starts_with(":range")) return range_argument(std::move(argument), text);
  if (rest.starts_with(":0x") && rest.size() <= 5) {
    const auto byte =
        std::from_chars(rest.data() + 3, rest.data() + rest.size(), argument.byte, 16);
    if (byte.ec == std::errc() && byte.ptr == rest.data() + rest.size()) return argument;
  }
  return refuse(text,
                "the fill must be zero, one, iota, random, unset, range a:b, csr indptr …, a byte "
                "such as 0xff or a file such as @x.npy");
}

Result<UserArgument> parse_argument(std::string_view text, std::size_t depth,
                                    std::int64_t most_bytes);

Result<UserArgument> record_argument(std::string_view text, std::size_t depth,
                                     std::int64_t most_bytes) {
  std::string_view inside = text.substr(std::string_view("struct:").size());
  if (depth > kMostNesting || !inside.starts_with('{') || !inside.ends_with('}'))
    return refuse(text, "write the members in braces: struct:{i32:7,f32:1.5}");
  inside = inside.substr(1, inside.size() - 2);
  UserArgument argument;
  argument.kind = UserArgument::Kind::record;
  const std::vector<std::string_view> parts = members_in(inside);
  if (parts.size() > kMostMembers) return refuse(text, "it has more than 256 members");
  for (const std::string_view part : parts) {
    Result<UserArgument> member = parse_argument(part, depth + 1, most_bytes);
    if (!member) return member;
    argument.members.push_back(std::move(*member));
  }
  return argument;
}

Result<UserArgument> parse_argument(std::string_view text, std::size_t depth,
                                    std::int64_t most_bytes) {
  if (text.starts_with("struct:")) return record_argument(text, depth, most_bytes);
  if (text.starts_with("bytes:")) return raw_argument(text);
  UserArgument argument;
  if (text.starts_with('&')) return reference_argument(text);
  if (text == "?") {
    argument.kind = UserArgument::Kind::unknown;
    return argument;
  }
  if (text.starts_with('@')) return file_argument(argument, text, text);
  const std::size_t bracket = text.find('['), colon = text.find(':');
  const std::string_view type = text.substr(0, std::min(bracket, colon));
  bool known = false;
  for (const ElementType candidate : kTypes) {
    if (type != to_text(candidate)) continue;
    argument.type = candidate;
    known = true;
  }
  argument.type_given = true;
  const bool is_u64 = type == "u64";
  if (is_u64) argument.type = ElementType::i64, argument.is_unsigned = known = true;
  if (!known) return refuse(text, "“" + std::string(type) + "” is not an element type");
  if (bracket < colon) return buffer_argument(argument, text, most_bytes);
  if (colon != std::string_view::npos && text.substr(colon + 1).starts_with('@'))
    return file_argument(argument, text.substr(colon + 1), text);
  if (colon == std::string_view::npos) return refuse(text, "it has neither a count nor a value");
  const std::string words(text.substr(colon + 1));
  Result<HostArray> value =
      is_u64 ? unsigned_value(words, text) : value_of(argument.type, words, text);
  if (!value) return tl::unexpected(value.error());
  argument.value = std::move(*value);
  return argument;
}

}  // namespace

std::vector<std::string_view> members_in(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (c == '{' || c == '(') ++depth;
    if (c == '}' || c == ')') --depth;
    if (c != ',' || (depth > 0 && at < text.size())) continue;
    std::string_view part = text.substr(begin, at - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    begin = at + 1;
  }
  return parts;
}

Result<UserArgument> parse_user_argument(std::string_view text, std::int64_t most_bytes) {
  return parse_argument(text, 0, most_bytes);
}

NamedArgument named_argument(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
    ++end;
  if (end == 0 || end >= text.size() || text[end] != '=') return {"", std::string(text)};
  return {std::string(text.substr(0, end)), std::string(text.substr(end + 1))};
}

Result<UserVariable> parse_user_variable(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto bad = [&](const Error& error) {
    return failure(error.kind, error.what, "--set " + std::string(text),
                   "write NAME=TYPE[COUNT]:FILL for an array, such as table=f32[9]:random, or "
                   "NAME=TYPE:VALUE, such as scale=f32:2");
  };
  if (equals == std::string_view::npos || equals == 0)
    return bad({ErrorKind::usage, "it has no name before “=”", "", ""});
  Result<UserArgument> value = parse_user_argument(text.substr(equals + 1), kMostVariableBytes);
  if (!value) return bad(value.error());
  for (const UserArgument& member : value->members) {
    if (buffer_bytes(member) > 0)
      return bad({ErrorKind::usage, "a variable that holds addresses cannot be set", "", ""});
  }
  return UserVariable{std::string(text.substr(0, equals)), std::move(*value)};
}

std::int64_t buffer_bytes(const UserArgument& argument) {
  std::int64_t bytes =
      argument.buffer ? std::max<std::int64_t>(argument.count, 0) * element_bytes(argument.type)
                      : 0;
  for (const UserArgument& member : argument.members) bytes += buffer_bytes(member);
  return bytes;
}

LaidOut laid_out(const UserArgument& argument,
                 const std::function<std::uint64_t(const UserArgument& buffer)>& place) {
  LaidOut all;
  if (argument.kind == UserArgument::Kind::raw) {
    all.bytes = argument.raw;
    all.alignment = argument.raw_alignment;
  } else if (argument.buffer || argument.kind == UserArgument::Kind::reference) {
    const std::uint64_t address = place(argument);
    all.addresses.push_back(0);
    all.bytes.resize(sizeof address);
    std::memcpy(all.bytes.data(), &address, sizeof address);
    all.alignment = sizeof address;
  } else if (argument.kind == UserArgument::Kind::element) {
    const auto bytes = argument.value.bytes();
    all.bytes.assign(bytes.begin(), bytes.end());
    all.alignment = std::max<std::size_t>(all.bytes.size(), 1);
  }
  const auto align = [&all](std::size_t alignment) {
    all.bytes.resize((all.bytes.size() + alignment - 1) / alignment * alignment);
  };
  for (const UserArgument& member : argument.members) {
    const LaidOut one = laid_out(member, place);
    align(one.alignment);
    for (const std::size_t address : one.addresses)
      all.addresses.push_back(all.bytes.size() + address);
    all.bytes.insert(all.bytes.end(), one.bytes.begin(), one.bytes.end());
    all.alignment = std::max(all.alignment, one.alignment);
  }
  align(all.alignment);
  return all;
}

Result<std::vector<UserArgument>> parse_user_arguments(std::span<const std::string> texts) {
  std::vector<UserArgument> arguments;
  std::int64_t bytes = 0;
  for (const std::string& text : texts) {
    Result<UserArgument> argument = parse_user_argument(text);
    if (!argument) return tl::unexpected(argument.error());
    bytes += buffer_bytes(*argument);
    if (bytes > kMostPagedBytes) {
      return failure(
          ErrorKind::usage,
          "the buffers need more than " + std::to_string(kMostPagedBytes >> 30) + " GiB together",
          "--arg " + text, "use smaller buffers");
    }
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

HostArray filled(const UserArgument& argument, std::uint64_t stream) {
  HostArray array(argument.type, argument.count);
  fill_elements(argument, RandomStream(0x57A9, static_cast<std::uint32_t>(stream)), 0,
                array.bytes());
  return array;
}

void store_elements(ElementType type, std::span<const double> values, std::span<std::byte> bytes) {
  const auto f16 = [](double v) { return to_f16(static_cast<float>(v)); };
  const auto bf16 = [](double v) { return to_bf16(static_cast<float>(v)); };
  switch (type) {
    case ElementType::u8:
      return store_whole<std::uint8_t>(values, bytes);
    case ElementType::i8:
      return store_whole<std::int8_t>(values, bytes);
    case ElementType::u16:
      return store_whole<std::uint16_t>(values, bytes);
    case ElementType::i32:
      return store_whole<std::int32_t>(values, bytes);
    case ElementType::u32:
      return store_whole<std::uint32_t>(values, bytes);
    case ElementType::i64:
      return store_whole<std::int64_t>(values, bytes);
    case ElementType::f16:
      return store_real<std::uint16_t>(values, bytes, f16);
    case ElementType::bf16:
      return store_real<std::uint16_t>(values, bytes, bf16);
    case ElementType::f32:
      return store_real<float>(values, bytes, [](double v) { return static_cast<float>(v); });
    case ElementType::f64:
      return store_real<double>(values, bytes, [](double v) { return v; });
  }
}

std::vector<std::string> fill_words() { return {kFills.begin(), kFills.end()}; }

void fill_elements(const UserArgument& argument, const RandomStream& random, std::int64_t first,
                   std::span<std::byte> bytes) {
  if (argument.byte >= 0) {
    std::fill(bytes.begin(), bytes.end(), static_cast<std::byte>(argument.byte));
    return;
  }
  const auto as_is = [](auto zero) {
    return [zero](double value) { return static_cast<decltype(zero)>(value); };
  };
  switch (argument.type) {
    case ElementType::u8:
      fill_with<std::uint8_t>(bytes, argument, random, first, [](double value) {
        return static_cast<std::uint8_t>(static_cast<std::uint64_t>(value));
      });
      break;
    case ElementType::i8:
      fill_with<std::int8_t>(bytes, argument, random, first, [](double value) {
        return static_cast<std::int8_t>(static_cast<std::uint64_t>(value) % 128);
      });
      break;
    case ElementType::u16:
      fill_with<std::uint16_t>(bytes, argument, random, first, [](double value) {
        return static_cast<std::uint16_t>(static_cast<std::uint64_t>(value));
      });
      break;
    case ElementType::i32:
      fill_with<std::int32_t>(bytes, argument, random, first, as_is(std::int32_t{}));
      break;
    case ElementType::u32:
      fill_with<std::uint32_t>(bytes, argument, random, first, as_is(std::uint32_t{}));
      break;
    case ElementType::i64:
      fill_with<std::int64_t>(bytes, argument, random, first, as_is(std::int64_t{}));
      break;
    case ElementType::f16:
      fill_with<std::uint16_t>(bytes, argument, random, first,
                               [](double value) { return f16_bits(static_cast<float>(value)); });
      break;
    case ElementType::bf16:
      fill_with<std::uint16_t>(bytes, argument, random, first,
                               [](double value) { return bf16_bits(static_cast<float>(value)); });
      break;
    case ElementType::f32:
      fill_with<float>(bytes, argument, random, first, as_is(float{}));
      break;
    case ElementType::f64:
      fill_with<double>(bytes, argument, random, first, as_is(double{}));
      break;
  }
}

}  // namespace warpscope
