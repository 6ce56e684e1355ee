// tests/emulator/same_value_test.cpp: threads may store one value to one shared word.
#include <algorithm>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// What a body does with int s[64], its thread t, lane and n = 9, and which thread is at fault.
struct SharedStores {
  const char* name;
  const char* body;
  std::int64_t threads = 32;
  int thread = -1;  // −1: nothing is wrong
  const char* words = "";
};

const SharedStores kStores[] = {
    {"all lanes", "s[0] = n; __syncthreads(); out[t] = s[0];"},
    {"all lanes of each warp", "s[t / 32] = n; __syncthreads(); out[t] = s[t / 32];", 64},
    {"some lanes", "if (lane < 16) s[0] = n; __syncwarp(); out[t] = s[0];"},
    {"groups of lanes", "s[t / 4] = in[t / 4]; __syncwarp(); out[t] = s[t / 4];"},
    {"groups of lanes out of order", "s[t * 5 % 8] = t * 5 % 8; __syncwarp(); out[t] = s[t % 8];"},
    {"bytes", "((char*)s)[t / 8] = n; __syncwarp(); out[t] = ((char*)s)[t % 4];"},
    {"halves of words", "((short*)s)[t & 1] = t & 1; __syncwarp(); out[t] = ((short*)s)[t & 1];"},
    {"doubles", "((double*)s)[1] = n; __syncwarp(); out[t] = ((double*)s)[1];"},
    {"vectors", "((int4*)s)[t / 16] = make_int4(n, 2, 3, n); __syncwarp(); out[t] = s[t / 8];"},
    {"a value that each of them reads back", "v[0] = n; out[t] = v[0];"},
    {"different values", "s[0] = t; __syncthreads(); out[t] = s[0];", 32, 1,
     "to which thread (0, 0, 0) of the same warp stores another value in the same instruction"},
    {"a value of one lane's own", "s[0] = lane == 20; __syncthreads(); out[t] = s[0];", 32, 20,
     "to which thread (0, 0, 0) of the same warp stores another value"},
    {"different bytes", "((char*)s)[t / 8] = t; __syncwarp(); out[t] = ((char*)s)[t % 4];", 32, 1,
     "stores another value"},
    {"a vector with one different part",
     "((int4*)s)[0] = make_int4(1, 2, lane == 31, 4); __syncwarp(); out[t] = s[0];", 32, 31,
     "stores another value"},
    {"two warps", "s[0] = n; __syncthreads(); out[t] = s[0];", 64},
    {"two warps that store the same row", "s[lane] = in[lane]; __syncthreads(); out[t] = s[lane];",
     64},
    {"two warps that read their value back", "v[0] = n; out[t] = v[0];", 64},
    {"two warps, bytes", "((char*)s)[lane] = lane; __syncthreads(); out[t] = ((char*)s)[lane];",
     64},
    {"two warps, vectors",
     "((int4*)s)[t % 8] = make_int4(n, 2, lane % 8, n); __syncthreads(); out[t] = s[t % 32];", 64},
    {"equal values of two instructions", "if (lane < 16) v[0] = n; else v[0] = n + in[0];"},
    {"equal values of two instructions, read back",
     "if (lane < 16) v[0] = n; else v[0] = n + in[0]; out[t] = v[0];"},
    {"different values of two warps", "s[0] = n + t / 32; __syncthreads(); out[t] = s[0];", 64, 32,
     "which thread (0, 0, 0) also accesses, without a barrier between them"},
    {"a row of two warps with one different value",
     "s[lane] = t == 39 ? 70 : in[lane]; __syncthreads(); out[t] = s[lane];", 64, 39,
     "which thread (7, 0, 0) also accesses, without a barrier between them"},
    {"the same value that another warp has read",
     "if (t < 32) v[0] = n; __syncthreads(); if (t < 32) out[t] = v[0]; else v[0] = n;", 64, -2,
     "also accesses, without a barrier between them"},
    {"two instructions", "if (lane < 16) v[0] = n; else v[0] = n + in[1];", 32, -2,
     "of the same warp also accesses, without __syncwarp"},
    {"one of them stores again", "v[0] = n; if (lane == 0) v[0] = 5;", 32, 0,
     "which thread (1, 0, 0) of the same warp also accesses, without __syncwarp"},
    {"all of them after one", "if (lane == 0) v[0] = 5; v[0] = n;", 32, 1,
     "which thread (0, 0, 0) of the same warp also accesses, without __syncwarp"},
    {"a lane that stored nothing reads", "if (lane < 16) v[0] = n; out[t] = v[0];", 32, 16,
     "of the same warp also accesses, without __syncwarp"},
    {"all of them over what one reads",
     "if (t == 0) v[0] = 1; __syncthreads(); if (lane == 0) out[40] = v[0]; v[0] = n;", 32, 1,
     "which thread (0, 0, 0) of the same warp also accesses, without __syncwarp"},
};

