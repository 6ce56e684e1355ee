// profiling/emulator/video/decoding.cpp: video instructions, whose operands are parts of words, and
// cvt.pack.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/families.h"
#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/video/video.h"

namespace warpscope {
namespace {

template <typename T, std::size_t n>
std::optional<T> find_in(const std::pair<std::string_view, T> (&list)[n], std::string_view text) {
  for (const auto& [name, value] : list) {
    if (name == text) return value;
  }
  return std::nullopt;
}

constexpr std::pair<std::string_view, VideoKind> kKinds[] = {
    {"vadd", VideoKind::add},
    {"vsub", VideoKind::subtract},
    {"vabsdiff", VideoKind::absolute_difference},
    {"vmin", VideoKind::minimum},
    {"vmax", VideoKind::maximum},
    {"vavrg", VideoKind::average},
    {"vset", VideoKind::compare},
    {"vshl", VideoKind::shift_left},
    {"vshr", VideoKind::shift_right},
    {"vmad", VideoKind::multiply_add}};
constexpr std::pair<std::string_view, VideoComparison> kComparisons[] = {
    {"eq", VideoComparison::equal},   {"ne", VideoComparison::not_equal},
    {"lt", VideoComparison::less},    {"le", VideoComparison::less_or_equal},
    {"gt", VideoComparison::greater}, {"ge", VideoComparison::greater_or_equal}};
constexpr std::pair<std::string_view, VideoSecond> kSeconds[] = {
    {"add", VideoSecond::add}, {"min", VideoSecond::minimum}, {"max", VideoSecond::maximum}};
constexpr std::pair<std::string_view, std::uint32_t> kScalarParts[] = {
    {"", kWholeWord}, {"b0", 0}, {"b1", 1}, {"b2", 2}, {"b3", 3}, {"h0", 4}, {"h1", 5}};

bool is_shift(VideoKind kind) {
  return kind == VideoKind::shift_left || kind == VideoKind::shift_right;
}

// "vadd4" to its kind, and how many elements; nothing if it is not known.
std::optional<VideoKind> kind_of(std::string_view base, std::uint64_t& elements) {
  elements = base.ends_with('2') ? 2 : base.ends_with('4') ? 4 : 1;
  if (elements > 1) base.remove_suffix(1);
  const std::optional<VideoKind> kind = find_in(kKinds, base);
  const bool only_scalar = kind && (is_shift(*kind) || *kind == VideoKind::multiply_add);
  const bool only_packed = kind && *kind == VideoKind::average;
  if (elements == 1 ? only_packed : only_scalar) return std::nullopt;
  return kind;
}

// "h32" or "b3210" to four bits for each element, that of element 0 in the lowest ones.
std::optional<std::uint64_t> packed_parts(std::string_view text, std::uint64_t elements,
                                          std::string_view usual) {
  if (text.empty()) text = usual;
  if (text.size() != elements + 1 || text[0] != (elements == 2 ? 'h' : 'b')) return std::nullopt;
  std::uint64_t parts = 0;
  for (const char c : text.substr(1)) {
    if (c < '0' || c >= static_cast<char>('0' + 2 * elements)) return std::nullopt;
    parts = parts << 4 | static_cast<std::uint64_t>(c - '0');
  }
  return parts;
}

// "h10" or "b31" to a bit for each element; all of them if there is none.
std::optional<std::uint64_t> packed_mask(std::string_view text, std::uint64_t elements) {
  const std::uint64_t all = (1ull << elements) - 1;
  if (text.empty()) return all;
  if (text.size() < 2 || text[0] != (elements == 2 ? 'h' : 'b')) return std::nullopt;
  std::uint64_t mask = 0;
  for (const char c : text.substr(1)) {
    if (c < '0' || c >= static_cast<char>('0' + elements)) return std::nullopt;
    mask |= 1ull << (c - '0');
  }
  return mask;
}

// The types, and what stands after them; false: a problem.
bool take_video_name(DecodeContext& ctx, const OpcodeName& name, VideoOperation& op) {
  std::uint64_t elements = 1;
  const auto kind = kind_of(name.base(), elements).value_or(VideoKind::add);
  op.kind = static_cast<std::uint64_t>(kind);
  op.elements = elements & 7;
  // The result of a comparison is unsigned and has no type in the name.
  const bool compares = kind == VideoKind::compare;
  const std::size_t types = compares ? 2 : 3;
  std::vector<bool> is_signed{false};
  if (!compares) is_signed.clear();
  std::size_t at = 1;
  for (; at < name.parts.size() && at <= types; ++at) {
    if (name.parts[at] != "u32" && name.parts[at] != "s32") return problem(ctx, "is not known");
    is_signed.push_back(name.parts[at] == "s32");
  }
  if (is_signed.size() != 3) return problem(ctx, "has too few types");
  op.d_signed = is_signed[0] ? 1 : 0;
  op.a_signed = is_signed[1] ? 1 : 0;
  op.b_signed = is_signed[2] ? 1 : 0;
  bool complete = !compares && !is_shift(kind);
  for (; at < name.parts.size(); ++at) {
    const std::string_view part = name.parts[at];
    if (const auto comparison = find_in(kComparisons, part); comparison && compares) {
      op.comparison = static_cast<std::uint64_t>(*comparison) & 7;
      complete = true;
    } else if (is_shift(kind) && (part == "wrap" || part == "clamp")) {
      op.wraps = part == "wrap" ? 1 : 0;
      complete = true;
    } else if (part == "sat" && !compares) {
      op.saturates = 1;
    } else if (kind == VideoKind::multiply_add && (part == "shr7" || part == "shr15")) {
      op.scale = part == "shr7" ? 7 : 15;
    } else if (kind == VideoKind::multiply_add && part == "po") {
      op.adds_one = 1;
    } else if (const auto second = find_in(kSeconds, part);
               second && kind != VideoKind::multiply_add &&
               (elements == 1 || *second == VideoSecond::add)) {
      op.second = static_cast<std::uint64_t>(*second) & 7;
    } else {
      return problem(ctx, "has a modifier that is not known");
    }
  }
  return complete || problem(ctx, "lacks a modifier");
}

// Which parts of their registers the operands are; false: a problem.
bool take_video_parts(DecodeContext& ctx, const PtxStatement& s, VideoOperation& op) {
  const std::string_view to = operand_at(ctx, s, 0).second;
  const std::string_view a = operand_at(ctx, s, 1).second, b = operand_at(ctx, s, 2).second;
  std::optional<std::uint64_t> to_parts, a_parts, b_parts;
  if (op.elements == 1) {
    to_parts = find_in(kScalarParts, to);
    a_parts = find_in(kScalarParts, a);
    b_parts = find_in(kScalarParts, b);
  } else {
    to_parts = packed_mask(to, op.elements);
    a_parts = packed_parts(a, op.elements, op.elements == 2 ? "h10" : "b3210");
    b_parts = packed_parts(b, op.elements, op.elements == 2 ? "h32" : "b7654");
  }
  if (!to_parts || !a_parts || !b_parts) return problem(ctx, "selects a part that is not known");
  op.result_parts = *to_parts & 15;
  op.a_parts = *a_parts & 0xffff;
  op.b_parts = *b_parts & 0xffff;
  if (op.elements > 1 || to.empty()) return true;
  if (static_cast<VideoSecond>(op.second) != VideoSecond::none ||
      static_cast<VideoKind>(op.kind) == VideoKind::multiply_add) {
    return problem(ctx, "selects a part of its result");
  }
  op.second = static_cast<std::uint64_t>(VideoSecond::merge);
  return true;
}

}  // namespace

bool is_video(const OpcodeName& name) {
  std::uint64_t elements = 1;
  return kind_of(name.base(), elements).has_value();
}

void decode_video(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  VideoOperation op;
  if (!take_video_name(ctx, name, op) || !take_video_parts(ctx, s, op)) return;
  const bool multiplies = static_cast<VideoKind>(op.kind) == VideoKind::multiply_add;
  const bool third =
      op.elements > 1 || multiplies || static_cast<VideoSecond>(op.second) != VideoSecond::none;
  if (s.count != (third ? 4 : 3)) {
    problem(ctx, "has another number of operands than it takes");
    return;
  }
  if (multiplies) {
    op.negates_product = operand_at(ctx, s, 1).negated != operand_at(ctx, s, 2).negated ? 1 : 0;
    op.negates_addend = operand_at(ctx, s, 3).negated ? 1 : 0;
  }
  const auto word = [&](std::uint32_t k) {
    PtxOperand whole = operand_at(ctx, s, k);
    whole.second = {};
    if (multiplies) whole.negated = false;
    return source_slot(ctx, whole, OperandType::b32);
  };
  Instruction i;
  i.run = run_video;
  i.a = word(1);
  i.b = word(2);
  i.c = third ? word(3) : constant_slot(ctx, 4, 0);
  i.d = destination_slot(ctx, s, 0, OperandType::b32);
  i.immediate = std::bit_cast<std::int64_t>(op);
  emit(ctx, i);
}

// cvt.pack.sat.u16.s32 d, a, b, and of narrower types with c: cvt.pack.sat.u8.s32.b32 d, a, b, c.
void decode_saturated_pack(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  constexpr std::pair<std::string_view, int> kWidths[] = {{"16", 16}, {"8", 8}, {"4", 4}, {"2", 2}};
  const std::size_t parts = name.parts.size();
  const std::string_view to = parts > 3 ? name.parts[3] : std::string_view{};
  const std::optional<int> width = to.empty() ? std::nullopt : find_in(kWidths, to.substr(1));
  const bool third = width && *width < 16;
  const bool typed = width && (to[0] == 'u' || to[0] == 's') && parts == (third ? 6 : 5) &&
                     name.parts[2] == "sat" && name.parts[4] == "s32";
  if (!typed || (third && name.parts[5] != "b32") || s.count != (third ? 4 : 3)) {
    problem(ctx, "is not known");
    return;
  }
  Instruction i;
  i.run = run_pack_saturated;
  i.width = static_cast<std::uint8_t>(*width);
  i.count = third ? 3 : 2;
  if (to[0] == 's') i.flags = kFlagSignExtend;
  i.a = source_slot(ctx, s, 1, OperandType::b32);
  i.b = source_slot(ctx, s, 2, OperandType::b32);
  i.c = third ? source_slot(ctx, s, 3, OperandType::b32) : constant_slot(ctx, 4, 0);
  i.d = destination_slot(ctx, s, 0, OperandType::b32);
  emit(ctx, i);
}

}  // namespace warpscope
