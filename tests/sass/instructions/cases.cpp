// tests/sass/instructions/cases.cpp: the text and the inputs of instruction cases.
#include "tests/sass/instructions/cases.h"

#include <algorithm>
#include <random>
#include <span>

namespace warpscope::instructions {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// Moves what the body wrote into %r0 and following registers; returns how many there are.
int collect(std::string& body) {
  const bool words = contains(body, "%r0"), longs = contains(body, "%R0");
  if (longs && !words) {
    body += ";\n  mov.b64 {%r0, %r1}, %R0";
    if (!contains(body, "%R1")) return 2;
    body += ";\n  mov.b64 {%r2, %r3}, %R1";
    return 4;
  }
  if (contains(body, "%h0") && !words) {
    body += ";\n  cvt.u32.u16 %r0, %h0";
    return 1;
  }
  int next = 0;
  for (const char* const register_name : {"%r0", "%r1", "%r2", "%r3"})
    next += contains(body, register_name) ? 1 : 0;
  if (next == 0 && contains(body, "%p")) {
    body += ";\n  selp.u32 %r0, 1, 0, %p";
    if (!contains(body, "%q")) return 1;
    body += ";\n  selp.u32 %r1, 1, 0, %q";
    return 2;
  }
  return next;
}

constexpr const char* kPrologue = R"(
  .reg .pred %p, %q, %s;
  .reg .b16 %h<12>;
  .reg .b32 %i, %u, %a, %b, %c, %d, %r<4>, %t<32>;
  .reg .b64 %A, %B, %M, %R<2>, %T<12>;
  .reg .b128 %v, %w;
  mov.u32 %t30, %ctaid.x;
  mov.u32 %t31, %tid.x;
  mad.lo.u32 %i, %t30, 64, %t31;
  ld.param.u64 %T10, [p_in];
  cvta.to.global.u64 %T10, %T10;
  mul.wide.u32 %T11, %i, 16;
  add.u64 %T10, %T10, %T11;
  ld.global.v4.u32 {%a, %b, %c, %d}, [%T10];
  mov.b64 %A, {%a, %b};
  mov.b64 %B, {%c, %d};
  mov.b32 {%h4, %h8}, %a;
  mov.b32 {%h5, %h9}, %b;
  mov.b32 {%h6, %h10}, %c;
  ld.param.u64 %M, [p_memory];
  cvta.to.global.u64 %M, %M;
  mul.wide.u32 %T11, %i, 4;
  ld.param.u32 %u, [p_uniform];
)";

std::string entry_of(const Case& c) {
  std::string text = ".visible .entry " + c.name +
                     "(.param .u64 p_in, .param .u64 p_out, .param .u64 p_memory, "
                     ".param .u32 p_uniform)\n{" +
                     kPrologue;
  if (contains(c.body, "shared_words")) text += "  .shared .align 16 .b8 shared_words[4096];\n";
  if (contains(c.body, "local_words")) text += "  .local .align 16 .b8 local_words[256];\n";
  text += "  " + c.body + ";\n";
  if (c.results > 0)
    text +=
        "  ld.param.u64 %T10, [p_out];\n  cvta.to.global.u64 %T10, %T10;\n"
        "  mul.wide.u32 %T11, %i, 4;\n  add.u64 %T10, %T10, %T11;\n";
  for (int k = 0; k < c.results; ++k) {
    text += "  st.global.u32 [%T10+" + std::to_string(4 * kLanes * k) + "], %r" +
            std::to_string(k) + ";\n";
  }
  return text + "  ret;\n}\n";
}

