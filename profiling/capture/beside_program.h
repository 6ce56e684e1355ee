// profiling/capture/beside_program.h: what belongs to a captured launch and lies beside the
// program: PTX, source files, and CUPTI's library.
#pragma once

#include <string>
#include <vector>

#include "profiling/capture/reader.h"

namespace warpscope {

// The PTX of the kernel, from what the program loaded or from Triton's cache, and the source files
// that the PTX names, as far as they can be read. Notes say what was not found.
CaptureAdditions found_beside(const CaptureFile& file);

// Names of `.file` directives, each once. source: PTX ISA, "Debugging Directives: .file".
std::vector<std::string> files_named_in(const std::string& ptx);

// "add(float*, int), launch 3, grid 64, block 256, 12.0 MB of memory in 3 parts, PTX from …"
std::string words_of_capture(const CaptureFile& file);

// A libcupti of a toolkit of this machine; empty: the system's search path has to do.
std::string found_cupti();

}  // namespace warpscope
