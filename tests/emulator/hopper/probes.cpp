// tests/emulator/hopper/probes.cpp: single products of wgmma by every kind of descriptor.
#include "tests/emulator/hopper/cases.h"

#ifdef WARPSCOPE_WITH_COMPILER

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

#include "tests/emulator/hopper/narrow.h"

// Matrices are put into shared memory by the canonical layouts of the PTX ISA as CuTe writes them,
// shapes and strides of nested tuples, by functions that share nothing with the emulator's.

namespace warpscope {
namespace {

struct Type {
  const char* name;
  int bytes;
  std::uint32_t (*encode)(int);
};
template <const NarrowFormat& format>
std::uint32_t narrow(int x) {
  return nearest_narrow(format, x);
}
const Type kTypes[] = {
    {"f16", 2, narrow<kHalfFormat>},
    {"bf16", 2, narrow<kBfloatFormat>},
    {"tf32", 4,
     [](int x) {
       const auto value = static_cast<float>(x);
       std::uint32_t bits = 0;
       std::memcpy(&bits, &value, 4);
       return bits | 0x0fff;  // bits that tf32 does not have
     }},
    {"s8", 1, [](int x) { return static_cast<std::uint32_t>(x) & 255; }},
    {"u8", 1, [](int x) { return static_cast<std::uint32_t>(x) & 255; }},
    {"e4m3", 1, narrow<kE4m3Format>},
    {"e5m2", 1, narrow<kE5m2Format>},
};
const Type& type_of(const std::string& name) {
  return *std::find_if(std::begin(kTypes), std::end(kTypes),
                       [&](const Type& t) { return t.name == name; });
}

// A matrix in shared memory: `pieces` of 16 bytes in a row of the swizzle's pattern (1: no
// swizzle).
struct Layout {
  int pieces = 8;
  bool by_columns = false;  // M- or N-major
  int start = 0, leading = 16, stride = 1024, base_offset = 0;
};

// The byte of element (row of m or n, k): ((8,m),(T,2)):((w·T,SBO),(1,T or LBO)), or M-major
// ((T,w,m),(8,k)):((1,T,LBO),(w·T,SBO)), of which no swizzle exchanges the two offsets.
int byte_of(const Layout& l, int row, int k, int bytes) {
  const int t = 16 / bytes, w = l.pieces;
  int at = l.start;
  if (!l.by_columns) {
    at += row % 8 * w * 16 + row / 8 * l.stride + k % t * bytes + k / t * (w == 1 ? l.leading : 16);
  } else {
    const int outer = w == 1 ? l.stride : l.leading, depth = w == 1 ? l.leading : l.stride;
    at +=
        row % t * bytes + row / t % w * 16 + row / (t * w) * outer + k % 8 * w * 16 + k / 8 * depth;
  }
  // Swizzle<s, 4, 3>: bits 4 … 4 + s − 1 change by the bits three places above them.
  const int phase = at - l.base_offset * 128;
  return at ^ (phase >> 3 & (w - 1) << 4);
}

std::int64_t bits_of(const Layout& l) {
  const std::uint64_t mode = l.pieces == 8 ? 1 : l.pieces == 4 ? 2 : l.pieces == 2 ? 3 : 0;
  const auto field = [](int bytes) { return static_cast<std::uint64_t>(bytes >> 4 & 0x3fff); };
  return static_cast<std::int64_t>(field(l.start) | field(l.leading) << 16 | field(l.stride) << 32 |
                                   static_cast<std::uint64_t>(l.base_offset) << 49 | mode << 62);
}

struct Probe {
  std::string name, a = "f16", b = "f16", d = "f32";
  int n = 64;
  bool a_in_registers = false, keep = true, saturate = false;
  int scale_a = 1, scale_b = 1;
  Layout a_layout, b_layout;
  int repeats = 1;
};

std::string statement(const Probe& p, int registers) {
  const bool floats = p.d == "f32";
  std::string text = "asm volatile(\"{.reg .pred p; setp.ne.b32 p, keep, 0; ";
  const auto number = [](int k) { return "%" + std::to_string(k); };
  const int k = 32 / type_of(p.a).bytes;
  const bool whole = p.d == "s32";
  std::string list;
  for (int r = 0; r < registers; ++r) list += (r == 0 ? "{" : ",") + number(r);
  int next = registers;
  std::string a = number(next++);
  if (p.a_in_registers) {
    for (int r = 1; r < 4; ++r) a += "," + number(next++);
    a = "{" + a + "}";
  }
  const std::string b = number(next++), keep = number(next++);
  text.replace(text.find("keep"), 4, keep);
  text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(p.n) + "k" + std::to_string(k) +
          (p.saturate ? ".satfinite." : ".") + p.d + "." + p.a + "." + p.b + " " + list + "}, " +
          a + ", " + b + ", p";
  if (!whole) text += ", " + std::to_string(p.scale_a) + ", " + std::to_string(p.scale_b);
  if (type_of(p.a).bytes == 2) {
    if (!p.a_in_registers) text += p.a_layout.by_columns ? ", 1" : ", 0";
    text += p.b_layout.by_columns ? ", 1" : ", 0";
  }
  text += ";}\" : ";
  for (int r = 0; r < registers; ++r) {
    text += (r == 0 ? "" : ", ") + std::string(floats ? "\"+f\"" : "\"+r\"") + "(d[" +
            std::to_string(r) + "])";
  }
  text += " : ";
  for (int r = 0; r < (p.a_in_registers ? 4 : 0); ++r) {
    text += "\"r\"(f[" + std::to_string(r) + "]), ";
  }
  return text + (p.a_in_registers ? "" : "\"l\"(a), ") + "\"l\"(b), \"r\"(keep))";
}

constexpr std::size_t kImageBytes = 64 << 10;

HopperCase case_of(const Probe& p) {
  const Type &ta = type_of(p.a), &tb = type_of(p.b);
  const int depth = 32 / ta.bytes, registers = p.d == "f16" ? p.n / 4 : p.n / 2;
  std::mt19937 random(static_cast<std::uint32_t>(std::hash<std::string>{}(p.name)));
  const auto pick = [&](const Type& t) {
    const int most = t.name == std::string("u8") ? 255 : t.name == std::string("s8") ? 127 : 3;
    return static_cast<int>(random() % static_cast<unsigned>(most + 1)) -
           (t.name == std::string("u8") ? 0 : most / 2);
  };
  std::vector<std::byte> image(kImageBytes, std::byte{0x3f});
  std::vector<int> a(static_cast<std::size_t>(64 * depth)),
      b(static_cast<std::size_t>(p.n * depth));
  std::vector<std::uint32_t> fragments(4 * 128);
  const auto put = [&](const Layout& l, const Type& t, int row, int k, int value) {
    const std::uint32_t bits = t.encode(value);
    std::memcpy(image.data() + byte_of(l, row, k, t.bytes), &bits,
                static_cast<std::size_t>(t.bytes));
  };
  for (int row = 0; row < 64; ++row) {
    for (int k = 0; k < depth; ++k) {
      const int value = a[static_cast<std::size_t>(row * depth + k)] = pick(ta);
      if (!p.a_in_registers) {
        put(p.a_layout, ta, row, k, value);
        continue;
      }
      // PTX ISA, "Register Fragments": four rows of bytes by lane, 8 rows and 16 bytes apart.
      const int at = k * ta.bytes, thread = row / 16 * 32 + row % 8 * 4 + at % 16 / 4;
      const int r = row % 16 / 8 + at / 16 * 2;
      fragments[static_cast<std::size_t>(r * 128 + thread)] |= ta.encode(value) << at % 4 * 8;
    }
  }
  for (int row = 0; row < p.n; ++row) {
    for (int k = 0; k < depth; ++k) {
      put(p.b_layout, tb, row, k, b[static_cast<std::size_t>(row * depth + k)] = pick(tb));
    }
  }
  std::vector<std::uint32_t> before(static_cast<std::size_t>(registers * 128)), after = before;
  const auto encode = [&](std::int64_t x) -> std::uint32_t {
    if (p.d == "f16") return nearest_narrow(kHalfFormat, static_cast<double>(x));
    if (p.d == "s32") return static_cast<std::uint32_t>(x);
    const auto value = static_cast<float>(x);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, 4);
    return bits;
  };
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < p.n; ++column) {
      std::int64_t c = static_cast<int>(random() % 200) - 100;
      if (p.saturate) c += row % 2 == 0 ? 2147483000 : -2147483000;
      std::int64_t sum = p.keep ? c : 0;
      for (int repeat = 0; repeat < p.repeats; ++repeat) {
        for (int k = 0; k < depth; ++k) {
          sum += std::int64_t{p.scale_a} * p.scale_b *
                 a[static_cast<std::size_t>(row * depth + k)] *
                 b[static_cast<std::size_t>(column * depth + k)];
        }
      }
      if (p.saturate) sum = std::clamp<std::int64_t>(sum, -2147483648ll, 2147483647ll);
      const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
      const bool halves = p.d == "f16";
      const int r =
          halves ? column / 8 * 2 + row % 16 / 8 : column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
      const int shift = halves ? column % 2 * 16 : 0;
      before[static_cast<std::size_t>(r * 128 + thread)] |= encode(c) << shift;
      after[static_cast<std::size_t>(r * 128 + thread)] |= encode(sum) << shift;
    }
  }
  const auto bytes = [](const std::vector<std::uint32_t>& words) {
    const auto* first = reinterpret_cast<const std::byte*>(words.data());
    return std::vector<std::byte>(first, first + 4 * words.size());
  };
  HopperCase c;
  c.name = p.name;
  c.launch = {
      "../tests/emulator/hopper/probe.cu",
      "probe",
      {{"REGISTERS", std::to_string(registers)},
       {"TYPE", p.d == "f32" ? "float" : "unsigned"},
       {"PRODUCT", statement(p, registers)}},
      {{1, 1, 1}, {128, 1, 1}, kImageBytes, {}},
      {BufferArgument{"image"}, static_cast<std::int32_t>(kImageBytes / 16),
       static_cast<std::uint64_t>(bits_of(p.a_layout)),
       static_cast<std::uint64_t>(bits_of(p.b_layout)), BufferArgument{"fragments"},
       std::int32_t{p.keep}, static_cast<std::int32_t>(p.repeats), BufferArgument{"accumulators"}}};
  c.launch.architecture_features = true;
  c.buffers = {{"image", ElementType::u8, image},
               {"fragments", ElementType::u32, bytes(fragments)},
               {"accumulators", ElementType::u32, bytes(before)}};
  c.output = "accumulators";
  c.expected = bytes(after);
  c.products = p.repeats;
  return c;
}

