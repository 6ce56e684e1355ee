// profiling/launches/launch_file.h: a launch of a person's kernel, described in a TOML file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/messages/protocol.h"

// What is awkward on a command line: which file, which kernel, its launch shape, and each argument
// with its elements and what they must be afterwards.
//
//   source = "layernorm.cu"            # or ptx = "…"; include = ["…"]; define = ["N=768"]
//   kernel = "layernorm<float>"
//   grid = [64]                        # numbers, or expressions of [let] and of define
//   block = [256]
//   [[argument]]                       # in the kernel's order
//   name = "out"; type = "f32"; count = "B*C"; fill = "unset"; expect = "out.npy"; rtol = 1e-5
//   [constant]
//   table = "table.npy"

namespace warpscope {

struct LaunchFile {
  UserKernel user;
  std::vector<std::string> folders;  // of `include`, to be allowed
  std::vector<std::string> files;    // that it reads or writes
};

// Paths are relative to the file's folder. `values` replaces those of [let]. error: input, with the
// line and the nearest key; usage: a name of `values` that [let] does not have.
Result<LaunchFile> parse_launch_file(std::string_view text, const std::filesystem::path& file,
                                     const std::map<std::string, std::string>& values = {});

// The elements "c[0:16]", "c[3]" or "c" names. error: usage.
Result<UserOutput> printed_part(std::string_view text);

}  // namespace warpscope
