// tests/workbench/commands/planted_regressions_test.cpp: forty kernels that are worse by one per
// cent in one count, and a gate that names each count and line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

// 12 800 elements are 100 blocks of 128 threads: 400 warps. x is 1 everywhere, so that another
// index gives the same output.
constexpr const char* kDescription = R"toml(title = "Kernels to make worse"
[axes.n]
label = "elements"
range = [1, 65536]
default = 12800
[buffers]
x = { type = "f32", count = "n", element = "1" }
y = { type = "f32", count = "n", role = "output" }
[variants]
stream = { source = "stream.cu", grid = "ceil_div(n, 128)", block = 128, arguments = ["x", "y", "i32:n"] }
tile = { source = "tile.cu", grid = "ceil_div(n, 128)", block = 128, arguments = ["x", "y", "i32:n"] }
stack = { source = "stack.cu", grid = "ceil_div(n, 128)", block = 128, arguments = ["x", "y", "i32:n"] }
wide = { source = "wide.cu", grid = "ceil_div(n, 128)", block = 128, arguments = ["x", "y", "i32:n"] }
spilling = { source = "spilling.cu", grid = "ceil_div(n, 128)", block = 128, arguments = ["x", "y", "i32:n"] }
)toml";

// Three requests of 4 sectors per warp: 1 200 requests, 4 800 sectors.
constexpr const char* kStream = R"cuda(
extern "C" __global__ void stream(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = x[i];
  const float other = x[n - 1 - i];
  y[i] = value + other;
}
)cuda";

// Two requests to shared memory per warp: 800 requests, 800 wavefronts. 1 600 bytes.
constexpr const char* kTile = R"cuda(
extern "C" __global__ void tile(const float* x, float* y, int n) {
  __shared__ float s[400];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int own = threadIdx.x;
  s[own] = x[i];
  __syncthreads();
  y[i] = s[own ^ 1];
}
)cuda";

// Three requests of 4 sectors to local memory per warp: 1 200 and 4 800. 1 600 bytes per thread.
constexpr const char* kStack = R"cuda(
extern "C" __global__ void stack(const float* x, float* y, int n) {
  volatile float own[400];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  own[n & 3] = x[i];
  own[4 + (n & 3)] = 1;
  y[i] = own[n & 3];
}
)cuda";

// The last value is used first, so all are there at once: a register each, or a spill each if
// launch bounds leave 32 registers.
constexpr const char* kWide = R"cuda(
extern "C" __global__ void wide(const float* x, float* y, int n) {
  constexpr int kValues = 60;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const volatile float* const all = x;
  float values[kValues];
#pragma unroll
  for (int k = 0; k < kValues; ++k) values[k] = all[(i + 128 * k) % n];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kValues; ++k) sum = sum * 0.5f + values[kValues - 1 - k];
  y[i] = sum;
}
)cuda";

struct Plant {
  const char *kernel, *from, *to;
  std::string says;  // what the gate says of the planted count
  const char* line;  // words of the line that it must name; the first line with them
  bool quick = false;
};

// A condition that holds in `blocks` neighbouring blocks of a hundred.
std::string in(int blocks, int which) {
  return "blockIdx.x / " + std::to_string(blocks) + " == " + std::to_string(which);
}

constexpr const char* kRequests = "requests to global memory: 1 200 → 1 212 (+12, +1 %)";
constexpr const char* kSectors = "sectors of global memory: 4 800 → 4 848 (+48, +1 %)";
constexpr const char* kSharedRequests = "requests to shared memory: 800 → 808 (+8, +1 %)";
constexpr const char* kWavefronts = "wavefronts of shared memory: 800 → 808 (+8, +1 %)";
constexpr const char* kLocalRequests = "requests to local memory: 1 200 → 1 212 (+12, +1 %)";
constexpr const char* kLocalSectors = "sectors of local memory: 4 800 → 4 848 (+48, +1 %)";

// Texts that are built live as long as the program.
const char* kept(const std::string& text) {
  static auto& all = *new std::map<std::string, int>;
  return all.try_emplace(text).first->first.c_str();
}