constexpr u32 kWordEdges[] = {
    0,    1,    2,      3,      7,      31,         32,         33,         63,         0x7f,
    0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
constexpr u64 kLongEdges[] = {0,
                              1,
                              2,
                              31,
                              63,
                              64,
                              0x7fffffff,
                              0x80000000,
                              0xffffffff,
                              0x100000000,
                              0x123456789abcdef0,
                              0x7fffffffffffffff,
                              0x8000000000000000,
                              0x8000000000000001,
                              0xffffffff00000000,
                              0xfffffffffffffffe,
                              0xffffffffffffffff};
// Zeros, denormals, the least normal ones, numbers near powers of 2, whole and half ones, limits of
// integers, the largest ones, infinities, NaNs with and without the quiet bit.
constexpr u32 kFloatEdges[] = {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000,
                               0x33800000, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000,
                               0xbfc00000, 0x40200000, 0xc3000000, 0x4b7fffff, 0x4f000000,
                               0xdf000000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fa00001};
constexpr u32 kSweepEdges[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff,
                               0x00400000, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000,
                               0x40490fdb, 0x3fc90fdb, 0x42fe0000, 0xc2fc0000, 0xc3150000,
                               0x43000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                               0x7fc00000, 0xffc00001, 0x7e800000, 0x7e800001, 0x47c35000};
constexpr u64 kDoubleEdges[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff,
    0x0010000000000000, 0x3690000000000000, 0x3810000000000000, 0x3fe0000000000000,
    0x3fefffffffffffff, 0x3ff0000000000000, 0xbff8000000000000, 0x4004000000000000,
    0x40effc0000000000, 0x41dfffffffc00000, 0xc1e0000000200000, 0x43e0000000000000,
    0x47efffffe0000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff4000000000001};
constexpr u32 kHalfEdges[] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x1400, 0x37ff,
                              0x3800, 0x3bff, 0x3c00, 0xbe00, 0x4100, 0xd800, 0x6400,
                              0x7800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7d01};
constexpr u32 kBfloatEdges[] = {0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x3380, 0x3eff,
                                0x3f00, 0x3f7f, 0x3f80, 0xbfc0, 0x4020, 0xc300, 0x4b7f,
                                0x4f00, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fa1};

class Maker {
 public:
  u32 word() { return static_cast<u32>(random_()); }
  u32 below(u32 n) { return word() % n; }
  u32 of(std::span<const u32> edges) { return edges[below(static_cast<u32>(edges.size()))]; }
  // Half of them have an exponent near that of 1.
  u32 number() {
    const u32 r = word();
    return below(2) == 0 ? r : (r & 0x807fffff) | (0x6a + below(0x2c)) << 23;
  }
  u64 double_number() {
    const u64 r = u64{word()} << 32 | word();
    return below(2) == 0 ? r : (r & 0x800fffffffffffff) | u64{0x3ea + below(0x2c)} << 52;
  }
  std::array<u32, 4> four(Inputs kind, u32 lane);

 private:
  std::array<u32, 4> wide(std::span<const u64> edges, u32 lane, bool numbers);
  std::array<u32, 4> narrow(std::span<const u32> edges, u32 lane);
  std::mt19937 random_{20260101};
};

std::array<u32, 4> Maker::wide(std::span<const u64> edges, u32 lane, bool numbers) {
  const auto n = static_cast<u32>(edges.size());
  u64 x = edges[lane % n], y = edges[lane / n % n];
  if (lane >= n * n) {
    x = numbers ? double_number() : u64{word()} << 32 | word();
    if (below(4) != 0) y = numbers ? double_number() : (u64{word()} << 32 | word()) >> below(60);
  }
  return {static_cast<u32>(x), static_cast<u32>(x >> 32), static_cast<u32>(y),
          static_cast<u32>(y >> 32)};
}

// Two edges in a word.
std::array<u32, 4> Maker::narrow(std::span<const u32> edges, u32 lane) {
  const auto n = static_cast<u32>(edges.size());
  if (lane >= n * n) return {word(), word(), word(), word()};
  return {edges[lane % n] | of(edges) << 16, edges[lane / n] | of(edges) << 16,
          of(edges) | of(edges) << 16, of(edges) | of(edges) << 16};
}

