// tests/engine/device_part_ptx_test.cpp: after an edit the device part alone becomes the PTX that
// the whole file becomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/entry_names.h"
#include "profiling/engine/compile/nvcc.h"
#include "profiling/engine/run/emulated/programs.h"
#include "profiling/launches/device_part.h"
#include "scenes/host/input_file.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The names of the file's own functions, variables and labels, each by its place among them; no
// comments and no debug data. What is defined stands in the order of its text.
std::vector<std::string> code_of(const std::string& ptx) {
  std::vector<std::string> parts = {""};
  std::istringstream lines(ptx);
  int depth = 0;
  bool debug = false;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    line = line.substr(begin);
    if (line.starts_with(".section")) debug = true;
    if (debug) {
      debug = line != "}";
      continue;
    }
    if (line.starts_with(".loc") || line.starts_with(".file")) continue;
    parts.back() += line + "\n";
    depth += static_cast<int>(std::count(line.begin(), line.end(), '{')) -
             static_cast<int>(std::count(line.begin(), line.end(), '}'));
    if (depth == 0 && (line.ends_with("}") || line.ends_with(";"))) parts.emplace_back();
  }
  // What keeps kernels that no host code launches, and empty rests.
  std::erase_if(parts, [](const std::string& part) {
    return part.empty() || part.find("warpscope_") != std::string::npos;
  });
  static const std::regex kName(R"([_$a-zA-Z][_$a-zA-Z0-9]*)");
  static const std::regex kOwn(R"(_Z\w+|\$\w+|\w*_param_\d+|__shared\w+|\w*\$\w+)");
  for (std::string& part : parts) {
    std::map<std::string, std::string> names;
    std::string renamed;
    std::size_t at = 0;
    for (auto m = std::sregex_iterator(part.begin(), part.end(), kName);
         m != std::sregex_iterator(); ++m) {
      const auto place = static_cast<std::size_t>(m->position());
      renamed += part.substr(at, place - at);
      at = place + static_cast<std::size_t>(m->length());
      std::string name = m->str();
      if (std::regex_match(name, kOwn))
        name = names.emplace(name, "name" + std::to_string(names.size())).first->second;
      renamed += name;
    }
    part = renamed + part.substr(at);
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

std::vector<fs::path> corpus_files() {
  std::vector<fs::path> files;
  for (const char* folder :
       {"tests/emulator/corpus", "tests/situations", "tests/emulator/foreign", "assets/examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source_folder() / folder)) {
      if (entry.path().extension() == ".cu") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

CompileRequest request_of(const std::string& file) {
  CompileRequest request{file, {{"ITEMS", "4"}, {"QUADS", "4"}}, 90};
  request.any_text = true;
  return request;
}

class DevicePartPtx : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvcc()) GTEST_SKIP() << sentence(find_nvcc().error());
  }
};

// A kernel file without host code gets some, since no device part is taken of others.
std::vector<KernelSource> with_host_code(const fs::path& file) {
  auto sources = read_own_kernel(file.string());
  if (!sources) return {};
  sources->front() = kernel_source(
      sources->front().path, "#include <cstdio>\n#include <vector>\n" + sources->front().text);
  return *sources;
}

class SlowDevicePartPtx : public DevicePartPtx {};

// How many of the files have a whole text that compiles; in `whole_files` those of them whose
// device part is not enough.
void hold_to_whole_files(const std::vector<fs::path>& files, int& count,
                         std::vector<std::string>& whole_files) {
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const std::vector<KernelSource> sources = with_host_code(file);
    ASSERT_FALSE(sources.empty());
    CompileRequest request = request_of(file.string());
    const auto whole = compile_to_ptx(request, sources);
    ASSERT_TRUE(whole) << sentence(whole.error());
    if (whole->device_part) continue;  // it does not compile whole: nothing to compare with
    const auto kernels = kernels_of_ptx(whole->ptx, file.string());
    ASSERT_TRUE(kernels);
    for (const ListedKernel& kernel : *kernels) request.earlier.push_back(kernel.name);
    const auto part = compile_to_ptx(request, sources);
    ASSERT_TRUE(part) << sentence(part.error());
    ++count;
    if (!part->device_part) {
      whole_files.push_back(file.filename());
      continue;
    }
    EXPECT_THAT(part->compiler, HasSubstr("device part alone"));
    EXPECT_EQ(code_of(part->ptx), code_of(whole->ptx));
  }
}

// A macro declares its kernels, which a look at the text does not see.
constexpr const char* kHasMacros = "faulty_kernels.cu";

TEST_F(DevicePartPtx, OfFilesOfTheCorpusEqualsThatOfTheWholeFileExceptForNamesAndDebugData) {
  constexpr std::size_t kEvery = 10;
  std::vector<fs::path> chosen;
  const std::vector<fs::path> files = corpus_files();
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i % kEvery == 0 || files[i].filename() == kHasMacros) chosen.push_back(files[i]);
  }
  int count = 0;
  std::vector<std::string> whole_files;
  ASSERT_NO_FATAL_FAILURE(hold_to_whole_files(chosen, count, whole_files));
  EXPECT_GE(count, 8);
  EXPECT_THAT(whole_files, testing::ElementsAre(kHasMacros));
}

