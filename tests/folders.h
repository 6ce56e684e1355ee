// tests/folders.h: where the source tree and the programs of this build lie.
#pragma once

#include <filesystem>
#include <string>

namespace warpscope {

// The tree that the tests were built from: its assets, recordings and kernels.
std::filesystem::path source_folder();

// The path of a program of this build: built_program("warpscope") ends in "/warpscope".
std::string built_program(const std::string& name);

}  // namespace warpscope
