// workbench/commands/files/kernel_file.h: a file with kernels of a person's own, as commands name
// it.
#pragma once

#include <string>
#include <vector>

#include "profiling/messages/protocol.h"

namespace CLI {
class App;
}  // namespace CLI

namespace warpscope {

struct KernelFile {
  std::string path;
  std::string flags;                 // a line of options for the compiler
  std::vector<std::string> defines;  // NAME or NAME=VALUE
};

// --flags and -D.
void declare_compiler_flags(CLI::App& command, KernelFile& file);

// The file, with what its compiler is to be told; folders of -I in the flags are allowed from now
// on. error: input: it cannot be read, or is machine code; usage: a flag that is not passed on.
Result<UserKernel> user_kernel(const KernelFile& file);

}  // namespace warpscope
