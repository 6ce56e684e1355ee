// tests/sass/instructions/record.cpp: instruction cases on a device, by the CUDA driver.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "tests/sass/instructions/golden.h"

namespace warpscope::instructions {
namespace {

namespace fs = std::filesystem;
using u32 = std::uint32_t;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

#define WARPSCOPE_DRIVER_CALLS(X) \
  X(cuInit)                       \
  X(cuDeviceGet)                  \
  X(cuDeviceGetName)              \
  X(cuDriverGetVersion)           \
  X(cuDevicePrimaryCtxRetain)     \
  X(cuCtxSetCurrent)              \
  X(cuCtxSynchronize)             \
  X(cuModuleLoadData)             \
  X(cuModuleUnload)               \
  X(cuModuleGetFunction)          \
  X(cuLaunchKernel)               \
  X(cuMemAlloc)                   \
  X(cuMemcpyHtoD)                 \
  X(cuMemcpyDtoH)

#define WARPSCOPE_TEXT(x) #x
#define WARPSCOPE_TEXT_OF(x) WARPSCOPE_TEXT(x)  // with the version that cuda.h chooses

struct Driver {
#define X(name) decltype(&::name) name##_ = nullptr;
  WARPSCOPE_DRIVER_CALLS(X)
#undef X
  bool load() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) return false;
    bool all = true;
#define X(name)                                                                           \
  name##_ = reinterpret_cast<decltype(&::name)>(dlsym(library, WARPSCOPE_TEXT_OF(name))); \
  all = all && name##_ != nullptr;
    WARPSCOPE_DRIVER_CALLS(X)
#undef X
    return all;
  }
};

bool good(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return true;
  std::printf("%s: error %d of the driver\n", what.c_str(), static_cast<int>(result));
  return false;
}

class Recorder {
 public:
  bool open();
  bool run(const std::string& family, const std::string& cubins);
  Golden golden;
  std::vector<u32> values;

 private:
  CUmodule module_of_family(const std::string& family, const std::string& cubins);
  bool run(CUmodule module, const Case& c);
  Driver d_;
  CUdeviceptr in_ = 0, out_ = 0, memory_ = 0;
};

bool Recorder::open() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  char name[100] = {};
  int version = 0;
  if (!d_.load()) {
    std::printf("libcuda.so.1 was not found: run this on a machine with a GPU\n");
    return false;
  }
  if (!good(d_.cuInit_(0), "cuInit") || !good(d_.cuDeviceGet_(&device, 0), "cuDeviceGet") ||
      !good(d_.cuDeviceGetName_(name, sizeof name, device), "cuDeviceGetName") ||
      !good(d_.cuDriverGetVersion_(&version), "cuDriverGetVersion") ||
      !good(d_.cuDevicePrimaryCtxRetain_(&context, device), "cuDevicePrimaryCtxRetain") ||
      !good(d_.cuCtxSetCurrent_(context), "cuCtxSetCurrent") ||
      !good(d_.cuMemAlloc_(&in_, 16 * kLanes), "cuMemAlloc") ||
      !good(d_.cuMemAlloc_(&out_, 16 * kLanes), "cuMemAlloc") ||
      !good(d_.cuMemAlloc_(&memory_, 4 * kMemoryWords), "cuMemAlloc"))
    return false;
  golden.origin["device"] = name;
  const std::string all = read_file("/proc/driver/nvidia/version");
  std::smatch found;
  const bool named = std::regex_search(all, found, std::regex(R"(\d+\.\d+\.\d+)"));
  golden.origin["driver"] = (named ? found.str() + ", " : "") + "CUDA " +
                            std::to_string(version / 1000) + "." +
                            std::to_string(version % 1000 / 10);
  const std::time_t now = std::time(nullptr);
  char date[20];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  golden.origin["date"] = date;
  return true;
}

