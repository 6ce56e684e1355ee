// profiling/listings/source_name.h: a file of a line table, as the person's texts are named.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpscope {

// Compilers write the folder that they ran in before the names of texts that they got in memory:
// "../../tmp/esmm/lists.cuh" is the text "esmm/lists.cuh". If several of `files` end `path`, the
// longest is meant. No such file: `path`.
std::string source_name(std::string_view path, std::span<const std::string> files);

}  // namespace warpscope
