// tests/emulator/findings_test.cpp: planted faults and wasteful lines of real kernels have the
// right finding first, at their line, and the good variants of the scenes have none about waste.
#include "profiling/findings/findings.h"

#include <algorithm>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER
#include "tests/emulator/emulated_scene.h"

namespace warpscope {
namespace {

// Every kernel takes (float* a, float* b, int n) with 1024 elements each, b without values. The
// line that holds the mark HERE is where the first finding is expected.
struct Planted {
  const char* name;
  FindingKind kind;
  std::int64_t threads;
  const char* text;
};

const Planted kPlanted[] = {
    {"past the end", FindingKind::invalid_address, 32,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  b[t] = a[t + n];  // HERE\n}"},
    {"a vector off its alignment", FindingKind::invalid_address, 32,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  float4 v = *(const float4*)(a + 4 * t + 1);  // HERE\n"
     "  b[t] = v.x + v.y + v.z + v.w;\n}"},
    {"uninitialised", FindingKind::uninitialised_read, 32,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  a[t] = b[t];  // HERE\n}"},
    {"no barrier", FindingKind::race, 64,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  __shared__ float s[64];\n"
     "  int t = threadIdx.x;\n"
     "  s[t] = 1.0f;\n"
     "  __syncthreads();\n"
     "  float x = s[t ^ 32];  // HERE\n"
     "  s[t] = x + a[t];\n"
     "  __syncthreads();\n"
     "  b[t] = s[t];\n}"},
    {"a copy that is not waited for", FindingKind::missing_synchronisation, 32,
     "#include <cuda_pipeline.h>\n"
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  __shared__ float s[32];\n"
     "  int t = threadIdx.x;\n"
     "  __pipeline_memcpy_async(s + t, a + t, 4);\n"
     "  __pipeline_commit();\n"
     "  __syncthreads();\n"
     "  b[t] = s[t];  // HERE\n}"},
    {"an endless loop", FindingKind::hang, 32,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  while (*(volatile float*)a != 0) {}  // HERE\n"
     "  b[threadIdx.x] = 1;\n}"},
    {"a failed assertion", FindingKind::failed_assertion, 32,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  assert(n == 7);  // HERE\n"
     "  b[threadIdx.x] = 1;\n}"},
    {"an unknown instruction", FindingKind::not_emulated, 32,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  asm volatile(\"tcgen05.wait::ld.sync.aligned;\");  // HERE\n"
     "  b[threadIdx.x] = 1;\n}"},
    {"a stride of eight", FindingKind::uncoalesced_access, 64,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  b[t] = a[t * 8];  // HERE\n}"},
    {"one element off", FindingKind::unaligned_access, 32,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  b[t] = a[t + 1];  // HERE\n}"},
    {"a column of shared memory", FindingKind::bank_conflict, 32,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  __shared__ float s[32][32];\n"
     "  int t = threadIdx.x;\n"
     "  for (int r = 0; r < 32; ++r) s[r][t] = a[r * 32 + t];\n"
     "  __syncthreads();\n"
     "  float sum = 0;\n"
     "  for (int c = 0; c < 32; ++c) sum += s[t][c];  // HERE\n"
     "  b[t] = sum;\n}"},
    {"an atomic on one element per structure", FindingKind::atomic_conflict, 64,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  atomicAdd(&a[t / 8], 1.0f);  // HERE\n"
     "  if (n < 0) b[t] = 1;\n}"},
    {"an array with a variable index", FindingKind::local_memory, 32,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  float own[16];\n"
     "  int t = threadIdx.x;\n"
     "  for (int i = 0; i < 16; ++i) own[(i + n) & 15] = a[t + i];  // HERE\n"
     "  b[t] = own[n & 15];\n}"},
    {"lanes that leave a loop at different times", FindingKind::divergence, 32,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {\n"
     "  int t = threadIdx.x;\n"
     "  float x = 1;\n"
     "  #pragma unroll 1\n"
     "  for (int i = 0; i < t; ++i) x = x * x + 1;  // HERE\n"
     "  b[t] = x;\n}"},
    {"half of a warp", FindingKind::partial_warps, 16,
     "extern \"C\" __global__ void k(float* a, float* b, int n) {  // HERE\n"
     "  b[threadIdx.x] = 1; }"},
};

int marked_line(const std::string& text) {
  const std::size_t at = text.find("// HERE");
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

TEST(PlantedFindings, EachIsTheFirstOfItsListAtItsLine) {
  for (const Planted& planted : kPlanted) {
    SCOPED_TRACE(planted.name);
    WARPSCOPE_COMPILE(ptx, planted.text);
    std::vector<float> a(1024, 1.0f), b(1024);
    Bench bench;
    bench.add("a", a);
    bench.add("b", b, false);
    bench.pass(1024);
    bench.options.instruction_budget = 1'000'000;
    const Trace trace = bench.run(ptx, launch_of(1, planted.threads));
    const FindingList list = findings_of(trace);
    ASSERT_FALSE(list.findings.empty());
    const Finding& first = list.findings.front();
    EXPECT_STREQ(rule_of(first.kind).id, rule_of(planted.kind).id) << first.what;
    EXPECT_EQ(first.position.line, marked_line(planted.text)) << first.what;
    EXPECT_EQ(first.position.file, "test.cu");
    EXPECT_FALSE(first.better.empty());
  }
}

// The first finding of a variant's last launch; no value: none about sectors, wavefronts or
// atomics.
struct SceneCase {
  const char *scene, *variant;
  Changes changes;
  std::optional<FindingKind> first;
};

const Changes kLed = {{"leds", "24"},  {"channels", "1"}, {"height", "64"},
                      {"width", "64"}, {"block", "32"},   {"frames", "4"}};
const Changes kEsmm = {{"m", "256"}, {"n", "256"}, {"k", "64"}};
const Changes kDeform = {{"batch", "1"},    {"queries", "32"}, {"levels", "1"},
                         {"height0", "92"}, {"width0", "160"}, {"locality", "uniform"}};
const Changes kConv2 = {{"batch", "1"}, {"channels", "64"}, {"layer", "Conv2"}, {"size", "16"}};
const Changes kCsrmm = {{"m", "64"}, {"k", "64"}, {"n", "128"}, {"p", "0.1"}};

const SceneCase kSceneCases[] = {
    {"patterns", "copy", {{"n", "65536"}}, std::nullopt},
    {"patterns", "copy", {{"n", "65536"}, {"stride", "4"}}, FindingKind::uncoalesced_access},
    {"patterns",
     "structures_fields",
     {{"op", "structures"}, {"n", "65536"}},
     FindingKind::uncoalesced_access},
    {"patterns", "structures_arrays", {{"op", "structures"}, {"n", "65536"}}, std::nullopt},
    {"patterns",
     "transpose_naive",
     {{"op", "transpose"}, {"rows", "256"}, {"columns", "256"}},
     FindingKind::uncoalesced_access},
    {"patterns",
     "transpose_tiled",
     {{"op", "transpose"}, {"rows", "256"}, {"columns", "256"}},
     FindingKind::bank_conflict},
    {"patterns",
     "transpose_padded",
     {{"op", "transpose"}, {"rows", "256"}, {"columns", "256"}},
     std::nullopt},
    {"patterns",
     "reduction_interleaved",
     {{"op", "reduction"}, {"n", "65536"}},
     FindingKind::divergence},
    {"patterns",
     "reduction_strided",
     {{"op", "reduction"}, {"n", "65536"}},
     FindingKind::bank_conflict},
    {"patterns",
     "atomics_global",
     {{"op", "atomics"}, {"n", "65536"}},
     FindingKind::atomic_conflict},
    {"led", "single_frame_repeated", kLed, FindingKind::uncoalesced_access},
    {"led", "grid3d_shared_pattern", kLed, FindingKind::bank_conflict},
    {"esmm", "dense_warp_tile", kEsmm, FindingKind::uncoalesced_access},
    {"esmm", "transposed_b", kEsmm, FindingKind::bank_conflict},
    {"deform", "runtime_point_loop", kDeform, FindingKind::uncoalesced_access},
    {"autoencoder", "naive_nhwc", kConv2, FindingKind::uncoalesced_access},
    {"csrmm", "float4_columns", kCsrmm, std::nullopt},
    {"csrmm", "warp_row_unroll4", kCsrmm, std::nullopt},
};

bool is_of_memory(FindingKind kind) {
  return kind == FindingKind::uncoalesced_access || kind == FindingKind::unaligned_access ||
         kind == FindingKind::bank_conflict || kind == FindingKind::atomic_conflict;
}

TEST(SceneFindings, TheWorstVariantsHaveTheirPatternFirstAndGoodOnesHaveNone) {
  for (const SceneCase& c : kSceneCases) {
    SCOPED_TRACE(std::string(c.scene) + "/" + c.variant);
    const EmulatedCounts counts = counts_of(c.scene, c.variant, c.changes);
    ASSERT_FALSE(counts.traces.empty());
    const FindingList list = findings_of(counts.traces.back());
    if (c.first) {
      ASSERT_FALSE(list.findings.empty());
      EXPECT_STREQ(rule_of(list.findings.front().kind).id, rule_of(*c.first).id)
          << list.findings.front().what;
    } else {
      for (const Finding& f : list.findings) EXPECT_FALSE(is_of_memory(f.kind)) << f.what;
    }
  }
}

// Every element of A is stored once per column of blocks, 32 per request, and pairs of lanes meet
// in a bank: one wavefront more per request. Blocks are 128 columns wide.
TEST(SceneFindings, TheTransposedTileOfTheDenseProductHasItsConflicts) {
  const EmulatedCounts counts = counts_of("esmm", "dense_warp_tile", kEsmm);
  const FindingList list = findings_of(counts.traces.back());
  const auto found = std::find_if(list.findings.begin(), list.findings.end(), [](const Finding& f) {
    return f.kind == FindingKind::bank_conflict;
  });
  ASSERT_NE(found, list.findings.end());
  EXPECT_EQ(found->count, 256 * 64 * (256 / 128) / 32);
  EXPECT_NE(found->what.find("up to 2 words of one bank"), std::string::npos) << found->what;
}

// What a finding says is what the sites of its line add up to.
TEST(SceneFindings, FiguresAreTheSumsOfTheirLine) {
  for (const SceneCase& c : kSceneCases) {
    SCOPED_TRACE(std::string(c.scene) + "/" + c.variant);
    const EmulatedCounts counts = counts_of(c.scene, c.variant, c.changes);
    for (const Trace& trace : counts.traces) {
      for (const Finding& f : findings_of(trace).findings) {
        if (f.unit != "sectors" && f.unit != "wavefronts") continue;
        const bool shared = f.unit == "wavefronts";
        std::int64_t line = 0, all = 0;
        for (const AccessSite& site : trace.sites) {
          if ((site.space == Space::shared) != shared) continue;
          const AccessTotals& t = site.totals;
          all += shared ? t.wavefronts : t.sectors;
          if (site.position.line == f.position.line)
            line += shared ? t.wavefronts - t.ideal_wavefronts : t.sectors - t.ideal_sectors;
        }
        EXPECT_EQ(f.all, all) << f.what;
        EXPECT_LE(f.count, line) << f.what;
        EXPECT_GT(f.count, 0);
      }
    }
  }
}

}  // namespace
}  // namespace warpscope

#endif