// Consecutive tiles: A from byte 0 on, B from 16 KiB on.
constexpr int kBehind = 16 << 10;

Layout rows_of(int pieces) {
  return pieces == 1 ? Layout{1, false, 0, 128, 256, 0}
                     : Layout{pieces, false, 0, 16, 128 * pieces, 0};
}
Layout columns_of(int pieces) {
  return pieces == 1 ? Layout{1, true, 0, 8192, 128, 0}
                     : Layout{pieces, true, 0, 4096, 128 * pieces, 0};
}
Layout behind(Layout l) {
  l.start += kBehind;
  return l;
}

void add_types(std::vector<HopperCase>& cases) {
  struct Row {
    const char *a, *b, *d;
  };
  for (const Row& r :
       {Row{"f16", "f16", "f32"}, Row{"f16", "f16", "f16"}, Row{"bf16", "bf16", "f32"},
        Row{"tf32", "tf32", "f32"}, Row{"s8", "s8", "s32"}, Row{"s8", "u8", "s32"},
        Row{"u8", "s8", "s32"}, Row{"u8", "u8", "s32"}, Row{"e4m3", "e4m3", "f32"},
        Row{"e4m3", "e5m2", "f32"}, Row{"e5m2", "e4m3", "f16"}, Row{"e5m2", "e5m2", "f32"}}) {
    for (const bool in_registers : {false, true}) {
      Probe p;
      p.name = std::string(r.a) + "_" + r.b + "_" + r.d + (in_registers ? "_registers" : "_shared");
      p.a = r.a;
      p.b = r.b;
      p.d = r.d;
      p.n = 24;
      p.a_in_registers = in_registers;
      p.a_layout = rows_of(8);
      p.b_layout = behind(rows_of(8));
      p.keep = !in_registers;
      if (p.d != "s32") p.scale_a = in_registers ? -1 : 1;
      if (p.d == "f32") p.scale_b = -1;
      cases.push_back(case_of(p));
      p.name += "_saturated";
      p.keep = p.saturate = true;
      if (p.d == "s32") cases.push_back(case_of(p));
    }
  }
}

