// profiling/engine/compiler.h: kernel text to machine code by NVRTC, kept on disk.
#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiling/engine/device.h"
#include "profiling/measurement.h"

// Compilation needs no driver: `compile` makes a cubin for any architecture on any machine.
//
//   Result<Compiled> code = compile({"csrmm/warp_row.cu", {{"UNROLL", "4"}}, 90});

namespace warpscope {

struct CompileRequest {
  std::string source;  // path below kernels/
  std::vector<std::pair<std::string, std::string>> defines;
  int compute_capability = 90;
  bool architecture_features = false;  // as of the launch
  bool operator<(const CompileRequest& other) const {
    return std::tie(source, defines, compute_capability, architecture_features) <
           std::tie(other.source, other.defines, other.compute_capability,
                    other.architecture_features);
  }
};

struct Compiled {
  std::string cubin;
  std::string log;   // NVRTC's warnings and ptxas's report
  std::string hash;  // of text, options, toolkit and architecture
  bool from_cache = false;
};

// error: environment (no NVRTC, no source), input (it does not compile: `what` holds the compiler's
// whole log).
Result<Compiled> compile(const CompileRequest& request);

// PTX for the emulator, of a source below kernels/ or of `text` when that is not empty (`source` is
// then only its name in messages and positions). Always compute capability 9.0 with source lines.
struct CompiledPtx {
  std::string ptx;
  std::string log;
  std::string hash;  // of text, options and toolkit
  bool from_cache = false;
  std::string entry;  // of the expression
};
// `expression` names an instance of a template ("saxpy<float>") or nothing; the PTX's own name for
// it, or for the entry of that name, is in `entry`. error: as compile.
Result<CompiledPtx> compile_to_ptx(const CompileRequest& request, const std::string& text = {},
                                   const std::string& expression = {});

// The registers that ptxas gives a thread of an entry. The arguments are those of compile_to_ptx;
// `expression` names the entry. error: as compile (ptxas refuses some texts that become PTX).
Result<int> registers_per_thread(const CompileRequest& request, const std::string& text,
                                 const std::string& expression);

// Of the text of a source below kernels/ and of the headers there that it includes, whatever the
// options: 16 hex digits. Empty when the source cannot be read.
std::string text_hash_of(const std::string& source);

// "13.0", or the reason why there is no NVRTC.
Result<std::string> nvrtc_version();

// A function of a loaded module, ready to launch.
struct Kernel {
  CUfunction function = nullptr;
  std::vector<std::size_t> parameter_bytes;
  KernelResources resources;
  std::string log, hash, text_hash;
  std::shared_ptr<const std::string> cubin;  // its module's machine code, with source lines
};

// Loads each request once and keeps its module for the life of the device.
class KernelStore {
 public:
  explicit KernelStore(const Device& device) : device_(device) {}
  KernelStore(const KernelStore&) = delete;
  KernelStore& operator=(const KernelStore&) = delete;
  ~KernelStore();
  // error: as compile; usage when the entry is not in the source or the launch cannot fit.
  Result<Kernel> load(const KernelLaunch& launch);

 private:
  struct Loaded {
    CUmodule module = nullptr;
    std::string log, hash, text_hash;
    std::shared_ptr<const std::string> cubin;
  };
  const Device& device_;
  std::map<CompileRequest, Loaded> modules_;
};

}  // namespace warpscope
