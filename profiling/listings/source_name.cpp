// profiling/listings/source_name.cpp: which text a path of a line table is.
#include "profiling/listings/source_name.h"

namespace warpscope {

std::string source_name(std::string_view path, std::span<const std::string> files) {
  const std::string* best = nullptr;
  for (const std::string& file : files) {
    const bool ends = path == file || (path.size() > file.size() && path.ends_with(file) &&
                                       path[path.size() - file.size() - 1] == '/');
    if (ends && (best == nullptr || file.size() > best->size())) best = &file;
  }
  return best == nullptr ? std::string(path) : *best;
}

}  // namespace warpscope
