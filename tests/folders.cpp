// tests/folders.cpp: the only file of the tests that knows folders of this machine, from CMake.
#include "tests/folders.h"

namespace warpscope {

std::filesystem::path source_folder() { return WARPSCOPE_SOURCE_FOLDER; }

std::string built_program(const std::string& name) {
  return std::string(WARPSCOPE_BINARY_FOLDER "/") + name;
}

}  // namespace warpscope