void add_accesses(std::vector<Plant>& all) {
  const char* const load = "  const float value = x[i];\n";
  for (const int which : {0, 17, 32}) {
    const std::string read =
        "  if (" + in(3, which) +
        ") static_cast<void>(static_cast<const volatile float*>(x)[i ^ 32]);\n";
    all.push_back({"stream", load, kept(read + load), kRequests, "volatile"});
  }
  for (const int which : {5, 20}) {
    const std::string written =
        "  if (" + in(3, which) + ") static_cast<volatile float*>(y)[i] = 0;\n";
    all.push_back({"stream", load, kept(written + load), kRequests, "volatile"});
  }
  for (const int which : {0, 24, 49}) {
    const std::string read = "  if (" + in(2, which) +
                             ") static_cast<void>(static_cast<const volatile float*>(s)[own]);\n";
    all.push_back({"tile", "  y[i] =", kept(read + "  y[i] ="), kSharedRequests, "volatile"});
  }
  for (const int which : {2, 16, 30}) {
    const std::string read = "  if (" + in(3, which) + ") static_cast<void>(own[n & 3]);\n";
    all.push_back({"stack", "  y[i] =", kept(read + "  y[i] ="), kLocalRequests, "if (block"});
  }
}

// Lanes two elements apart touch twice the sectors, or pairs of them one bank.
void add_indices(std::vector<Plant>& all) {
  for (const int which : {1, 14, 31}) {
    all.push_back({"stream", "x[i]", kept("x[" + in(3, which) + " ? 2 * i % n : i]"), kSectors,
                   "const float value", which == 14});
  }
  for (const int which : {3, 22}) {
    all.push_back({"stream", "x[n - 1 - i]",
                   kept("x[n - 1 - (" + in(3, which) + " ? 2 * i % n : i)]"), kSectors,
                   "const float other"});
  }
  // Shifted by one element, a request of twelve blocks touches one sector more.
  all.push_back(
      {"stream", "x[i]", kept("x[i + (" + in(12, 4) + ")]"), kSectors, "const float value"});
  for (const int which : {3, 30}) {
    all.push_back({"tile", "s[own ^ 1]", kept("s[" + in(2, which) + " ? 2 * own % 128 : own ^ 1]"),
                   kWavefronts, "y[i] =", which == 30});
  }
  for (const int which : {7, 41}) {
    all.push_back({"tile",
                   "s[own] =", kept("s[" + in(2, which) + " ? 2 * own % 128 + own / 64 : own] ="),
                   kWavefronts, "= x[i]"});
  }
  for (const int which : {4, 25}) {
    all.push_back({"stack", "own[4 + (n & 3)]",
                   kept("own[4 + (n & 3) + (" + in(3, which) + " ? threadIdx.x & 1 : 0)]"),
                   kLocalSectors, "own[4 + "});
  }
}

void add_compiled(std::vector<Plant>& all) {
  const char* const values = "kValues = 60";
  all.push_back({"stack", "own[400]", "own[404]",
                 "bytes of local memory per thread: 1 600 → 1 616 (+16, +1 %)", "own[404]"});
  all.push_back({"tile", "s[400]", "s[404]",
                 "bytes of shared memory per block: 1 600 → 1 616 (+16, +1 %)", "s[404]"});
  all.push_back(
      {"tile", "s[400]", "s[405]", "bytes of shared memory per block: 1 600 → 1 620", "s[405]"});
  // Sixteen blocks of 13 600 bytes, and a KiB that the system takes of each, exceed 228 KiB.
  all.push_back({"tile", "s[400]", "s[3400]",
                 "resident warps per multiprocessor (occupancy): 64 → 60", "s[3400]"});
  // The compiler gives these registers in steps of eight.
  all.push_back({"wide", values, "kValues = 64", "registers per thread", "values[k] =", true});
  all.push_back({"wide", values, "kValues = 70", "registers per thread", "values[k] ="});
  all.push_back({"spilling", "kValues = 140", "kValues = 141",
                 "bytes of spilled registers that a thread stores", "values[k] ="});
  all.push_back({"spilling", "kValues = 140", "kValues = 141",
                 "bytes of spilled registers that a thread loads", "values[k] ="});
  all.push_back({"spilling", "kValues = 140", "kValues = 142",
                 "bytes of spilled registers that a thread loads", "values[k] ="});
  const std::string more = R"(  asm volatile("add.f32 %0, %0, 0f00000000;" : "+f"(sum));)";
  all.push_back({"wide", "  y[i] =", kept(more + more + more + more + "\n  y[i] ="),
                 "warp instructions", "asm volatile"});
  all.push_back({"spilling",
                 "  y[i] =", kept(more + more + more + more + more + more + "\n  y[i] ="),
                 "warp instructions", "asm volatile"});
}

