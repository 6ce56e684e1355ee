// profiling/engine/compile/compiler.h: kernel text to machine code by NVRTC or nvcc, kept on disk.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiling/engine/compile/own_sources.h"
#include "profiling/listings/compiler_options.h"
#include "scenes/base/source.h"
#include "scenes/base/step.h"

// Compilation needs no driver: `compile` makes a cubin for any architecture on any machine, of
// texts that it is given and of no file but the toolkit's headers. What it made is found again by
// the hash of all that it was made of. The compiler runs in a process of its own that may take so
// much time and 3 GiB of memory.
//
//   Result<std::vector<KernelSource>> texts = sources("csrmm/warp_row.cu");
//   Result<Compiled> code = compile({"csrmm/warp_row.cu", {{"UNROLL", "4"}}, 90}, *texts);

namespace warpscope {

struct CompileRequest {
  std::string source;  // path below kernels/
  std::vector<std::pair<std::string, std::string>> defines;
  int compute_capability = 90;
  bool architecture_features = false;  // as of the launch
  double limit_s = 60;                 // that the compiler may take; not of what it makes
  // It is a person's own text. If NVRTC does not take it, since it has host code or includes the
  // system's headers, nvcc compiles it.
  bool any_text = false;
  CompilerOptions options;  // their defines are those above
  // Instances of templates that are compiled although the text may not use them.
  std::vector<std::string> instances = {};
  // C++ names of the kernels that an earlier state of this text was compiled to. PTX is then made
  // of the device part alone, if that compiles and still has these kernels.
  std::vector<std::string> earlier = {};
  bool operator<(const CompileRequest& other) const {
    return std::tie(source, defines, compute_capability, architecture_features, instances) <
           std::tie(other.source, other.defines, other.compute_capability,
                    other.architecture_features, other.instances);
  }
};

// What a launch is compiled by. The text of a scene that is a folder is any text.
CompileRequest request_for(const KernelLaunch& launch, int compute_capability);
// That of the launches that read the array.
CompileRequest request_for(const ConstantCopy& copy, int compute_capability);

struct Compiled {
  std::string cubin;
  std::string log;   // NVRTC's warnings and ptxas's report
  std::string hash;  // of text, options, toolkit and architecture
  bool from_cache = false;
};

// The kernel's own text comes first in `sources`, then the headers by the names that includes give
// them. error: environment (no NVRTC), input (it does not compile: `what` holds the compiler's
// whole log).
Result<Compiled> compile(const CompileRequest& request, const std::vector<KernelSource>& sources);
// Compiles files below kernels/ of this machine, for programs that are not an engine. error: also
// environment (no such file).
Result<Compiled> compile(const CompileRequest& request);

// What `compile` finds its result by: of texts, constants, toolkit and architecture.
std::string compile_hash(const CompileRequest& request, const std::vector<KernelSource>& sources);

// PTX for the emulator. Always compute capability 9.0 with source lines.
struct CompiledPtx {
  std::string ptx;
  std::string log;
  std::string hash;  // of text, options and toolkit
  bool from_cache = false;
  std::string entry;         // of the expression
  std::string compiler;      // "NVRTC 13.0", "nvcc 13.0", "nvcc 13.0 (device part alone)"
  bool device_part = false;  // it is not of the whole text
  // Both are empty unless the host code of a person's text does not compile.
  std::string left_out = {};             // a sentence: which headers are missing
  std::vector<KernelSource> parts = {};  // the texts without their host code
};
// `expression` names an instance of a template ("saxpy<float>") or nothing; the PTX's own name for
// it, or for the entry of that name, is in `entry`. error: as compile; usage, of any_text: several
// kernels have this name.
Result<CompiledPtx> compile_to_ptx(const CompileRequest& request,
                                   const std::vector<KernelSource>& sources,
                                   const std::string& expression = {});
// The PTX of `text`, whose name in messages is the request's source. If `text` is empty, of the
// file below kernels/ on this machine. For programs that are not an engine.
Result<CompiledPtx> compile_to_ptx(const CompileRequest& request, const std::string& text = {});

// The registers that ptxas gives a thread of an entry. The arguments are those of compile_to_ptx;
// `expression` names the entry. error: as compile (ptxas refuses some texts that become PTX).
Result<int> registers_per_thread(const CompileRequest& request,
                                 const std::vector<KernelSource>& sources,
                                 const std::string& expression);

// The same of a text of any_text that was compiled to this PTX, by the compiler that made it.
Result<int> registers_of_entry(const CompileRequest& request,
                               const std::vector<KernelSource>& sources,
                               const std::string& expression, const CompiledPtx& made);

// Makes the processes that compile: best before a program starts its threads (bounded_process.h).
// `compile` makes them otherwise.
void start_compilers();

// "13.0", or the reason why there is no NVRTC.
Result<std::string> nvrtc_version();

}  // namespace warpscope
