// scenes/folder/fork/copied_texts.h: kernels with their headers under names of a folder's own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenes/base/source.h"
#include "scenes/folder/scene_text.h"

namespace warpscope {

struct CopiedTexts {
  std::vector<KernelSource> files;                            // by their names in the folder
  std::vector<std::pair<std::string, std::string>> replaced;  // "csrmm/warp_row.cu" → "warp_row.cu"
};

// The kernels at these paths and the headers that they include, each once, with includes that name
// the copies: an edit of a header reaches no other variant. A name that is taken begins with
// `variant`. `find`: the kernels' texts. `folder`: of a scene that is one, else null. error: as the
// kernels' texts.
Result<CopiedTexts> copied_texts(const SourceLookup& find, const std::string& scene,
                                 const std::vector<std::string>& paths, const std::string& variant,
                                 const SceneText* folder);

// What a folder's text is made of, but for its description: names in it and what they hold. A
// header that lies below kernels/ as it is stays there.
std::vector<std::pair<std::string, std::string>> files_of(const SceneText& folder);

}  // namespace warpscope
