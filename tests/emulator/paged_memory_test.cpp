// tests/emulator/paged_memory_test.cpp: buffers made by page give kernels what whole ones do, and
// only what they touch.
#include <algorithm>
#include <bit>
#include <fstream>
#include <map>
#include <vector>

#include "profiling/engine/run/emulated/emulated_stage.h"
#include "scenes/catalogue.h"
#include "scenes/host/random.h"
#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER
namespace warpscope {
namespace {

constexpr std::int64_t kCount = 1 << 20;  // elements of each buffer: 64 pages

void words_of(std::int64_t first, std::span<std::byte> bytes) {
  const std::span<std::int32_t> elements = elements_in<std::int32_t>(bytes);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const std::uint32_t i = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(e);
    elements[e] = static_cast<std::int32_t>(i * 2654435761u >> 12);  // below 2^20
  }
}
void poison(std::int64_t, std::span<std::byte> bytes) {
  std::fill(bytes.begin(), bytes.end(), std::byte{0xFF});
}

// Every way to global memory: rows of a warp, broadcasts, scattered lanes, wide loads, atomics,
// asynchronous and bulk copies, stores of both kinds.
constexpr const char* kText = R"(
extern "C" __global__ void row(const int* a, int* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i] + a[blockIdx.x * 4096];
}
extern "C" __global__ void scatter(const int* a, int* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[a[i] & (n - 1)] = a[a[i] & (n - 1)];
}
extern "C" __global__ void wide(const int4* a, int4* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int4 v = a[i * 3 % (n / 4)];
  v.x += 1;
  b[i] = v;
}
extern "C" __global__ void update(const int* a, int* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(const_cast<int*>(a) + (i * 97 & (n - 1)), 1);
  b[i] = 0;
}
extern "C" __global__ void behind(const int* a, int* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i + n - 100];
}
extern "C" __global__ void unwritten(const int* a, int* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = b[i + n / 2] + a[i];
}
extern "C" __global__ void copied(const int* a, int* b, int n) {
  __shared__ __align__(128) int s[256];
  __shared__ unsigned long long barrier;
  unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier);
  unsigned to = (unsigned)__cvta_generic_to_shared(s);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(1024));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(to), "l"(a + blockIdx.x * 1024), "r"(1024), "r"(bar) : "memory");
  }
  asm volatile("{\n.reg .pred p;\nW:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra W;\n}"
               ::"r"(bar) : "memory");
  b[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x];
}
)";

struct Ran {
  Trace trace;
  HostArray a, b;
};

// A kernel of kText over buffers that are whole or made by page.
Ran run(const std::string& ptx, const std::string& entry, bool by_page, std::int64_t blocks,
        int threads) {
  const auto array = [by_page](const MakeElements& make) {
    return by_page ? HostArray::by_page(ElementType::i32, kCount, make)
                   : HostArray::whole(ElementType::i32, kCount, make);
  };
  Ran ran{{}, array(words_of), array(poison)};
  Bench bench;
  bench.options.threads = threads;
  bench.options.check_block_races = false;  // scattered stores of equal values
  bench.options.traced_block = 0;
  for (HostArray* buffer : {&ran.a, &ran.b}) {
    const std::string name = buffer == &ran.a ? "a" : "b";
    bench.arguments.push_back(argument_of(bench.memory.add(
        {name, name + "[n]", ElementType::i32, {kCount}}, *buffer, buffer == &ran.a)));
  }
  bench.pass(static_cast<std::int32_t>(kCount));
  ran.trace = bench.run(ptx, launch_of(blocks, 256), entry);
  return ran;
}

