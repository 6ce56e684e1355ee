// workbench/commands/files/compiled_kernels.h: the kernels of a compiled file on standard output.
#pragma once

#include <string>

#include "profiling/binaries/binary_file.h"

namespace warpscope {

// Registers, memory, parameters and occupancy of each kernel by architecture, and whether PTX is
// there. `threads`: of the block that occupancy is given for; launch bounds may lower it.
void print_compiled_kernels(const BinaryFile& file, const std::string& path, std::int64_t threads);
// The same as one JSON object.
void print_compiled_kernels_json(const BinaryFile& file, const std::string& path,
                                 std::int64_t threads);

// Whether the emulator has code of a compiled file without PTX: machine code of sm_90.
bool has_emulated_machine_code(const std::string& path);

// Lists the kernels of a compiled file that has no PTX, and says on the error output what emulation
// needs. False: the path is another file.
bool list_machine_code_alone(const std::string& path, bool as_json);

}  // namespace warpscope
