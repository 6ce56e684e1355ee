// tests/emulator/mixed_space_test.cpp: lanes of one warp that reach different memories through one
// pointer.
#include <functional>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

int given(int k) { return 3 * k + 1; }  // a[k]

// A body that uses int* a of 128 elements, int* b of 256 and its thread t; what b[t] becomes.
struct Mixed {
  const char* name;
  const char* body;
  std::function<int(int t)> expected;
  std::int64_t threads = 32;
};

// Shared memory holds a[t] + 100.
#define TILE "__shared__ int s[128]; s[t] = a[t] + 100; __syncthreads(); "

int from_shared(int t) { return given(t) + 100; }
int shared_if(bool shared, int t) { return shared ? from_shared(t) : given(t); }

const Mixed kMixed[] = {
    {"the lower half in shared memory", TILE "const int* p = t < 16 ? s : a; b[t] = p[t];",
     [](int t) { return shared_if(t < 16, t); }},
    {"the upper half in shared memory", TILE "const int* p = t < 16 ? a : s; b[t] = p[t];",
     [](int t) { return shared_if(t >= 16, t); }},
    {"every third lane in shared memory", TILE "const int* p = t % 3 == 0 ? s : a; b[t] = p[t];",
     [](int t) { return shared_if(t % 3 == 0, t); }},
    {"the first lane alone in global memory", TILE "const int* p = t == 0 ? a : s; b[t] = p[t];",
     [](int t) { return shared_if(t != 0, t); }},
    {"whole warps", TILE "const int* p = t < 32 ? s : a; b[t] = p[t];",
     [](int t) { return shared_if(t < 32, t); }, 64},
    {"vectors",
     "__shared__ int4 s[32]; s[t] = ((const int4*)a)[t]; s[t].z += 7; __syncwarp();"
     "const int4* p = t & 1 ? s : (const int4*)a; int4 v = p[t]; b[t] = v.x + v.y + v.z + v.w;",
     [](int t) { return 4 * given(4 * t) + 18 + (t % 2 != 0 ? 7 : 0); }},
    {"bytes",
     "__shared__ char s[32]; s[t] = t + 40; __syncwarp();"
     "const char* p = t & 4 ? s : (const char*)a; b[t] = p[t & 4 ? t : 4 * t];",
     [](int t) { return (t & 4) != 0 ? t + 40 : given(t); }},
    {"stores",
     "__shared__ int s[32]; s[t] = -1; __syncwarp(); int* p = t & 1 ? s : b; p[t] = a[t];"
     "__syncwarp(); if (t & 1) b[t] = s[t] + 100;",
     [](int t) { return given(t) + (t % 2 != 0 ? 100 : 0); }},
    {"stores of vectors",
     "__shared__ int2 s[32]; s[t] = make_int2(0, 0); b[2 * t] = b[2 * t + 1] = 0; __syncwarp();"
     "int2* p = t & 2 ? s : (int2*)b; p[t] = make_int2(t, 2 * t); __syncwarp();"
     "int x = t & 2 ? s[t].y : b[2 * t + 1]; __syncwarp(); b[t] = x;",
     [](int t) { return 2 * t; }},
    {"additions",
     "__shared__ int s[32]; s[t] = 50; b[t] = 10; __syncwarp(); int* p = t & 1 ? s : b;"
     "int old = atomicAdd(p + t, a[t]); __syncwarp(); b[t] = (t & 1 ? s[t] : b[t]) + 1000 * old;",
     [](int t) {
       const int old = t % 2 != 0 ? 50 : 10;
       return old + given(t) + 1000 * old;
     }},
    {"swaps",
     "__shared__ int s[32]; s[t] = t; b[t] = t; __syncwarp(); int* p = t % 5 < 2 ? s : b;"
     "int old = atomicCAS(p + t, t, 77); __syncwarp(); b[t] = 100 * (t % 5 < 2 ? s[t] : b[t]) + "
     "old;",
     [](int t) { return 7700 + t; }},
    {"reductions without a result",
     "__shared__ int s[4]; if (t < 4) { s[t] = 0; b[64 + t] = 0; } __syncwarp();"
     "atomicAdd((t & 1 ? s : b + 64) + (t & 3), 1); __syncwarp(); b[t] = t & 1 ? s[t & 3] : b[64 + "
     "(t & 3)];",
     [](int) { return 8; }},
    {"local memory",
     "int l[4]; for (int k = 0; k < 4; ++k) l[k] = 10 * t + a[k];"
     "const int* p = t & 1 ? l : a; b[t] = p[a[t] & 3];",
     [](int t) { return given(given(t) & 3) + (t % 2 != 0 ? 10 * t : 0); }},
    {"stores to local memory",
     "int l[4] = {1, 2, 3, 4}; b[64 + t] = 5; int* p = t & 1 ? l + (a[t] & 3) : b + 64 + t;"
     "*p = 9; b[t] = l[0] + l[1] + l[2] + l[3] + b[64 + t];",
     [](int t) { return t % 2 == 0 ? 10 + 9 : 10 - (1 + (given(t) & 3)) + 9 + 5; }},
    {"three memories",
     TILE
     "int l[2] = {t, a[t]}; const int* p = t % 3 == 0 ? s + t : t % 3 == 1 ? a + t : l + (t & 1);"
     "b[t] = *p;",
     [](int t) { return t % 3 == 2 ? (t % 2 != 0 ? given(t) : t) : shared_if(t % 3 == 0, t); }},
    {"a halo outside of the tile",
     TILE
     "int sum = 0; for (int d = -2; d <= 2; ++d) { int k = t + d;"
     "const int* p = k >= 0 && k < 64 ? s : a + 64; sum += p[k < 0 ? -k : k >= 64 ? k - 64 : k]; }"
     "b[t] = sum;",
     [](int t) {
       int sum = 0;
       for (int k = t - 2; k <= t + 2; ++k) {
         sum += k < 0 ? given(64 - k) : k >= 64 ? given(k) : from_shared(k);
       }
       return sum;
     },
     64},
    {"pointers in shared memory",
     TILE "__shared__ const int* at[2]; if (t == 0) { at[0] = s; at[1] = a; } __syncthreads();"
          "b[t] = at[t >> 2 & 1][t];",
     [](int t) { return shared_if((t >> 2 & 1) == 0, t); }},
    {"two buffers and shared memory",
     TILE
     "b[128 + t] = 5 * t; __syncwarp(); const int* p = t % 3 == 0 ? s : t % 3 == 1 ? a : b + 128;"
     "b[t] = p[t];",
     [](int t) { return t % 3 == 2 ? 5 * t : shared_if(t % 3 == 0, t); }},
};

