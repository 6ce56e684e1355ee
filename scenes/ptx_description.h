// scenes/ptx_description.h: the first description of a scene, from PTX.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// PTX says what a kernel's parameters are, but not what they are launched with: whole numbers are
// sizes with a slider each, and pointers are buffers with an element for each of the sizes. All of
// it is a guess, for a person to correct.

namespace warpscope {

struct PtxParameter {
  std::string type;          // "u64", "f32", "b8" of an array of bytes
  std::int64_t bytes = 0;    // of all of it
  bool pointer = false;      // marked as one, or as wide as one
  bool record = false;       // bytes that may begin with a pointer: a guess
  std::string element;       // f32, i32, …: of what it points to, where anything says it
  bool by_accesses = false;  // loads and stores say it, not the kernel's name
  std::string name;          // in PTX
  std::string declared;      // "float const*" of the name; else "u64"
};

struct PtxKernel {
  std::string symbol, name;  // "_Z3addPfi", "add"
  std::vector<PtxParameter> parameters;
  std::array<std::int64_t, 3> required_block{};  // 0: none is required
  std::int64_t most_threads = 0;                 // 0: no limit
  bool dynamic_shared = false;
};

// The entries of a PTX text that have a body, in its order.
std::vector<PtxKernel> ptx_kernels(std::string_view ptx);

struct PtxText {
  std::string file;  // its name in the folder: "add.ptx"
  std::string text;
};
// A scene.toml with a variant per kernel. `left_out`: a line for each kernel without PTX. error:
// input: there is no kernel, or none with a pointer among its parameters.
Result<std::string> ptx_description(const std::vector<PtxText>& texts, const std::string& file,
                                    const std::vector<std::string>& left_out = {});

}  // namespace warpscope
