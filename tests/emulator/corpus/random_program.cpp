// tests/emulator/corpus/random_program.cpp: small kernels made at random, as CUDA text and as what
// a CPU computes of them.
#ifdef WARPSCOPE_WITH_COMPILER
#include "tests/emulator/corpus/random_program.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace warpscope {
namespace {

using Op = RandomExpression::Op;
using Kind = RandomStatement::Kind;
constexpr std::uint32_t kVariables = 4, kMostThreads = 256, kCounters = 16;

// --- as text ---
struct OpRow {
  Op op;
  int parts;
  const char* text;  // with $0, $1, $2 for the parts
};
constexpr OpRow kOps[] = {
    {Op::number, 0, ""},
    {Op::variable, 0, ""},
    {Op::array, 1, "a[$0 & 3]"},
    {Op::add, 2, "($0 + $1)"},
    {Op::subtract, 2, "($0 - $1)"},
    {Op::multiply, 2, "($0 * $1)"},
    {Op::divide, 2, "($0 / ($1 | 1u))"},
    {Op::remainder, 2, "($0 % ($1 | 1u))"},
    {Op::bit_and, 2, "($0 & $1)"},
    {Op::bit_or, 2, "($0 | $1)"},
    {Op::bit_xor, 2, "($0 ^ $1)"},
    {Op::shift_left, 2, "($0 << ($1 & 31))"},
    {Op::shift_right, 2, "($0 >> ($1 & 31))"},
    {Op::shift_signed, 2, "unsigned(int($0) >> ($1 & 31))"},
    {Op::least, 2, "unsigned(min(int($0), int($1)))"},
    {Op::greatest, 2, "max($0, $1)"},
    {Op::high_product, 2, "__umulhi($0, $1)"},
    {Op::bits_set, 1, "unsigned(__popc($0))"},
    {Op::zeros_before, 1, "unsigned(__clz(int($0)))"},
    {Op::reversed, 1, "__brev($0)"},
    {Op::permuted, 3, "__byte_perm($0, $1, $2 & 0x7777u)"},
    {Op::funnel, 3, "__funnelshift_l($0, $1, $2)"},
    {Op::bytes_product, 3, "unsigned(__dp4a(int($0), int($1), int($2)))"},
    {Op::wide, 3, "unsigned((1ull * $0 * $1 + $2) >> 17)"},
    {Op::chosen, 3, "(int($0) < int($1) ? $2 : $0)"},
    {Op::float_sum, 2, "bits(__fadd_rn(real($0), real($1)))"},
    {Op::float_product, 2, "bits(__fmul_rn(real($0), real($1)))"},
    {Op::float_fused, 3, "bits(__fmaf_rn(real($0), real($1), real($2)))"},
    {Op::float_of, 1, "bits(__int2float_rn(int($0)))"},
    {Op::whole_of, 1, "unsigned(__float2int_rz(real($0)))"},
    {Op::called, 2, "mixed($0, $1)"}};

std::string text_of(const RandomExpression& e) {
  if (e.op == Op::number) return std::to_string(e.value) + "u";
  if (e.op == Op::variable) return "v" + std::to_string(e.value);
  std::string text;
  for (const char* c = kOps[static_cast<std::size_t>(e.op)].text; *c != '\0'; ++c) {
    if (*c != '$') {
      text += *c;
      continue;
    }
    ++c;
    text += text_of(e.parts[at_of(*c - '0')]);
  }
  return text;
}

std::string text_of(const std::vector<RandomStatement>& statements, int depth) {
  std::string text;
  const std::string v = std::string(at_of(2 * depth), ' ');
  for (const RandomStatement& s : statements) {
    const std::string to = "v" + std::to_string(s.target), e = text_of(s.expression),
                      other = std::to_string(s.value);
    const std::string k = "k" + std::to_string(depth);
    if (s.kind == Kind::assign) text += v + to + " = " + e + ";\n";
    if (s.kind == Kind::store) text += v + "a[" + to + " & 3] = " + e + ";\n";
    if (s.kind == Kind::count) text += v + "atomicAdd(&counts[" + to + " & 15], " + e + ");\n";
    if (s.kind == Kind::leave) text += v + "if ((" + e + " & 3) == 0) break;\n";
    if (s.kind == Kind::branch)
      text += v + "if ((" + e + " & 1) != 0) {\n" + text_of(s.first, depth + 1) + v + "} else {\n" +
              text_of(s.second, depth + 1) + v + "}\n";
    if (s.kind == Kind::loop)
      text += v + "for (unsigned " + k + " = " + e + " & 7; " + k + " > 0; --" + k + ") {\n" +
              text_of(s.first, depth + 1) + v + "}\n";
    if (s.kind == Kind::exchange)
      text += v + "s[t] = " + e + ";\n" + v + "__syncthreads();\n" + v + to + " = s[(t + " + other +
              "u) % threads];\n" + v + "__syncthreads();\n";
    if (s.kind == Kind::shuffle)
      text += v + to + " = __shfl_sync(lanes, " + e + ", ((t ^ " + other + "u) < threads ? t ^ " +
              other + "u : t) & 31);\n";
  }
  return text;
}

// --- as a CPU computes it ---
float real(std::uint32_t bits) {
  const auto v = std::bit_cast<float>(bits & 0xC7FFFFFFu);  // neither large nor NaN
  return v;
}
// Not a number has many representations, and a GPU flushes no denormal here.
std::uint32_t bits(float value) { return std::isnan(value) ? 0x7FC00000u : std::bit_cast<std::uint32_t>(value); }

std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
  for (int i = 0; i < 3; ++i) a = (a ^ b) * 2654435761u, b += a >> 7;
  return a;
}

