// scenes/first_description.h: the first description of a scene, from a kernel's text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "scenes/host/result.h"

namespace warpscope {

// A scene.toml for all kernels of the text, with a comment on every field: whole numbers are axes,
// pointers to const inputs, others outputs, and what cannot be known is a guess that says so.
// error: input: it has no kernel that is extern "C", a parameter of a type that no buffer has.
Result<std::string> first_description(std::string_view text, const std::string& file);

// Writes it: NAME/scene.toml with a copy of NAME.cu beside it, or beside the kernel in a folder of
// its name. Gives the folder. error: as above; usage: one of the files is there; environment.
Result<std::filesystem::path> write_first_description(const std::filesystem::path& kernel);

}  // namespace warpscope
