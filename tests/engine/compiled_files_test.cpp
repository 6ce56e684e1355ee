// tests/engine/compiled_files_test.cpp: what is read of the files that nvcc makes is what ptxas
// says of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "profiling/binaries/binary_file.h"
#include "profiling/engine/compile/nvcc.h"
#include "profiling/engine/compile/resources.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const char* const kKernels = R"(#include <cstdint>
struct Pair { float x; double y; };
__constant__ float table[64];
namespace ns {
template <class T, int N>
__global__ void __launch_bounds__(256) scale(T* out, const T* in, short n, Pair p) {
  __shared__ T tile[N];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x % N] = in[i];
  __syncthreads();
  if (i < n) out[i] = tile[(threadIdx.x + 1) % N] * table[i % 64] + p.y;
}
template __global__ void scale<float, 128>(float*, const float*, short, Pair);
template __global__ void scale<double, 640>(double*, const double*, short, Pair);
}  // namespace ns
extern "C" __global__ void stacked(int* p, int n) {
  int local[40];
  for (int i = 0; i < 40; ++i) local[i] = p[i] * n;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += local[p[i] % 40];
  p[0] = sum;
}
extern "C" __global__ void wide(float4* p, char a, long b, char c) {
  float4 v[12];
#pragma unroll
  for (int i = 0; i < 12; ++i) v[i] = p[i * 32 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 12; ++i) p[threadIdx.x * 12 + i] = make_float4(v[11 - i].y, v[i].x, a, b + c);
}
)";
const char* const kFloat = "_ZN2ns5scaleIfLi128EEEvPT_PKS1_s4Pair";
const char* const kDouble = "_ZN2ns5scaleIdLi640EEEvPT_PKS1_s4Pair";

class CompiledFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvcc()) GTEST_SKIP() << sentence(find_nvcc().error());
    folder_ = fs::temp_directory_path() / ("warpscope-compiled-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "kernels.cu") << kKernels;
    std::ofstream(folder_ / "main.cu")
        << "__global__ void own(int* p) { *p = 1; }\nint main() { own<<<1, 1>>>(nullptr); }\n";
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  // What a command in the folder prints; `nvcc` stands for the compiler.
  std::string said(const std::string& words) const {
    const std::string command = "cd " + folder_.string() +
                                " && PATH=" + fs::path(find_nvcc()->path).parent_path().string() +
                                ":$PATH && " + words + " 2>&1";
    std::string all;
    FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> chunk{};
    while (std::fgets(chunk.data(), chunk.size(), pipe) != nullptr) all += chunk.data();
    EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << all;
    return all;
  }
  std::string bytes_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
  BinaryFile read(const std::string& name) const {
    Result<BinaryFile> file = read_binary(bytes_of(name), name);
    if (!file) ADD_FAILURE() << sentence(file.error());
    return file ? std::move(*file) : BinaryFile();
  }
  fs::path folder_;
};

TEST_F(CompiledFiles, HaveTheRegistersAndMemoryThatPtxasReports) {
  for (const int architecture : {75, 80, 86, 89, 90, 100, 120}) {
    SCOPED_TRACE(architecture);
    const std::string name = "sm_" + std::to_string(architecture);
    const std::string log = said("nvcc -cubin -Xptxas -v -arch=" + name + " kernels.cu -o k.cubin");
    const Result<Cubin> cubin = read_cubin(bytes_of("k.cubin"), "k.cubin");
    ASSERT_TRUE(cubin) << sentence(cubin.error());
    EXPECT_EQ(cubin->compute_capability, architecture);
    EXPECT_EQ(cubin->constant_bytes, 256);
    ASSERT_EQ(cubin->kernels.size(), 4u);
    for (const BinaryKernel& kernel : cubin->kernels) {
      SCOPED_TRACE(kernel.symbol);
      const Result<KernelResources> reported = reported_resources(log, kernel.symbol);
      ASSERT_TRUE(reported) << log;
      EXPECT_EQ(kernel.registers, reported->registers_per_thread);
      EXPECT_EQ(kernel.static_shared_bytes, reported->static_shared_bytes);
      EXPECT_EQ(kernel.local_bytes, reported->local_bytes_per_thread);
      EXPECT_EQ(kernel.most_threads, kernel.symbol.starts_with("_ZN2ns") ? 256 : 0);
      EXPECT_GT(kernel.code_bytes, 0);
      // ptxas names the bytes of bank 0 up to sm_89.
      if (architecture < 90) {
        EXPECT_THAT(log, HasSubstr(std::to_string(kernel.constant_bytes) + " bytes cmem[0]"));
      }
    }
  }
}

std::vector<std::pair<std::int64_t, std::int64_t>> places(const BinaryKernel& kernel) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (const BinaryParameter& p : kernel.parameters) all.emplace_back(p.offset, p.bytes);
  return all;
}

TEST_F(CompiledFiles, HaveParametersWhereTheirAlignmentPutsThem) {
  said("nvcc -cubin -arch=sm_90 kernels.cu -o k.cubin");
  const std::string cubin = bytes_of("k.cubin");
  using P = std::pair<std::int64_t, std::int64_t>;
  const auto scale = kernel_in_cubin(cubin, kFloat), wide = kernel_in_cubin(cubin, "wide");
  ASSERT_TRUE(scale && wide);
  EXPECT_THAT(places(*scale), ElementsAre(P{0, 8}, P{8, 8}, P{16, 2}, P{24, 16}));
  EXPECT_EQ(scale->parameter_bytes, 40);
  EXPECT_THAT(places(*wide), ElementsAre(P{0, 8}, P{8, 1}, P{16, 8}, P{24, 1}));
  EXPECT_EQ(wide->parameter_bytes, 25);
}