TEST(PagedMemory, GivesKernelsWhatWholeBuffersGive) {
  WARPSCOPE_COMPILE(ptx, kText);
  for (const char* entry : {"row", "scatter", "wide", "update", "behind", "unwritten", "copied"}) {
    for (const int threads : {1, 4}) {
      const std::string at = std::string(entry) + ", threads " + std::to_string(threads);
      const Ran whole = run(ptx, entry, false, 64, threads);
      const Ran paged = run(ptx, entry, true, 64, threads);
      EXPECT_EQ(paged.trace.faults.size(), whole.trace.faults.size()) << at;
      // Which block comes first to a fault is by chance on several threads.
      if (threads == 1) {
        EXPECT_EQ(faults_text(paged.trace), faults_text(whole.trace)) << at;
      }
      EXPECT_EQ(whole.trace.faults.empty(),
                std::string(entry) != "behind" && std::string(entry) != "unwritten")
          << at << faults_text(whole.trace);
      EXPECT_EQ(paged.trace.warp_instructions, whole.trace.warp_instructions) << at;
      EXPECT_EQ(paged.trace.requests.size(), whole.trace.requests.size()) << at;
      ASSERT_EQ(paged.trace.sites.size(), whole.trace.sites.size()) << at;
      for (std::size_t s = 0; s < whole.trace.sites.size(); ++s) {
        EXPECT_EQ(paged.trace.sites[s].totals.sectors, whole.trace.sites[s].totals.sectors) << at;
      }
      // After a fault it is not known either which blocks still wrote.
      if (threads > 1 && !whole.trace.faults.empty()) continue;
      for (const auto& [one, other] : {std::pair(&whole.a, &paged.a), {&whole.b, &paged.b}}) {
        const auto x = one->bytes(), y = other->bytes();
        EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end())) << at;
      }
    }
  }
}

TEST(PagedMemory, OfOneBlockIsTheFewPagesThatItTouches) {
  WARPSCOPE_COMPILE(ptx, kText);
  const Ran row = run(ptx, "row", true, 1, 1);
  EXPECT_EQ(row.a.pages()->made_bytes(), PagedBytes::page_bytes);
  EXPECT_EQ(row.b.pages()->made_bytes(), PagedBytes::page_bytes);
  const Ran copied = run(ptx, "copied", true, 1, 1);
  EXPECT_EQ(copied.a.pages()->made_bytes(), PagedBytes::page_bytes);
  const Ran scattered = run(ptx, "scatter", true, 1, 1);  // 256 elements anywhere
  EXPECT_GT(scattered.a.pages()->made_bytes(), 32 * PagedBytes::page_bytes);
}

// Most of them more than the emulator may take if they were whole.
TEST(PagedStage, DrawsABlockOfGigabytesFromAFewPages) {
  const struct {
    const char *scene, *variant;
    std::map<std::string, std::string> changes;
    std::int64_t most_bytes;
  } cases[] = {
      {"patterns", "gather", {{"op", "gather"}, {"n", "268435456"}}, 64 << 20},
      {"patterns", "atomics_global", {{"op", "atomics"}, {"n", "268435456"}}, 4 << 20},
      {"csrmm", "warp_row_zero_test", {{"m", "200000"}, {"p", "0.0001"}, {"n", "1024"}}, 96 << 20},
      {"led",
       "grid3d_shared_pattern",
       {{"leds", "4000"},
        {"channels", "4"},
        {"frames", "64"},
        {"height", "2160"},
        {"width", "3840"},
        {"block", "128"},
        {"block_known", "compile time"}},
       32 << 20},
  };
  if (const auto version = nvrtc_version(); !version) GTEST_SKIP() << sentence(version.error());
  for (const auto& c : cases) {
    const Scene& scene = **built_in_catalogue().find(c.scene);
    const auto axes = with_values(scene.axes, default_configuration(scene.axes), c.changes);
    ASSERT_TRUE(axes) << sentence(axes.error());
    EmulatedStage stage;
    const Result<void> set = stage.set(scene, for_variant(scene.axes, *axes, c.variant));
    ASSERT_TRUE(set) << sentence(set.error());
    EmulatedStage::View view;
    view.grid = false;
    const auto ran = stage.run(*find_variant(scene, c.variant), view);
    ASSERT_TRUE(ran) << c.scene << ": " << sentence(ran.error());
    ASSERT_EQ(ran->traces.size(), 1u);
    EXPECT_GT(ran->traces[0].requests.size(), 0u);
    EXPECT_TRUE(ran->faults.empty()) << faults_text(ran->traces[0]);
    EXPECT_LT(stage.taken_bytes(), c.most_bytes) << c.scene << "/" << c.variant;
    EXPECT_GT(scene.estimate_bytes(*axes), std::int64_t{2} << 30);
    // The whole grid is refused as it was, with a sentence.
    view.grid = true;
    if (scene.estimate_bytes(*axes) > std::int64_t{8} << 30) {
      const auto refused = stage.run(*find_variant(scene, c.variant), view);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().kind, ErrorKind::resource);
    }
  }
}

