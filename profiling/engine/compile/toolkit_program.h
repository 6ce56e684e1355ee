// profiling/engine/compile/toolkit_program.h: where the programs of the CUDA toolkit are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpscope {

// Folders that may hold the toolkit's programs: those of $WARPSCOPE_CUDA_ROOT, of $CUDA_HOME, of
// the toolkit this build was configured with, of brought_toolkits() and of /usr/local/cuda.
std::vector<std::filesystem::path> toolkit_program_folders();
// The folders of $PATH.
std::vector<std::filesystem::path> folders_of_path();

// The first program of this name that can be run; no value if there is none.
std::optional<std::string> find_program(const std::string& name,
                                        const std::vector<std::filesystem::path>& folders);

}  // namespace warpscope