// Plain accesses that the compiler leaves in their order, whatever it knows of their values.
constexpr const char* kBefore = R"(
struct Words {
  unsigned at;
  struct Word {
    unsigned at;
    __device__ void operator=(int x) { asm volatile("st.shared.b32 [%0], %1;" :: "r"(at), "r"(x)); }
    __device__ operator int() {
      int x;
      asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(at));
      return x;
    }
  };
  __device__ Word operator[](int k) { return {at + 4 * k}; }
};
extern "C" __global__ void k(const int* in, int* out, int n) {
  __shared__ __align__(16) int s[64];
  Words v{(unsigned)__cvta_generic_to_shared(s)};
  int t = threadIdx.x, lane = t % 32;
)";

TEST(SameValueStores, AreRacesWhereValuesDifferOrSomebodyReads) {
  for (const SharedStores& stores : kStores) {
    SCOPED_TRACE(stores.name);
    WARPSCOPE_COMPILE(ptx, kBefore + std::string(stores.body) + "\n}");
    std::vector<std::int32_t> in(64), out(64);
    for (int k = 0; k < 64; ++k) in[static_cast<std::size_t>(k)] = k;
    Bench bench;
    bench.add("in", in);
    bench.add("out", out);
    bench.pass(9);
    const Trace trace = bench.run(ptx, launch_of(1, stores.threads));
    if (stores.thread == -1) {
      EXPECT_EQ(faults_text(trace), "");
      continue;
    }
    ASSERT_FALSE(trace.faults.empty());
    const Fault& fault = trace.faults.front();
    EXPECT_EQ(fault.kind, FaultKind::shared_race) << fault.sentence;
    EXPECT_NE(fault.sentence.find(stores.words), std::string::npos) << fault.sentence;
    if (stores.thread >= 0) {
      EXPECT_EQ(fault.thread.x, stores.thread) << fault.sentence;
    }
  }
}

// Against pairs of lanes: stores of few values to few words, of any width.
TEST(SameValueStores, OneInstructionRacesExactlyWhereTwoLanesDiffer) {
  WARPSCOPE_COMPILE(ptx, R"(
extern "C" __global__ void k(const int* in, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, word = in[t] & 0xff, value = in[t] >> 8;
  if (n == 1) ((unsigned char*)s)[word] = value;
  if (n == 2) ((unsigned short*)s)[word] = value;
  if (n == 4) s[word] = value;
  if (n == 8) ((long long*)s)[word] = value;
  __syncthreads();
  out[t] = s[2 * t] + s[2 * t + 1];
})");
  std::uint32_t state = 7;
  const auto below = [&](std::uint32_t n) { return (state = state * 1664525u + 1u) / 65536 % n; };
  int races = 0, quiet = 0;
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<std::int32_t> in(32), out(32);
    const std::uint32_t words = 1 + below(turn % 2 == 0 ? 32 : 4), values = 1 + below(3);
    for (std::int32_t& x : in) x = static_cast<std::int32_t>(below(words) | below(values) << 8);
    const bool expected = std::ranges::any_of(in, [&](std::int32_t a) {
      return std::ranges::any_of(in, [&](std::int32_t b) { return a != b && (a ^ b) % 256 == 0; });
    });
    Bench bench;
    bench.add("in", in);
    bench.add("out", out);
    bench.pass(1 << turn % 4);
    bench.options.check_uninitialised = false;
    const Trace trace = bench.run(ptx, launch_of(1, 32));
    EXPECT_EQ(!trace.faults.empty(), expected) << turn << ": " << faults_text(trace);
    (expected ? races : quiet) += 1;
  }
  EXPECT_GT(races, 20);
  EXPECT_GT(quiet, 20);
}

}  // namespace
}  // namespace warpscope

#endif
