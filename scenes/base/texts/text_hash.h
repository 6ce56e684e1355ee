// scenes/base/texts/text_hash.h: whether figures of single lines belong to the lines of a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenes/base/source.h"

namespace warpscope {

// The hashes by which a session may name the texts of a kernel and its headers: of their lines of
// code, as text_hash_of gives it, and of the whole texts, as sessions stored it until 2026-11-28.
struct TextHashes {
  std::string of_code, of_text;

  bool include(std::string_view recorded) const {
    return recorded == of_code || recorded == of_text;
  }
};
TextHashes text_hashes_of(const std::vector<KernelSource>& sources);

}  // namespace warpscope
