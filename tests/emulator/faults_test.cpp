// tests/emulator/faults_test.cpp: planted bugs are found at their line and thread, good code is not
// blamed.
#include <algorithm>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// Every kernel takes (float* a, float* b, int* i, int n); a has 256 elements, b 256, uninitialised,
// i 256 with i[k] = k. The line that holds the mark BUG is where the fault is expected.
struct Planted {
  const char* name;
  FaultKind kind;
  Dim3 block, thread;
  std::int64_t blocks, threads;
  const char* text;
  const char* buffer;
  std::int64_t dynamic_shared = 0;  // bytes
};

const Planted kPlanted[] = {
    {"past the end",
     FaultKind::out_of_bounds,
     {1, 0, 0},
     {112, 0, 0},
     2,
     128,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "  float x = a[t + 16];  // BUG\n"
     "  b[t] = x;\n}",
     "a"},
    {"before the start",
     FaultKind::out_of_bounds,
     {0, 0, 0},
     {0, 0, 0},
     1,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  b[t - 1] = 2.0f;  // BUG\n}",
     "b"},
    {"null pointer",
     FaultKind::out_of_bounds,
     {0, 0, 0},
     {5, 0, 0},
     1,
     32,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  float* p = t == 5 ? (float*)(size_t)(n - n) : a;\n"
     "  b[t] = 0;\n"
     "  *(volatile float*)p = 1.0f;  // BUG\n}",
     ""},
    {"misaligned vector",
     FaultKind::misaligned,
     {0, 0, 0},
     {0, 0, 0},
     1,
     32,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  float4 v = *(const float4*)(a + 4 * t + 1);  // BUG\n"
     "  b[t] = v.x + v.y + v.z + v.w;\n}",
     "a"},
    {"uninitialised global",
     FaultKind::uninitialised_read,
     {0, 0, 0},
     {9, 0, 0},
     1,
     32,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  if (t != 9) b[t] = 1.0f;\n"
     "  __syncthreads();\n"
     "  a[t] = b[t];  // BUG\n}",
     "b"},
    {"uninitialised shared",
     FaultKind::uninitialised_read,
     {0, 0, 0},
     {31, 0, 0},
     1,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float s[65];\n"
     "  int t = threadIdx.x;\n"
     "  if (t != 32) s[t] = a[t];\n"
     "  __syncthreads();\n"
     "  b[t] = s[t + 1 < 64 ? t + 1 : 0];  // BUG\n}",
     "s"},
    {"missing barrier",
     FaultKind::shared_race,
     {0, 0, 0},
     {0, 0, 0},
     1,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float s[64];\n"
     "  int t = threadIdx.x;\n"
     "  s[t] = 1.0f;\n"
     "  __syncthreads();\n"
     "  float x = s[t ^ 32];  // BUG\n"
     "  s[t] = x + a[t];\n"
     "  __syncthreads();\n"
     "  b[t] = s[t];\n}",
     "s"},
    {"two writers",
     FaultKind::shared_race,
     {0, 0, 0},
     {32, 0, 0},
     1,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float s[32];\n"
     "  int t = threadIdx.x;\n"
     "  s[t & 31] = a[t] + t;  // BUG\n"
     "  __syncthreads();\n"
     "  b[t] = s[t & 31];\n}",
     "s"},
    {"missing __syncwarp",
     FaultKind::shared_race,
     {0, 0, 0},
     {0, 0, 0},
     1,
     32,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ volatile int s[32];\n"
     "  int t = threadIdx.x;\n"
     "  ((int*)s)[t] = i[t];\n"
     "  b[t] = ((int*)s)[t ^ 1];  // BUG\n}",
     "s"},
    {"divergent barrier",
     FaultKind::divergent_barrier,
     {0, 0, 0},
     {0, 0, 0},
     1,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  if (t % 32 < n - 246) {\n"
     "    b[t] = a[t];\n"
     "    __syncthreads();  // BUG\n"
     "    b[t] += a[t + 1];\n"
     "  } else {\n"
     "    b[t] = a[t] * a[t];\n"
     "    __syncthreads();\n"
     "    b[t] -= a[t + 2];\n"
     "  }\n}",
     ""},
    {"missing wait",
     FaultKind::missing_wait,
     {0, 0, 0},
     {0, 0, 0},
     1,
     32,
     "#include <cuda_pipeline.h>\n"
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float s[32];\n"
     "  int t = threadIdx.x;\n"
     "  __pipeline_memcpy_async(s + t, a + t, 4);\n"
     "  __pipeline_commit();\n"
     "  __syncthreads();\n"
     "  b[t] = s[t];  // BUG\n}",
     "s"},
    {"endless loop",
     FaultKind::endless_loop,
     {0, 0, 0},
     {0, 0, 0},
     1,
     32,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  while (*(volatile int*)i == 0) {}  // BUG\n"
     "  b[threadIdx.x] = 1;\n}",
     "i"},
    {"failed assertion",
     FaultKind::assertion,
     {1, 0, 0},
     {7, 0, 0},
     2,
     32,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int t = blockIdx.x * 32 + threadIdx.x;\n"
     "  assert(i[t] != 39);  // BUG\n"
     "  b[t] = 1;\n}",
     ""},
    {"lanes that never come",
     FaultKind::deadlock,
     {0, 0, 0},
     {0, 0, 0},
     1,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  if (t < 32) {\n"
     "    asm volatile(\"bar.sync 1, 64;\");  // BUG\n"
     "  }\n"
     "  b[t] = 1;\n}",
     ""},
    {"past the shared array",
     FaultKind::out_of_bounds,
     {0, 0, 0},
     {60, 0, 0},
     1,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float s[64];\n"
     "  int t = threadIdx.x;\n"
     "  s[i[t] + 4] = a[t];  // BUG\n"
     "  __syncthreads();\n"
     "  b[t] = s[t < 4 ? 4 : t];\n}",
     "s"},
    {"past a shared array into its neighbour",
     FaultKind::out_of_bounds,
     {0, 0, 0},
     {63, 0, 0},
     1,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float first[64], second[64];\n"
     "  int t = threadIdx.x;\n"
     "  first[t] = second[t] = a[t];\n"
     "  __syncthreads();\n"
     "  b[t] = first[i[t] + 1] + second[t ^ 1];  // BUG\n}",
     "first"},
    {"before a shared array, in its neighbour",
     FaultKind::out_of_bounds,
     {0, 0, 0},
     {0, 0, 0},
     1,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float first[64], second[64];\n"
     "  int t = threadIdx.x;\n"
     "  first[t] = second[t] = a[t];\n"
     "  __syncthreads();\n"
     "  float x = 0;\n"
     "  for (int d = 0; d < n - 254; ++d)\n"
     "    x += second[t - d];  // BUG\n"
     "  b[t] = x + first[t ^ 1];\n}",
     "second"},
    {"one past the end",
     FaultKind::out_of_bounds,
     {3, 0, 0},
     {63, 0, 0},
     4,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "  b[t] = a[t];\n"
     "  b[t + 1] = a[t];  // BUG\n}",
     "b"},
    {"a bound that is off by one",
     FaultKind::out_of_bounds,
     {4, 0, 0},
     {0, 0, 0},
     5,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "  if (t <= n)\n"
     "    b[t] = 1.0f;  // BUG\n}",
     "b"},
    {"a stride of one too many",  // 16 rows of 16, walked as rows of 17
     FaultKind::out_of_bounds,
     {0, 0, 0},
     {31, 0, 0},
     1,
     32,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int row = threadIdx.x / 2, half = threadIdx.x % 2;\n"
     "  b[threadIdx.x] = a[row * 17 + half * 8];  // BUG\n}",
     "a"},
    {"the next batch",  // four batches of 64, each block a batch
     FaultKind::out_of_bounds,
     {3, 0, 0},
     {0, 0, 0},
     4,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int batch = blockIdx.x + 1;\n"
     "  b[blockIdx.x * 64 + threadIdx.x] = a[batch * 64 + threadIdx.x];  // BUG\n}",
     "a"},
    {"the output of another batch",  // that nothing has written yet
     FaultKind::uninitialised_read,
     {0, 0, 0},
     {32, 0, 0},
     2,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  int batch = blockIdx.x;\n"
     "  b[batch * 64 + threadIdx.x] = a[batch * 64 + threadIdx.x];\n"
     "  __syncthreads();\n"
     "  a[batch * 64 + threadIdx.x] = b[(batch ^ 1) * 64 + threadIdx.x];  // BUG\n}",
     "b"},
    {"too little dynamic shared memory",
     FaultKind::out_of_bounds,
     {0, 0, 0},
     {32, 0, 0},
     1,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  extern __shared__ float s[];\n"
     "  int t = threadIdx.x;\n"
     "  s[t] = a[t];  // BUG\n"
     "  __syncthreads();\n"
     "  b[t] = s[t & 15];\n}",
     "dynamic shared memory",
     128},
    {"waited for a copy, but not for the others",
     FaultKind::shared_race,
     {0, 0, 0},
     {0, 0, 0},
     1,
     64,
     "#include <cuda_pipeline.h>\n"
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float s[64];\n"
     "  int t = threadIdx.x;\n"
     "  __pipeline_memcpy_async(s + t, a + t, 4);\n"
     "  __pipeline_commit();\n"
     "  __syncthreads();\n"
     "  __pipeline_wait_prior(0);\n"
     "  b[t] = s[t | 32];  // BUG\n}",
     "s"},
    {"waited for too few groups",
     FaultKind::missing_wait,
     {0, 0, 0},
     {0, 0, 0},
     1,
     32,
     "#include <cuda_pipeline.h>\n"
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float s[2][32];\n"
     "  int t = threadIdx.x;\n"
     "  __pipeline_memcpy_async(&s[0][t], a + t, 4);\n"
     "  __pipeline_commit();\n"
     "  __pipeline_memcpy_async(&s[1][t], a + 32 + t, 4);\n"
     "  __pipeline_commit();\n"
     "  __pipeline_wait_prior(1);\n"
     "  __syncthreads();\n"
     "  b[t] = s[0][t ^ 1];\n"
     "  b[t] += s[1][t];  // BUG\n}",
     "s"},
    {"a copy over what others still read",
     FaultKind::shared_race,
     {0, 0, 0},
     {0, 0, 0},
     1,
     64,
     "#include <cuda_pipeline.h>\n"
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float s[64];\n"
     "  int t = threadIdx.x;\n"
     "  s[t] = a[t];\n"
     "  __syncthreads();\n"
     "  if (t >= 32)\n"
     "    b[t] = s[t ^ 32];\n"
     "  else\n"
     "    __pipeline_memcpy_async(s + t, a + 64 + t, 4);  // BUG\n"
     "  __pipeline_commit();\n"
     "  __pipeline_wait_prior(0);\n"
     "  __syncthreads();\n"
     "  b[t] = s[t ^ 32];\n}",
     "s"},
    {"a store into a copy under way",
     FaultKind::missing_wait,
     {0, 0, 0},
     {0, 0, 0},
     1,
     32,
     "#include <cuda_pipeline.h>\n"
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float s[32];\n"
     "  int t = threadIdx.x;\n"
     "  __pipeline_memcpy_async(s + t, a + t, 4);\n"
     "  __pipeline_commit();\n"
     "  s[t] = 0;  // BUG\n"
     "  __pipeline_wait_prior(0);\n"
     "  __syncthreads();\n"
     "  b[t] = s[t ^ 1];\n}",
     "s"},
    {"a barrier that some lanes pass by",
     FaultKind::divergent_barrier,
     {0, 0, 0},
     {0, 0, 0},
     1,
     64,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  __shared__ float s[64];\n"
     "  int t = threadIdx.x;\n"
     "  s[t] = a[t];\n"
     "  if (t % 2 == n - 256) {\n"
     "    __syncthreads();  // BUG\n"
     "    b[t] = s[t ^ 32];\n"
     "  }\n"
     "  a[t] = s[t] * 2;\n}",
     ""},
    {"unknown instruction",
     FaultKind::unsupported,
     {0, 0, 0},
     {3, 0, 0},
     1,
     32,
     "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
     "  if (threadIdx.x == 3)\n"
     "    asm volatile(\"tcgen05.wait::ld.sync.aligned;\");  // BUG\n"
     "  b[threadIdx.x] = 1;\n}",
     ""},
};

int marked_line(const std::string& text) {
  const std::size_t at = text.find("// BUG");
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

Trace run_on_three_buffers(const std::string& ptx, std::int64_t blocks, std::int64_t threads,
                           std::vector<float>& a, std::vector<float>& b,
                           std::int64_t dynamic_shared = 0) {
  std::vector<std::int32_t> i(256);
  for (int k = 0; k < 256; ++k) i[static_cast<std::size_t>(k)] = k;
  Bench bench;
  bench.add("a", a);
  bench.add("b", b, false);
  bench.add("i", i);
  bench.pass(256);
  bench.options.instruction_budget = 1'000'000;
  // Blocks of many of these write the same elements; see block_race_test.cpp.
  bench.options.check_block_races = false;
  return bench.run(ptx, launch_of(blocks, threads, dynamic_shared));
}

TEST(Faults, EveryPlantedBugIsFoundAtItsLineAndThread) {
  for (const Planted& bug : kPlanted) {
    SCOPED_TRACE(bug.name);
    WARPSCOPE_COMPILE(ptx, bug.text);
    std::vector<float> a(256, 1.0f), b(256);
    const Trace trace =
        run_on_three_buffers(ptx, bug.blocks, bug.threads, a, b, bug.dynamic_shared);
    ASSERT_FALSE(trace.faults.empty());
    const Fault& fault = trace.faults.front();
    EXPECT_EQ(fault.kind, bug.kind) << fault.sentence;
    EXPECT_EQ(fault.position.line, marked_line(bug.text)) << fault.sentence;
    EXPECT_EQ(fault.position.file, "test.cu");
    EXPECT_EQ(fault.block, bug.block) << fault.sentence;
    EXPECT_EQ(fault.thread, bug.thread) << fault.sentence;
    EXPECT_EQ(fault.buffer, bug.buffer) << fault.sentence;
    EXPECT_NE(fault.sentence.find("test.cu:" + std::to_string(fault.position.line)),
              std::string::npos)
        << fault.sentence;
  }
}

TEST(Faults, ASentenceNamesTheElementAndByHowMuch) {
  WARPSCOPE_COMPILE(ptx, kPlanted[0].text);
  std::vector<float> a(256, 1.0f), b(256);
  const Trace trace = run_on_three_buffers(ptx, 2, 128, a, b);
  ASSERT_FALSE(trace.faults.empty());
  EXPECT_EQ(trace.faults[0].sentence,
            "test.cu:3: ld.global.f32 reads a[256], 4 bytes beyond the 1024 bytes of a "
            "(block (1, 0, 0), thread (112, 0, 0))");
  EXPECT_EQ(trace.faults[0].index, 256);
  EXPECT_EQ(trace.faults[0].count, 16);
}

// Correct code, of the kinds that naive checkers blame.
const char* const kGood[] = {
    "s[t] = a[t]; __syncthreads(); b[t] = s[63 - t];",
    "s[t] = a[t]; __syncwarp(); b[t] = s[t ^ 1];",
    "for (int r = 0; r < 3; ++r) { s[t] = a[t]; __syncthreads(); b[t] = s[t ^ 32]; "
    "__syncthreads(); }",
    "unsigned char* c = (unsigned char*)s; c[t] = t; b[t] = c[t];",
    "unsigned char* c = (unsigned char*)s; c[t] = t; __syncthreads(); b[t] = c[t ^ 33];",
    "if (t >= 40) return; s[t] = a[t]; b[t] = s[t];",
    "if (t == 0) s[0] = 0; __syncthreads(); atomicAdd(s, 1.0f); __syncthreads(); b[t] = s[0];",
    "if (t < 32) { s[t] = a[t]; asm volatile(\"bar.sync 1, 32;\"); b[t] = s[t ^ 5]; } else b[t] = "
    "1;",
    "s[t] = a[t]; __syncthreads(); for (int d = 32; d; d >>= 1) { if (t < d) s[t] += s[t + d]; "
    "__syncthreads(); } if (!t) b[0] = s[0];",
    "float x = a[t]; for (int d = 16; d; d >>= 1) x += __shfl_down_sync(~0u, x, d); if (t % 32 == "
    "0) s[t / 32] = x; __syncthreads(); if (t < 2) b[t] = s[t];",
    "float l[8]; for (int k = 0; k < 8; ++k) l[k] = a[(t + k) & 63]; b[t] = l[n & 7];",
    "b[t] = 1; b[t] += a[t];",
    "int o = __syncthreads_count(a[t] > 0); b[t] = o;",
    "((short*)s)[t] = t; __syncthreads(); b[t] = ((int*)s)[t / 2];",
    "float4 v = ((float4*)a)[t]; ((float4*)b)[t] = v;",
    "if (t & 1) b[t] = a[t] + 1; else b[t] = a[t] - 1; __syncthreads(); s[t] = b[t]; "
    "__syncthreads(); b[t] = s[t ^ 3];",
    "for (int k = t; k < 256; k += 64) b[k] = a[k]; __threadfence_block(); __syncthreads();",
    "switch (t & 3) { case 0: b[t] = 1; break; case 1: b[t] = a[t]; break; case 2: b[t] = 3; "
    "break; default: b[t] = 4; }",
    "if (t < 32) { s[t] = a[t]; __syncwarp(); if (t < 16) s[t] += s[t + 16]; __syncwarp(); b[t] = "
    "s[t & 15]; }",
    "int lane = t & 31; unsigned m = __ballot_sync(~0u, lane > 3); if (lane > 3) { s[t] = "
    "__popc(m); __syncwarp(m); b[t] = s[t]; }",
    "for (int k = 0; k < (t & 7); ++k) { if (k == 5) break; b[t] = k; }",
    // Two arrays beside each other, walked up to their ends by pointers that start before them.
    "__shared__ float u[64]; s[t] = u[63 - t] = a[t]; __syncthreads(); float x = 0; for (int d = "
    "1; "
    "d <= 64; ++d) x += s[64 - d] + u[(t + d) & 63]; b[t] = x;",
    "__shared__ float u[64]; float* p = t & 32 ? u : s; p[t] = a[t]; __syncthreads(); b[t] = p[t ^ "
    "1];",
    "__shared__ float4 u[16]; s[t] = a[t]; if (t < 16) u[t] = ((float4*)a)[t]; __syncthreads(); "
    "b[t] = ((float*)u)[t ^ 3] + s[t ^ 5];",
    // Copies of two stages, each waited for, with barriers on both sides of its use.
    "unsigned d = (unsigned)__cvta_generic_to_shared(s + t); for (int r = 0; r < 3; ++r) { asm "
    "volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(d), \"l\"(a + 64 * r + t)); "
    "asm volatile(\"cp.async.commit_group;\"); asm volatile(\"cp.async.wait_group 0;\"); "
    "__syncthreads(); b[t] = s[t ^ 33]; __syncthreads(); }",
    "__shared__ float u[2][64]; unsigned d = (unsigned)__cvta_generic_to_shared(&u[0][t]); asm "
    "volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(d), \"l\"(a + t)); asm "
    "volatile(\"cp.async.commit_group;\"); for (int r = 0; r < 3; ++r) { asm "
    "volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(d + 256 * ((r + 1) & 1)), "
    "\"l\"(a + 64 * r + t)); asm volatile(\"cp.async.commit_group;\"); asm "
    "volatile(\"cp.async.wait_group 1;\"); __syncthreads(); b[t] = u[r & 1][t ^ 32]; "
    "__syncthreads(); }",
};

// 64 threads of each of two blocks store to p0[index], a buffer of 64 elements; `index` makes it of
// the thread's number in the grid, %r3.
std::int64_t needed_by(const std::string& index) {
  const std::string ptx = ptx_entry(1,
                                    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\n"
                                    "mad.lo.s32 %r3, %r1, 64, %r2;\n" +
                                        index +
                                        "ld.param.u64 %l1, [p0];\ncvta.to.global.u64 %l1, %l1;\n"
                                        "mad.wide.s32 %l2, %r3, 4, %l1;\n"
                                        "st.global.u32 [%l2], %r1;\nret;\n");
  std::vector<std::uint32_t> values(64);
  Bench bench;
  bench.add("p0", values);
  bench.pass(0);
  const Trace trace = bench.run(ptx, launch_of(2, 64));
  return trace.faults.size() == 1 ? trace.faults.front().needed : -1;
}

TEST(Faults, BeyondABufferSayHowLargeItWouldHaveToBe) {
  EXPECT_EQ(needed_by("add.s32 %r3, %r3, 100;\n"), 228) << "element 100 + 127";
  EXPECT_EQ(needed_by("mul.lo.s32 %r3, %r3, 3;\n"), 382) << "element 3 · 127";
  EXPECT_EQ(needed_by("sub.s32 %r3, %r3, 1;\n"), 0) << "element −1 is in no larger buffer";
}

TEST(Faults, GoodKernelsAreNotBlamed) {
  EXPECT_GE(std::size(kGood), 20u);
  for (const char* body : kGood) {
    SCOPED_TRACE(body);
    const std::string text =
        "extern \"C\" __global__ void k(float* a, float* b, int* i, int n) {\n"
        "  __shared__ float s[64];\n  int t = threadIdx.x;\n  " +
        std::string(body) + "\n}";
    WARPSCOPE_COMPILE(ptx, text);
    std::vector<float> a(256, 1.0f), b(256);
    const Trace trace = run_on_three_buffers(ptx, 2, 64, a, b);
    EXPECT_EQ(faults_text(trace), "");
  }
}

}  // namespace
}  // namespace warpscope

#endif