TEST_F(SlowDevicePartPtx, OverTheCorpusItEqualsThatOfTheWholeFileExceptForNamesAndDebugData) {
  int count = 0;
  std::vector<std::string> whole_files;
  ASSERT_NO_FATAL_FAILURE(hold_to_whole_files(corpus_files(), count, whole_files));
  EXPECT_GE(count, 40);
  EXPECT_THAT(whole_files, testing::ElementsAre(kHasMacros));
}

const char* const kProgram = R"(#include <cstdio>
#include <vector>
#ifdef WITH_ALGORITHM
#include <algorithm>
#endif
namespace {
template <typename T>
__global__ void scale(T* x, T by) {
  x[threadIdx.x] *= by;
}
__global__ void hidden(float* x) { x[threadIdx.x] = 1; }
}
int main() {
  std::vector<float> host(32);
  float* x = nullptr;
  cudaMalloc(&x, host.size() * sizeof(float));
  hidden<<<1, 32>>>(x);
  scale<float><<<1, 32>>>(x, 2.0f);
  scale<double><<<1, 32>>>(nullptr, 2.0);
}
)";

TEST_F(DevicePartPtx, ItHasTheKernelsThatOnlyHostCodeNames) {
  CompileRequest request = request_of("own/k.cu");
  request.earlier = {"hidden", "scale<float>", "scale<double>"};
  const auto part = compile_to_ptx(request, {kernel_source("own/k.cu", kProgram)});
  ASSERT_TRUE(part) << sentence(part.error());
  EXPECT_TRUE(part->device_part);
  const auto kernels = kernels_of_ptx(part->ptx, "own/k.cu");
  ASSERT_TRUE(kernels);
  std::vector<std::string> names;
  for (const ListedKernel& kernel : *kernels) names.push_back(kernel.name);
  EXPECT_EQ(names.size(), 3u) << testing::PrintToString(names);
}

TEST_F(DevicePartPtx, ATextThatNeedsAHostHeaderOrLostAKernelIsCompiledWhole) {
  const std::string needs =
      std::string(kProgram) + "#include <numeric>\n__device__ std::vector<int>* unused;\n";
  CompileRequest request = request_of("own/k.cu");
  request.earlier = {"hidden"};
  for (const std::string& text : {needs, std::string(kProgram)}) {
    const auto ptx = compile_to_ptx(request, {kernel_source("own/k.cu", text)});
    ASSERT_TRUE(ptx) << sentence(ptx.error());
    EXPECT_FALSE(ptx->device_part);
    EXPECT_THAT(ptx->compiler, StartsWith("nvcc"));
    request.earlier = {"hidden", "removed"};
  }
}

TEST_F(DevicePartPtx, AfterAKernelWasRenamedItIsEnoughAgain) {
  std::string text = kProgram;
  EmulatedPrograms programs;
  programs.use([&text](const std::string& path) -> Result<std::vector<KernelSource>> {
    return std::vector<KernelSource>{kernel_source(path, text)};
  });
  const CompileRequest request = request_of("own/k.cu");
  const auto compiler = [&] {
    const auto made = programs.of(request);
    return made ? made->compiler : sentence(made.error());
  };
  EXPECT_THAT(compiler(), Not(HasSubstr("device part alone")));
  for (std::size_t at = 0; (at = text.find("hidden", at)) != std::string::npos; ++at)
    text.replace(at, 6, "shown");
  EXPECT_THAT(compiler(), Not(HasSubstr("device part alone"))) << "“hidden” is not there";
  text += "__device__ int more;\n";
  EXPECT_THAT(compiler(), HasSubstr("device part alone"));
}

// As of a scene that is a file: of PTX, of machine code, and after an edit.
TEST_F(DevicePartPtx, AHeaderThatIsNotHereIsLeftOutWithTheHostCode) {
  const std::string text = "#include <helper_cuda.h>\n#include \"project/log.h\"\n" +
                           std::string(kProgram) +
                           "void log_all() { checkCudaErrors(cudaGetLastError()); }\n";
  const std::vector<KernelSource> sources = {kernel_source("own/k.cu", text)};
  CompileRequest request = request_of("own/k.cu");
  request.instances = {"scale<float>"};
  const auto ptx = compile_to_ptx(request, sources);
  ASSERT_TRUE(ptx) << sentence(ptx.error());
  EXPECT_EQ(ptx->left_out,
            "only the device part was compiled: helper_cuda.h, project/log.h are not here");
  const auto cubin = compile(request, sources);
  EXPECT_TRUE(cubin) << sentence(cubin.error());
  request.earlier = {"hidden", "scale<float>"};
  const auto edited = compile_to_ptx(request, sources);
  ASSERT_TRUE(edited) << sentence(edited.error());
  EXPECT_TRUE(edited->device_part);
  // A mistake of the person's is told, not that of the header.
  const auto wrong = compile_to_ptx(
      request, {kernel_source("own/k.cu", text + "__device__ int missing() { return none; }\n")});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().what, HasSubstr("identifier \"none\" is undefined"));
  EXPECT_THAT(wrong.error().what, HasSubstr("helper_cuda.h"));
}

}  // namespace
}  // namespace warpscope