struct Thread {
  std::array<std::uint32_t, kVariables> v{};
  std::array<std::uint32_t, 4> a{};
};

std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t made = 0;
  for (unsigned k = 0; k < 4; ++k)
    made |= static_cast<std::uint32_t>(both >> 8 * (selector >> 4 * k & 7) & 255) << 8 * k;
  return made;
}

std::uint32_t dot(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
  for (unsigned k = 0; k < 4; ++k) {
    const int x = static_cast<std::int8_t>(a >> 8 * k), y = static_cast<std::int8_t>(b >> 8 * k);
    sum += static_cast<std::uint32_t>(x * y);
  }
  return sum;
}

std::uint32_t whole(float value) {
  if (std::isnan(value)) return 0;
  if (value >= 2147483648.f) return 0x7FFFFFFFu;
  if (value < -2147483648.f) return 0x80000000u;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
}

std::uint32_t reversed(std::uint32_t v) {
  std::uint32_t made = 0;
  for (unsigned k = 0; k < 32; ++k) made |= (v >> k & 1) << (31 - k);
  return made;
}

std::uint32_t real_result(Op op, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  switch (op) {
    case Op::float_sum:
      return bits(real(x) + real(y));
    case Op::float_product:
      return bits(real(x) * real(y));
    case Op::float_fused:
      return bits(std::fma(real(x), real(y), real(z)));
    case Op::float_of:
      return bits(static_cast<float>(static_cast<std::int32_t>(x)));
    default:
      return whole(real(x));
  }
}

std::uint32_t result(Op op, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  const auto sx = static_cast<std::int32_t>(x), sy = static_cast<std::int32_t>(y);
  switch (op) {
    case Op::add:
      return x + y;
    case Op::subtract:
      return x - y;
    case Op::multiply:
      return x * y;
    case Op::divide:
      return x / (y | 1);
    case Op::remainder:
      return x % (y | 1);
    case Op::bit_and:
      return x & y;
    case Op::bit_or:
      return x | y;
    case Op::bit_xor:
      return x ^ y;
    case Op::shift_left:
      return x << (y & 31);
    case Op::shift_right:
      return x >> (y & 31);
    case Op::shift_signed:
      return static_cast<std::uint32_t>(sx >> (y & 31));
    case Op::least:
      return static_cast<std::uint32_t>(std::min(sx, sy));
    case Op::greatest:
      return std::max(x, y);
    case Op::high_product:
      return static_cast<std::uint32_t>(std::uint64_t{x} * y >> 32);
    case Op::bits_set:
      return static_cast<std::uint32_t>(std::popcount(x));
    case Op::zeros_before:
      return static_cast<std::uint32_t>(std::countl_zero(x));
    case Op::reversed:
      return reversed(x);
    case Op::permuted:
      return permuted(x, y, z & 0x7777);
    case Op::funnel:
      return static_cast<std::uint32_t>((std::uint64_t{y} << 32 | x) << (z & 31) >> 32);
    case Op::bytes_product:
      return dot(x, y, z);
    case Op::wide:
      return static_cast<std::uint32_t>((std::uint64_t{x} * y + z) >> 17);
    case Op::chosen:
      return sx < sy ? z : x;
    case Op::called:
      return mixed(x, y);
    default:
      return real_result(op, x, y, z);
  }
}