TEST(MixedSpaces, EachLaneReachesItsOwnMemory) {
  for (const Mixed& mixed : kMixed) {
    SCOPED_TRACE(mixed.name);
    WARPSCOPE_COMPILE(ptx,
                      "extern \"C\" __global__ void k(const int* a, int* b, int n) {\n"
                      "  int t = threadIdx.x;\n" +
                          std::string(mixed.body) + "\n}");
    std::vector<std::int32_t> a(128), b(256, -7);
    for (int k = 0; k < 128; ++k) a[static_cast<std::size_t>(k)] = given(k);
    Bench bench;
    bench.add("a", a);
    bench.add("b", b);
    bench.pass(0);
    const Trace trace = bench.run(ptx, launch_of(1, mixed.threads));
    EXPECT_EQ(faults_text(trace), "");
    for (int t = 0; t < mixed.threads; ++t) {
      EXPECT_EQ(b[static_cast<std::size_t>(t)], mixed.expected(t)) << t;
    }
  }
}

TEST(MixedSpaces, AFaultOfOneMemoryLeavesTheLanesOfTheOther) {
  WARPSCOPE_COMPILE(ptx, R"(extern "C" __global__ void k(const int* a, int* b, int n) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  __syncwarp();
  const int* p = t & 1 ? s + t : a + t + (t == 6 ? 500 : 0);
  b[t] = *p;
})");
  std::vector<std::int32_t> a(128), b(256, -7);
  for (int k = 0; k < 128; ++k) a[static_cast<std::size_t>(k)] = given(k);
  Bench bench;
  bench.add("a", a);
  bench.add("b", b);
  bench.pass(0);
  const Trace trace = bench.run(ptx, launch_of(1, 32));
  ASSERT_EQ(trace.faults.size(), 1u) << faults_text(trace);
  EXPECT_EQ(trace.faults[0].kind, FaultKind::out_of_bounds);
  EXPECT_EQ(trace.faults[0].thread.x, 6);
  for (int t = 0; t < 32; ++t) {
    if (t == 6) continue;
    EXPECT_EQ(b[static_cast<std::size_t>(t)], t % 2 != 0 ? t : given(t)) << t;
  }
}

}  // namespace
}  // namespace warpscope

#endif
