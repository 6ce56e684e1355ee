// profiling/binaries/binary_file.h: the kernels in a compiled file: a cubin, a fat binary, an
// object file, a static or shared library, or a program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/binaries/cubin.h"
#include "profiling/listings/kernel_name.h"
#include "scenes/host/result.h"

// No process is started, and no machine code is decoded. Every field may lie: nothing is read
// outside the bytes, at most one entry is unpacked at a time, and the whole takes time and memory
// in proportion to the file.
//
//   const Result<BinaryFile> file = read_binary(bytes, "prog.o");
//   for (const NamedKernel& kernel : file->kernels) show(kernel.name.name);
//   const Result<std::string> ptx = ptx_of(bytes, *file, kernel.symbol);

namespace warpscope {

// What the first bytes of a file say that it is.
enum class BinaryKind {
  none,
  cubin,
  fat_binary,
  object,
  shared_library,
  program,
  archive,
  windows
};
BinaryKind binary_kind(std::string_view begin);
const char* to_text(BinaryKind kind);  // "an object file"

// "sm_90a" of machine code, "compute_90" of PTX.
struct CodeTarget {
  int compute_capability = 0;
  char features = 0;  // 'a', 'f' or none
  auto operator<=>(const CodeTarget&) const = default;
};
std::string machine_name(const CodeTarget& target);
std::string ptx_name(const CodeTarget& target);

struct CompiledKernel {
  CodeTarget target;
  BinaryKernel code;
  bool relocatable = false;          // linking may still change its figures
  std::int64_t variables_bytes = 0;  // of its module's __constant__ variables
};

struct NamedKernel {
  std::string symbol;
  KernelName name;
  std::vector<CompiledKernel> compiled;  // by architecture
  std::vector<CodeTarget> ptx;           // by architecture
};

struct BinaryFile {
  BinaryKind kind = BinaryKind::none;
  std::vector<NamedKernel> kernels;      // in the order in which they were found
  std::vector<CodeTarget> machine, ptx;  // all architectures that code is there for
  std::vector<std::string> not_read;     // parts that could not be, each a sentence's beginning
};

// error: input: the file is of no known kind, is damaged, or has no GPU code.
Result<BinaryFile> read_binary(std::string_view bytes, const std::string& where);

// The kernels as choose_kernel takes them.
std::vector<ListedKernel> listed(const BinaryFile& file);

// The PTX text that a kernel is best emulated from: of the highest architecture up to compute_90,
// else of the lowest above it. `wanted` is chosen as choose_kernel does. error: usage: no such
// kernel; input: there is only machine code of it, or it cannot be unpacked.
Result<std::string> ptx_of(std::string_view bytes, const BinaryFile& file,
                           const std::string& wanted, const std::string& where);

// The machine code of a kernel for one architecture, the module that it is in: what a GPU loads.
struct MachineModule {
  std::string symbol;  // the kernel that was chosen
  CodeTarget target;
  std::string cubin;
};
// `compute_capability`: that the code is for; 0: the highest there is. error: usage: no such
// kernel; input: there is no machine code of it for that, or it cannot be unpacked.
Result<MachineModule> machine_code_of_kernel(std::string_view bytes, const BinaryFile& file,
                                             const std::string& wanted, int compute_capability,
                                             const std::string& where);

// The symbols of a PTX text's kernels, in its order.
std::vector<std::string> ptx_entries(std::string_view ptx);

}  // namespace warpscope