void add_results(std::vector<Plant>& all) {
  for (const int which : {7, 61}) {
    all.push_back({"stream", "value + other",
                   kept("i % 100 == " + std::to_string(which) + " ? 3 : value + other"),
                   "the output y has other bits", "y[i] ="});
  }
  all.push_back({"tile", "s[own ^ 1]", kept("s[" + in(1, 42) + " ? own + 200 : own ^ 1]"),
                 "faults: 0 → ", "y[i] ="});
  all.push_back({"tile", "  __syncthreads", kept("  if (!(" + in(1, 9) + ")) __syncthreads"),
                 "faults: 0 → ", "y[i] =", true});
  all.push_back({"stream", "x[i]", kept("x[" + in(1, 77) + " ? n + i : i]"), "faults: 0 → ",
                 "const float value"});
  all.push_back({"stream", "y[i] =", kept("y[" + in(1, 20) + " ? -1 - i : i] ="), "faults: 0 → ",
                 "value + other"});
}

std::vector<Plant> plants() {
  std::vector<Plant> all;
  add_accesses(all);
  add_indices(all);
  add_compiled(all);
  add_results(all);
  return all;
}

class PlantedRegressions : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    std::filesystem::create_directories(path("plants"));
    write("plants/scene.toml", kDescription);
    std::string spilling = kWide;
    spilling.replace(spilling.find("wide("), 4, "__launch_bounds__(1024, 2) spilling");
    spilling.replace(spilling.find("= 60"), 4, "= 140");
    texts_ = {{"stream", kStream},
              {"tile", kTile},
              {"stack", kStack},
              {"wide", kWide},
              {"spilling", spilling}};
    std::string gate;
    for (const auto& [name, text] : texts_) {
      write("plants/" + name + ".cu", text);
      gate += "[[kernel]]\nscene = \"plants/" + name + "\"\n";
    }
    write("gate.toml", gate);
    const Ran first = run("ci {folder}/gate.toml --update");
    if (first.status == 3) GTEST_SKIP() << "there is no NVRTC here: " << first.err;
    ASSERT_EQ(first.status, 0) << first.err;
  }

  // Plants it, looks for its count and line in what the gate says, and takes it out.
  void expect_found(const Plant& plant) const {
    const std::string file = std::string("plants/") + plant.kernel + ".cu";
    const std::string& whole = texts_.at(plant.kernel);
    SCOPED_TRACE(file + ": " + plant.to);
    std::string changed = whole;
    ASSERT_NE(changed.find(plant.from), std::string::npos);
    changed.replace(changed.find(plant.from), std::string(plant.from).size(), plant.to);
    write(file, changed);
    const Ran ran = run("ci {folder}/gate.toml");
    write(file, whole);
    EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(std::string("plants/") + plant.kernel + " (sm_90)"));
    for (const auto& [other, text] : texts_) {
      const bool named = ran.out.find("plants/" + other + " (") != std::string::npos;
      EXPECT_EQ(named, other == plant.kernel) << other;
    }
    const std::size_t said = ran.out.find("FAILED  " + plant.says);
    ASSERT_NE(said, std::string::npos) << plant.says << "\n" << ran.out;
    // The lines under it stand further in.
    const std::size_t begin = ran.out.find('\n', said) + 1;
    std::size_t end = begin;
    while (ran.out.compare(end, 6, "      ") == 0) end = ran.out.find('\n', end) + 1;
    const std::size_t line = changed.find(plant.line);
    ASSERT_NE(line, std::string::npos);
    const auto number =
        1 + std::count(changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(line), '\n');
    EXPECT_THAT(ran.out.substr(begin, end - begin), HasSubstr(file + ":" + std::to_string(number)))
        << ran.out;
  }

 private:
  std::map<std::string, std::string> texts_;
};

TEST_F(PlantedRegressions, OfFourCountsAreFoundWithTheirLines) {
  int found = 0;
  for (const Plant& plant : plants()) {
    if (!plant.quick) continue;
    expect_found(plant);
    ++found;
  }
  EXPECT_EQ(found, 4);
}

class SlowPlantedRegressions : public PlantedRegressions {};

TEST_F(SlowPlantedRegressions, OfOnePerCentAreAllFoundWithTheirLines) {
  const std::vector<Plant> all = plants();
  EXPECT_EQ(all.size(), 40U);
  for (const Plant& plant : all) expect_found(plant);
}

}  // namespace
}  // namespace warpscope
