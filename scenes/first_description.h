// scenes/first_description.h: the first description of a scene, from a kernel's text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "scenes/host/result.h"
#include "scenes/program/program.h"

namespace warpscope {

// A scene.toml for the launches that the text has, and for kernels that it does not launch, with a
// comment on every field: where it is from, or that it is a guess (program/program.h).
// error: input: it has no kernel, or none whose parameters a scene can pass.
// `headers`: as of read_program.
Result<std::string> first_description(std::string_view text, const std::string& file,
                                      const HeaderTexts& headers = {});

// Writes it: NAME/scene.toml with a copy of NAME.cu beside it, or beside the kernel in a folder of
// its name. Gives the folder. error: as above; usage: one of the files is there; environment.
Result<std::filesystem::path> write_first_description(const std::filesystem::path& kernel);

}  // namespace warpscope