std::uint32_t value_of(const RandomExpression& e, const Thread& t) {
  if (e.op == Op::number) return e.value;
  if (e.op == Op::variable) return t.v[e.value];
  std::uint32_t parts[3] = {};
  for (std::size_t k = 0; k < e.parts.size(); ++k) parts[k] = value_of(e.parts[k], t);
  if (e.op == Op::array) return t.a[parts[0] & 3];
  return result(e.op, parts[0], parts[1], parts[2]);
}

// One thread's way through statements that no other thread has a part in; false: it left a loop.
bool run(const std::vector<RandomStatement>& statements, Thread& t, Words& counts) {
  for (const RandomStatement& s : statements) {
    const std::uint32_t value = value_of(s.expression, t);
    if (s.kind == Kind::assign) t.v[s.target] = value;
    if (s.kind == Kind::store) t.a[t.v[s.target] & 3] = value;
    if (s.kind == Kind::count) counts[t.v[s.target] & 15] += value;
    if (s.kind == Kind::leave && (value & 3) == 0) return false;
    if (s.kind == Kind::branch && !run((value & 1) != 0 ? s.first : s.second, t, counts))
      return false;
    if (s.kind != Kind::loop) continue;
    for (std::uint32_t k = value & 7; k > 0; --k) {
      if (!run(s.first, t, counts)) break;
    }
  }
  return true;
}

void run_block(const std::vector<RandomStatement>& statements, std::vector<Thread>& threads,
               Words& counts) {
  const auto count = static_cast<std::uint32_t>(threads.size());
  for (const RandomStatement& s : statements) {
    if (s.kind != Kind::exchange && s.kind != Kind::shuffle) {
      for (Thread& t : threads) run({s}, t, counts);
      continue;
    }
    Words given;
    for (const Thread& t : threads) given.push_back(value_of(s.expression, t));
    for (std::uint32_t t = 0; t < count; ++t) {
      const bool shuffle = s.kind == Kind::shuffle;
      const std::uint32_t other = shuffle ? t ^ s.value : (t + s.value) % count;
      threads[t].v[s.target] = given[other < count ? other : t];
    }
  }
}

// --- at random ---
RandomExpression expression(Draw& draw, int depth) {
  RandomExpression e;
  constexpr int kLast = static_cast<int>(Op::called);
  const int op = depth == 0 ? draw.number(0, 1) : draw.number(0, kLast);
  e.op = static_cast<Op>(op);
  if (e.op == Op::number) e.value = draw.number(0, 1) == 0 ? draw.bits() : draw.bits() & 31;
  if (e.op == Op::variable) e.value = draw.bits() % kVariables;
  for (int k = 0; k < kOps[op].parts; ++k) e.parts.push_back(expression(draw, depth - 1));
  return e;
}

std::vector<RandomStatement> statements(Draw& draw, int depth, bool in_loop, bool together) {
  std::vector<RandomStatement> all;
  const int count = draw.number(1, depth == 0 ? 7 : 3);
  for (int i = 0; i < count; ++i) {
    RandomStatement s;
    const int kind = draw.number(0, 9);
    s.kind = kind < 3              ? Kind::assign
             : kind == 3           ? Kind::store
             : kind == 4           ? Kind::count
             : kind < 7            ? (depth < 3 ? Kind::branch : Kind::assign)
             : kind == 7           ? (depth < 2 ? Kind::loop : Kind::assign)
             : in_loop             ? Kind::leave
             : together            ? (kind == 8 ? Kind::exchange : Kind::shuffle)
                                   : Kind::assign;
    s.target = draw.bits() % kVariables;
    s.value = s.kind == Kind::shuffle ? 1u << draw.number(0, 4) : draw.bits() % kMostThreads;
    s.expression = expression(draw, s.kind == Kind::leave ? 1 : 3);
    const bool loop = s.kind == Kind::loop;
    if (loop || s.kind == Kind::branch) s.first = statements(draw, depth + 1, loop || in_loop, false);
    if (s.kind == Kind::branch) s.second = statements(draw, depth + 1, in_loop, false);
    all.push_back(std::move(s));
  }
  return all;
}

}  // namespace

