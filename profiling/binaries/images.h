// profiling/binaries/images.h: the pieces of GPU code in a compiled file, one after the other.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "profiling/binaries/binary_file.h"
#include "profiling/binaries/fat_binary.h"

namespace warpscope {

// Calls `use` with each entry, whose bytes lie in those of the file, until it returns false. What
// could not be read is added to `not_read`. error: as read_binary.
Result<void> for_images(std::string_view bytes, const std::string& where,
                        const std::function<bool(const FatEntry&)>& use,
                        std::vector<std::string>& not_read);

}  // namespace warpscope
