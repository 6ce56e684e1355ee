// scenes/host/paths.h: where kernels/ and assets/ lie at run time, and a user's own files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenes/host/result.h"

namespace warpscope {

// The folder that holds kernels/ and assets/: $WARPSCOPE_HOME, else the nearest folder at or above
// the executable that has them. error: environment.
Result<std::filesystem::path> home_folder();

// The text of a kernel file below kernels/. error: environment, naming the path.
Result<std::string> read_kernel_source(const std::string& path_below_kernels);

// By the XDG Base Directory Specification: the folder that `variable` names, else `below_home` in
// $HOME. A relative path is ignored, as the specification says; with no variable ("") only $HOME
// counts. No value: neither names a folder.
std::optional<std::filesystem::path> user_folder(const char* variable,
                                                 const std::filesystem::path& below_home);

// Where `doctor --fetch` installs NVIDIA's wheels: cuda/ in the user's data folder. No value:
// neither variable names a folder.
std::optional<std::filesystem::path> fetched_toolkit();
// Folders of wheels that are found without a variable: what ./start brought into build/, then what
// `doctor --fetch` installed. Each may hold nvidia/cu13, which is a toolkit. They need not exist.
std::vector<std::filesystem::path> brought_toolkits();

}  // namespace warpscope