std::string random_program_head() {
  return "__device__ float real(unsigned b) { return __uint_as_float(b & 0xC7FFFFFFu); }\n"
         "__device__ unsigned bits(float v) { return v != v ? 0x7FC00000u : __float_as_uint(v); }\n"
         "__device__ __noinline__ unsigned mixed(unsigned a, unsigned b) {\n"
         "  for (int i = 0; i < 3; ++i) a = (a ^ b) * 2654435761u, b += a >> 7;\n"
         "  return a;\n}\n";
}

RandomProgram random_program(Draw& draw) {
  RandomProgram program;
  program.returns_early = draw.number(0, 2) == 0;
  program.statements = statements(draw, 0, false, !program.returns_early);
  return program;
}

std::string RandomProgram::text(const std::string& name) const {
  std::string text =
      "extern \"C\" __global__ void " + name +
      "(const unsigned* x, unsigned* out, unsigned* counts, int w, int h, int d) {\n"
      "  __shared__ unsigned s[256];\n"
      "  const int tx = blockIdx.x * blockDim.x + threadIdx.x, ty = blockIdx.y * blockDim.y + "
      "threadIdx.y, tz = blockIdx.z * blockDim.z + threadIdx.z;\n"
      "  const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n"
      "  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;\n"
      "  const unsigned of_warp = threads - t / 32 * 32;\n"
      "  const unsigned lanes = of_warp < 32 ? (1u << of_warp) - 1 : ~0u;\n"
      "  const bool in = tx < w && ty < h && tz < d;\n"
      "  const int i = (tz * h + ty) * w + tx;\n";
  if (returns_early) text += "  if (!in) return;\n";
  text += "  unsigned v0 = in ? x[i] : t, v1 = i, v2 = tx * 3 + ty, v3 = t, a[4] = {v0, v1, 5, t};\n";
  text += text_of(statements, 1);
  text += "  if (in) out[i] = v0 ^ v1 * 3 ^ v2 * 5 ^ v3 * 7 ^ a[0] ^ a[1] * 9 ^ a[2] ^ a[3] * 11;\n";
  if (!returns_early) text += "  if (threads > 256) out[0] = s[t % 256];\n";
  return text + "}\n";
}

DrawnCall RandomProgram::call(const std::string& name, Draw& draw) const {
  const int dimensions = draw.number(1, 3);
  const int w = draw.number(1, 90), h = dimensions > 1 ? draw.number(1, 9) : 1,
            d = dimensions > 2 ? draw.number(1, 4) : 1;
  const int bx = draw.number(1, dimensions == 1 ? 128 : 20), by = dimensions > 1 ? draw.number(1, 4) : 1,
            bz = dimensions > 2 ? draw.number(1, 3) : 1;
  const int gx = (w + bx - 1) / bx, gy = (h + by - 1) / by, gz = (d + bz - 1) / bz;
  Words x(at_of(w * h * d)), out(x.size()), counts(kCounters);
  for (std::uint32_t& v : x) v = draw.number(0, 3) == 0 ? draw.bits() & 15 : draw.bits();
  for (int block = 0; block < gx * gy * gz; ++block) {
    std::vector<Thread> threads;
    std::vector<int> element;
    for (int t = 0; t < bx * by * bz; ++t) {
      const int tx = block % gx * bx + t % bx, ty = block / gx % gy * by + t / bx % by,
                tz = block / gx / gy * bz + t / bx / by;
      const bool in = tx < w && ty < h && tz < d;
      if (!in && returns_early) continue;
      const int i = (tz * h + ty) * w + tx;
      Thread& made = threads.emplace_back();
      made.v = {in ? x[at_of(i)] : static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(i),
                static_cast<std::uint32_t>(tx * 3 + ty), static_cast<std::uint32_t>(t)};
      made.a = {made.v[0], made.v[1], 5, static_cast<std::uint32_t>(t)};
      element.push_back(in ? i : -1);
    }
    run_block(statements, threads, counts);
    for (std::size_t t = 0; t < threads.size(); ++t) {
      const auto& [v, a] = threads[t];
      if (element[t] < 0) continue;
      out[at_of(element[t])] =
          v[0] ^ v[1] * 3 ^ v[2] * 5 ^ v[3] * 7 ^ a[0] ^ a[1] * 9 ^ a[2] ^ a[3] * 11;
    }
  }
  return DrawnCall(name)
      .in(x)
      .out(out)
      .out(Words(kCounters), counts)
      .value(w)
      .value(h)
      .value(d)
      .on({gx, gy, gz}, {bx, by, bz});
}

}  // namespace warpscope
#endif