TEST(RandomOnTheDevice, AreTheHostsBits) {
  const Result<CompiledPtx> compiled = compile_to_ptx({"engine/random_numbers.cu", {}, 90});
  if (!compiled && compiled.error().kind == ErrorKind::environment)
    GTEST_SKIP() << sentence(compiled.error());
  ASSERT_TRUE(compiled) << sentence(compiled.error());
  constexpr std::int64_t kNumbers = 100000;
  constexpr std::uint64_t kSeed = 0x123456789abcdefull, kFirst = (1ull << 32) - 50000;
  constexpr std::uint64_t kBound = 0xffffffff00000003ull;
  constexpr std::uint32_t kStream = 3;
  std::vector<std::uint32_t> words(4 * kNumbers);
  std::vector<double> uniform(kNumbers), normal(kNumbers);
  std::vector<std::int64_t> below(kNumbers);
  Bench bench;
  bench.add("words", words, false);
  bench.add("uniform", uniform, false);
  bench.add("below", below, false);
  bench.add("normal", normal, false);
  bench.pass(kSeed);
  bench.pass(kStream);
  bench.pass(kBound);
  bench.pass(kFirst);
  bench.pass(kNumbers);
  const Trace trace = bench.run(compiled->ptx, launch_of((kNumbers + 255) / 256, 256),
                                "random_numbers", "engine/random_numbers.cu");
  EXPECT_TRUE(trace.faults.empty()) << faults_text(trace);
  const RandomStream stream(kSeed, kStream);
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const std::uint64_t index = kFirst + i;
    const auto expected = stream.words(index);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(),
                           words.begin() + static_cast<std::ptrdiff_t>(4 * i)))
        << i;
    ASSERT_EQ(uniform[i], stream.uniform(index)) << i;
    ASSERT_EQ(static_cast<std::uint64_t>(below[i]), stream.below(index, kBound)) << i;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(normal[i]),
              std::bit_cast<std::uint64_t>(stream.normal_exact(index)))
        << i;
  }
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

// A program that packs a pointer into 48 bits and extends its sign has the pointer again.
TEST(BufferAddresses, OfAThousandBuffersHave47Bits) {
  Bench bench;
  std::vector<float> values(4);
  std::uint64_t last = 0;
  for (int i = 0; i < 1000; ++i) last = bench.add("b" + std::to_string(i), values);
  EXPECT_LT(last, std::uint64_t{1} << 47);
}

TEST(PagedMemory, ABufferOf4GiBThatIsTouchedSparselyTakesThePagesThatAreTouched) {
  constexpr std::int64_t kElements = 1ll << 30;
  const char* const text = R"(
extern "C" __global__ void sparse(const int* a, int* b) {
  const long long i = (blockIdx.x * 64ll + threadIdx.x) << 22;
  b[i] = a[i] + 1;
})";
  WARPSCOPE_COMPILE(ptx, text);
  const std::int64_t before = resident_bytes();
  HostArray a = HostArray::by_page(ElementType::i32, kElements, words_of),
            b = HostArray::by_page(ElementType::i32, kElements, poison);
  Bench bench;
  bench.arguments = {
      argument_of(bench.memory.add({"a", "a", ElementType::i32, {kElements}}, a, true)),
      argument_of(bench.memory.add({"b", "b", ElementType::i32, {kElements}}, b, false))};
  const Trace trace = bench.run(ptx, launch_of(4, 64), "sparse");
  EXPECT_EQ(faults_text(trace), "");
  const auto elements = b.elements<std::int32_t>();
  for (std::int64_t i = 0; i < kElements; i += 1 << 22) {
    std::int32_t made = 0;
    words_of(i, std::as_writable_bytes(std::span(&made, 1)));
    ASSERT_EQ(elements[i], made + 1) << i;
  }
  // 2 × 256 pages of 64 KiB, and pages of bits; 8 GiB would not fit here.
  EXPECT_LT(resident_bytes() - before, 256 << 20);
}

}  // namespace
}  // namespace warpscope
#endif
