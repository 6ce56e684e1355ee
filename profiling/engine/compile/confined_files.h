// profiling/engine/compile/confined_files.h: which files the compiler may open: the toolkit's.
#pragma once

#include <filesystem>
#include <vector>

#include "scenes/host/result.h"

// NVRTC takes the texts that it is given, and looks for every other name that a text includes on
// disk: absolute, computed by a macro, in __has_include, in a toolkit header whose macro a text
// defines anew. A kernel may come from anybody, so no list of forbidden words is enough. This
// program defines the functions that open files. A call that comes from the compiler's library
// finds what lies below the folders given here; for anything else it is told that there is no such
// file. All other callers reach the C library.

namespace warpscope {

// `function`: any of the library's. error: internal: the library calls other definitions, so it
// must not be used.
Result<void> confine_files(const void* function, const std::vector<std::filesystem::path>& folders);

}  // namespace warpscope