CUmodule Recorder::module_of_family(const std::string& family, const std::string& cubins) {
  CUmodule module = nullptr;
  fs::path file = fs::path(cubins) / (family + ".cubin");
  std::string how = "cubin";
  if (cubins.empty() || !fs::exists(file)) {
    const fs::path folder = fs::temp_directory_path();
    const fs::path ptx = folder / (family + ".ptx");
    file = folder / (family + ".cubin");
    fs::remove(file);
    std::ofstream(ptx) << module_of(names_of(family));
    const std::string command = "ptxas -arch=sm_90 -o " + file.string() + " " + ptx.string();
    if (std::system(command.c_str()) != 0) fs::remove(file);
    how = "ptxas";
  }
  if (fs::exists(file) && d_.cuModuleLoadData_(&module, read_file(file).c_str()) == CUDA_SUCCESS) {
    golden.origin["compiled"] = how == "cubin" && fs::exists(fs::path(cubins) / "compiler")
                                    ? read_file(fs::path(cubins) / "compiler")
                                    : how;
    return module;
  }
  if (!good(d_.cuModuleLoadData_(&module, module_of(names_of(family)).c_str()), family))
    return nullptr;
  golden.origin["compiled"] = "driver";
  return module;
}

bool Recorder::run(CUmodule module, const Case& c) {
  const std::vector<u32> in = inputs_of(c.inputs);
  std::vector<u32> out(4 * kLanes, 0xdeadbeef), memory = memory_before();
  CUfunction function = nullptr;
  u32 uniform = 0x9e3779b9;
  void* arguments[] = {&in_, &out_, &memory_, &uniform};
  if (!good(d_.cuModuleGetFunction_(&function, module, c.name.c_str()), c.name) ||
      !good(d_.cuMemcpyHtoD_(in_, in.data(), 16 * kLanes), c.name) ||
      !good(d_.cuMemcpyHtoD_(out_, out.data(), 16 * kLanes), c.name) ||
      !good(d_.cuMemcpyHtoD_(memory_, memory.data(), 4 * kMemoryWords), c.name) ||
      !good(d_.cuLaunchKernel_(function, kBlocks, 1, 1, kBlockLanes, 1, 1, 0, nullptr, arguments,
                               nullptr),
            c.name) ||
      !good(d_.cuCtxSynchronize_(), c.name) ||
      !good(d_.cuMemcpyDtoH_(out.data(), out_, 16 * kLanes), c.name) ||
      !good(d_.cuMemcpyDtoH_(memory.data(), memory_, 4 * kMemoryWords), c.name))
    return false;
  out.resize(static_cast<std::size_t>(c.results * kLanes));
  if (c.memory) out.insert(out.end(), memory.begin(), memory.end());
  values.insert(values.end(), out.begin(), out.end());
  golden.rows[c.name] = {hash_of(c), false, kept_words(c, out)};
  return true;
}

bool Recorder::run(const std::string& family, const std::string& cubins) {
  const CUmodule module = module_of_family(family, cubins);
  bool all = module != nullptr;
  for (const Case& c : cases()) {
    if (c.family != family) continue;
    if (module == nullptr || !run(module, c)) {
      values.insert(values.end(), static_cast<std::size_t>(words_of(c)), 0xbadbad);
      all = false;
    }
  }
  if (module != nullptr) d_.cuModuleUnload_(module);
  return all;
}

}  // namespace

int record(const std::string& out, const std::string& cubins, const std::string& values,
           const std::string& only) {
  Recorder recorder;
  if (!recorder.open()) return 1;
  bool all = true;
  for (const std::string& family : families()) {
    if (!only.empty() && family != only) continue;
    all = recorder.run(family, cubins) && all;
    // What there is already is kept if a later kernel hangs.
    std::ofstream(out) << text_of(recorder.golden);
    if (values.empty()) continue;
    std::ofstream(values, std::ios::binary)
        .write(reinterpret_cast<const char*>(recorder.values.data()),
               static_cast<std::streamsize>(4 * recorder.values.size()));
  }
  std::printf("%zu of %zu cases recorded\n", recorder.golden.rows.size(), cases().size());
  return all ? 0 : 1;
}

}  // namespace warpscope::instructions
