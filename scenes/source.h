// scenes/source.h: the text of a kernel as a value: carried in jobs, and what caches are keyed by.
#pragma once

#include <string>

namespace warpscope {

// A .cu file, or a header that it includes.
struct KernelSource {
  std::string path;  // below kernels/: "csrmm/warp_row.cu"
  std::string text;
  std::string hash;  // of the text: see source.cpp
  bool operator==(const KernelSource&) const = default;
};

}  // namespace warpscope