void add_widths(std::vector<HopperCase>& cases) {
  for (int n = 8; n <= 256; n += 8) {
    for (const char* type : {"bf16", "s8"}) {
      const bool whole = type == std::string("s8");
      if (whole && n > 24 && n % 16 != 0) continue;
      Probe p;
      p.name = std::string(type) + "_n" + std::to_string(n);
      p.a = p.b = type;
      p.d = whole ? "s32" : "f32";
      p.n = n;
      p.a_layout = rows_of(8);
      p.b_layout = behind(rows_of(2));
      cases.push_back(case_of(p));
    }
  }
}

void add_layouts(std::vector<HopperCase>& cases) {
  for (const int pieces : {1, 2, 4, 8}) {
    for (int which = 0; which < 4; ++which) {
      Probe p;
      p.name = "layout_" + std::to_string(16 * pieces) + (which % 2 != 0 ? "_m" : "_k") +
               (which / 2 != 0 ? "n" : "k");
      p.n = 136;  // more than one block of any width
      p.a_layout = which % 2 != 0 ? columns_of(pieces) : rows_of(pieces);
      p.b_layout = behind(which / 2 != 0 ? columns_of(pieces) : rows_of(pieces));
      cases.push_back(case_of(p));
    }
    // Further along k in a swizzled row, and core matrices that lie apart.
    Probe p;
    p.name = "inside_" + std::to_string(16 * pieces);
    p.a = p.b = "e4m3";
    p.n = 48;
    p.a_layout = rows_of(pieces);
    p.b_layout = behind(rows_of(pieces));
    if (pieces > 2) p.a_layout.start += 32;
    if (pieces > 2) p.b_layout.start += 16 * pieces - 32;
    p.a_layout.stride += 1024;
    p.b_layout.stride += 2048;
    if (pieces == 1) p.b_layout.leading = 12288;
    cases.push_back(case_of(p));
  }
  // A pattern that begins at no multiple of its size, which the base offset says.
  for (const int pieces : {2, 4, 8}) {
    for (const int offset : {1, 2, 3, 5, 7}) {
      Probe p;
      p.name = "base_" + std::to_string(16 * pieces) + "_" + std::to_string(offset);
      p.n = 32;
      p.a_layout = rows_of(pieces);
      p.b_layout = behind(rows_of(pieces));
      p.b_layout.start += 128 * offset;
      p.b_layout.base_offset = offset;
      cases.push_back(case_of(p));
    }
  }
}

}  // namespace

