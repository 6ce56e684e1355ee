// workbench/client/own_binary.h: a compiled file of the person's own, and the PTX in it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiling/binaries/binary_file.h"
#include "profiling/messages/protocol.h"
#include "scenes/file_scene.h"

namespace warpscope {

// A file is read whole: libraries of large projects have some hundred megabytes of kernels.
inline constexpr std::int64_t kMostBinaryFileBytes = 1 << 30;

// What the first bytes of a file say; `none` also where it cannot be opened.
BinaryKind kind_of_file(const std::string& path);

// Whether Catalogue::open_file takes it: a kernel's text, a capture, or a compiled file, which has
// no ending that would tell.
bool opens_as_scene(const std::string& path);
// error: input, as read_binary and read_input.
Result<BinaryFile> read_own_binary(const std::string& path);

// The architecture, of those that a file or a kernel has machine code for, that is emulated best.
// 0: there is none.
int emulated_machine_code(const std::vector<CodeTarget>& targets);

// If the kernel's file is a compiled one: its PTX, and the texts that the PTX was compiled from; or
// its machine code for this compute capability, as a text, where that is not 0 or there is no PTX.
// No value if it is a text. error: usage, input, as ptx_of and machine_code_of_kernel.
std::optional<Result<std::vector<KernelSource>>> sources_in_binary(const UserKernel& user,
                                                                   int compute_capability = 0);

// The PTX of a compiled file, for a scene, and what is known of kernels that have none. Programs
// that show scenes give it to their catalogue (program_catalogue.h). error: input: there is no PTX;
// as read_own_binary.
Result<CompiledTexts> compiled_texts(const std::filesystem::path& path);

}  // namespace warpscope