std::array<u32, 4> Maker::four(Inputs kind, u32 lane) {
  constexpr auto n = static_cast<u32>(std::size(kWordEdges));
  const bool edges = lane < n * n;
  switch (kind) {
    case Inputs::longs:
      return wide(kLongEdges, lane, false);
    case Inputs::doubles:
      return wide(kDoubleEdges, lane, true);
    case Inputs::halves:
      return narrow(kHalfEdges, lane);
    case Inputs::bfloats:
      return narrow(kBfloatEdges, lane);
    case Inputs::floats:
      if (!edges) return {number(), number(), number(), number()};
      return {kFloatEdges[lane % n], kFloatEdges[lane / n], of(kFloatEdges), of(kFloatEdges)};
    case Inputs::sweep:
      if (lane < std::size(kSweepEdges))
        return {kSweepEdges[lane], kSweepEdges[std::size(kSweepEdges) - 1 - lane], number(),
                number()};
      return {number(), number(), number(), number()};
    case Inputs::shifts:
      return {word(), lane % 80, lane % 37, word()};
    case Inputs::bytes:
      return {word(), word(), word(), word()};
    case Inputs::words:
      break;
  }
  if (!edges) return {word(), word(), word(), word()};
  return {kWordEdges[lane % n], kWordEdges[lane / n], of(kWordEdges), of(kWordEdges)};
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  CaseList list(all);
  add_integer_cases(list);
  add_float_cases(list);
  add_half_cases(list);
  add_conversion_cases(list);
  add_warp_cases(list);
  add_memory_cases(list);
  add_matrix_cases(list);
  return all;
}

}  // namespace

Case& CaseList::add(const std::string& name, const std::string& body, Inputs inputs) {
  Case c{family_, family_ + "_", body, inputs};
  for (const char x : name) c.name += x == '.' || x == ' ' || x == ':' ? '_' : x;
  c.results = collect(c.body);
  return all_.emplace_back(std::move(c));
}

std::string with(std::string text, const std::string& first, const std::string& second,
                 const std::string& third, const std::string& fourth) {
  const std::string* const all[] = {&first, &second, &third, &fourth};
  for (std::size_t at = 0; (at = text.find('$', at)) != std::string::npos;) {
    const std::string& part = *all[static_cast<std::size_t>(text[at + 1] - '1')];
    text.replace(at, 2, part);
    at += part.size();
  }
  return text;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = all_cases();
  return all;
}

std::vector<std::string> families() {
  std::vector<std::string> found;
  for (const Case& c : cases()) {
    if (found.empty() || found.back() != c.family) found.push_back(c.family);
  }
  return found;
}

int words_of(const Case& c) { return c.results * kLanes + (c.memory ? kMemoryWords : 0); }

std::set<std::string> names_of(const std::string& family) {
  std::set<std::string> names;
  for (const Case& c : cases()) {
    if (c.family == family) names.insert(c.name);
  }
  return names;
}

std::string module_of(const std::set<std::string>& names) {
  std::string text = ".version 8.4\n.target sm_90\n.address_size 64\n";
  for (const Case& c : cases()) {
    if (names.contains(c.name)) text += entry_of(c);
  }
  return text;
}

std::vector<u32> inputs_of(Inputs kind) {
  Maker maker;
  std::vector<u32> words;
  for (u32 lane = 0; lane < kLanes; ++lane) {
    const std::array<u32, 4> four = maker.four(kind, lane);
    words.insert(words.end(), four.begin(), four.end());
  }
  return words;
}

std::vector<u32> memory_before() {
  std::vector<u32> words(kMemoryWords);
  std::mt19937 random(7);
  for (u32 k = 0; k < kMemoryWords; ++k) {
    const auto r = static_cast<u32>(random());
    words[k] = r % 3 == 0 ? kWordEdges[r / 3 % std::size(kWordEdges)] : r;
  }
  return words;
}

}  // namespace warpscope::instructions