std::vector<HopperCase> hopper_probes() {
  std::vector<HopperCase> cases;
  add_types(cases);
  add_widths(cases);
  add_layouts(cases);
  return cases;
}

// What differs is the layout alone: the counters of `repeats` products say what its reads cost.
std::vector<HopperCase> hopper_reads() {
  std::vector<HopperCase> cases;
  const auto add = [&](Probe p) {
    p.repeats = 64;
    cases.push_back(case_of(p));
  };
  for (const int n : {8, 16, 32, 64, 128, 256}) {
    for (const bool in_registers : {false, true}) {
      for (const int pieces : {1, 2, 4, 8}) {
        Probe p;
        p.name = "reads_n" + std::to_string(n) + (in_registers ? "_registers_" : "_shared_") +
                 std::to_string(16 * pieces);
        p.n = n;
        p.a_in_registers = in_registers;
        p.a_layout = rows_of(pieces);
        p.b_layout = behind(rows_of(pieces));
        add(p);
        if (n != 64) continue;
        p.name += "_columns";
        p.a_layout = columns_of(pieces);
        p.b_layout = behind(columns_of(pieces));
        add(p);
      }
    }
  }
  // Core matrices that begin on one bank, or not, without a swizzle: A apart by `stride` bytes.
  for (const int stride : {128, 256, 272, 512, 1024}) {
    for (const int leading : {128, 144, 1024, 8192}) {
      if (leading == stride) continue;
      Probe p;
      p.name = "reads_stride_" + std::to_string(stride) + "_leading_" + std::to_string(leading);
      p.b_layout = behind(rows_of(8));
      p.a_layout = Layout{1, false, 0, leading == 128 ? 8 * stride : leading, stride, 0};
      add(p);
    }
  }
  for (const char* type : {"bf16", "tf32", "s8", "e4m3"}) {
    Probe p;
    p.name = "reads_" + std::string(type);
    p.a = p.b = type;
    p.d = type == std::string("s8") ? "s32" : "f32";
    p.a_layout = rows_of(8);
    p.b_layout = behind(rows_of(8));
    add(p);
  }
  return cases;
}

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
