// tests/emulator/corpus/corpus_text.h: the kernels beside the tests of the corpus, compiled once.
#pragma once

#include <map>
#include <string>

#include "profiling/engine/compile/compiler.h"
#include "scenes/host/input_file.h"
#include "tests/folders.h"

namespace warpscope {

// One NVRTC costs a second, so each file holds many kernels.
inline const Result<CompiledPtx>& corpus_ptx(const std::string& name) {
  static std::map<std::string, Result<CompiledPtx>> made;
  const auto found = made.find(name);
  if (found != made.end()) return found->second;
  const Result<std::string> text =
      read_input(source_folder() / "tests/emulator/corpus" / name, kMostTextFileBytes);
  Result<CompiledPtx> ptx = tl::unexpected(Error{});
  if (text) {
    CompileRequest request{name, {}, 90};
    ptx = compile_to_ptx(request, *text);
  } else {
    ptx = tl::unexpected(text.error());
  }
  return made.emplace(name, std::move(ptx)).first->second;
}

}  // namespace warpscope