TEST_F(CompiledFiles, ParametersAbove4KbHaveTheirSizesToo) {
  std::ofstream(folder_ / "large.cu") << "struct Large { float v[2000]; };\n"
                                         "extern \"C\" __global__ void k(Large a, float* out) {\n"
                                         "  out[threadIdx.x] = a.v[threadIdx.x];\n}\n";
  said("nvcc -cubin -arch=sm_90 large.cu -o k.cubin");
  const auto kernel = kernel_in_cubin(bytes_of("k.cubin"), "k");
  ASSERT_TRUE(kernel);
  using P = std::pair<std::int64_t, std::int64_t>;
  EXPECT_THAT(places(*kernel), ElementsAre(P{0, 8000}, P{8000, 8}));
}

TEST_F(CompiledFiles, EveryKindOfFileHasItsKernelsAndPtx) {
  const std::string codes =
      "-gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=[sm_90,compute_90] ";
  // The texts are compiled once: what else nvcc makes of them it links and packs.
  said("nvcc -c -Xcompiler -fPIC --keep " + codes + "kernels.cu -o kernels.o");
  said("nvcc -c " + codes + "main.cu -o main.o");
  said("nvcc -c -rdc=true " + codes + "kernels.cu -o relocatable.o");
  const std::string images =
      "--image3=kind=elf,sm=75,file=$(ls *75*.cubin) --image3=kind=elf,sm=90,file=$(ls *90*.cubin) "
      "--image3=kind=ptx,sm=90,file=$(ls *90*.ptx) ";
  for (const char* mode : {"none", "speed", "balance", "size"})
    said("fatbinary -64 --compress-mode=" + std::string(mode) + " " + images + "--create=" + mode +
         ".fatbin");
  said("nvcc -lib main.o kernels.o -o all.a");
  said("nvcc -shared kernels.o -o shared.so");
  said("nvcc main.o kernels.o -o program");
  said("nvcc -Xcompiler -no-pie main.o kernels.o -o fixed");
  for (const char* name :
       {"none.fatbin", "speed.fatbin", "balance.fatbin", "size.fatbin", "kernels.o",
        "relocatable.o", "all.a", "shared.so", "program", "fixed"}) {
    SCOPED_TRACE(name);
    const BinaryFile file = read(name);
    EXPECT_THAT(file.not_read, IsEmpty());
    std::vector<std::string> names;
    for (const NamedKernel& kernel : file.kernels) {
      if (kernel.symbol == "_Z3ownPi") continue;
      names.push_back(kernel.name.name);
      ASSERT_EQ(kernel.compiled.size(), 2u);
      EXPECT_EQ(machine_name(kernel.compiled[0].target), "sm_75");
      EXPECT_EQ(machine_name(kernel.compiled[1].target), "sm_90");
      ASSERT_EQ(kernel.ptx.size(), 1u);
      EXPECT_EQ(ptx_name(kernel.ptx[0]), "compute_90");
    }
    EXPECT_THAT(names, UnorderedElementsAre("ns::scale<float, 128>", "ns::scale<double, 640>",
                                            "stacked", "wide"));
    const Result<std::string> ptx = ptx_of(bytes_of(name), file, "scale<double, 640>", name);
    ASSERT_TRUE(ptx) << sentence(ptx.error());
    EXPECT_THAT(*ptx, HasSubstr(".target sm_90"));
    EXPECT_THAT(*ptx, HasSubstr(kDouble));
    EXPECT_THAT(ptx_entries(*ptx), testing::SizeIs(4));
  }
}

TEST_F(CompiledFiles, FeaturesOfOneArchitectureAreNamed) {
  for (const char* const architecture : {"sm_90a", "sm_100a", "sm_100f", "sm_120f"}) {
    said("nvcc -cubin -arch=" + std::string(architecture) + " main.cu -o own.cubin");
    const BinaryFile alone = read("own.cubin");
    ASSERT_EQ(alone.machine.size(), 1u);
    EXPECT_EQ(machine_name(alone.machine[0]), architecture);
    said("nvcc -fatbin -arch=" + std::string(architecture) + " main.cu -o own.fatbin");
    const BinaryFile fat = read("own.fatbin");
    ASSERT_EQ(fat.machine.size(), 1u);
    EXPECT_EQ(machine_name(fat.machine[0]), architecture);
  }
}

TEST_F(CompiledFiles, NamesFunctionsThatAnotherObjectDefines) {
  std::ofstream(folder_ / "calls.cu")
      << "extern __device__ int other(int);\n"
         "extern \"C\" __global__ void k(int* p) { *p = other(*p); }\n";
  said("nvcc -cubin -rdc=true -arch=sm_90 calls.cu -o k.cubin");
  const Result<Cubin> cubin = read_cubin(bytes_of("k.cubin"), "k.cubin");
  ASSERT_TRUE(cubin);
  EXPECT_TRUE(cubin->relocatable);
  ASSERT_EQ(cubin->kernels.size(), 1u);
  EXPECT_THAT(cubin->kernels[0].externs, ElementsAre("_Z5otheri"));
}

}  // namespace
}  // namespace warpscope
