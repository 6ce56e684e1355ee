// workbench/panels/launch/launch_text.h: a form as the text of a launch file.
#pragma once

#include <filesystem>
#include <string>

#include "workbench/panels/launch/launch_form.h"

namespace warpscope {

// What `warpscope trace --launch` reads (profiling/launches/launch_file.h): the launch with its
// sizes at these values. `source`: the kernel's file, `entry` its name in C++.
std::string launch_text(const LaunchForm& form, const std::string& description,
                        const std::string& source, const std::string& entry,
                        const Configuration& axes);

// The C++ name of a variant's kernel.
std::string entry_of(const std::string& description, const std::string& variant);

// A name in the folder that no file has: "norm.toml", "norm_2.toml"; of a folder without an ending.
std::filesystem::path free_path(const std::filesystem::path& folder, const std::string& stem,
                                const std::string& ending);

}  // namespace warpscope
