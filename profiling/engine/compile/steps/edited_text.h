// profiling/engine/compile/steps/edited_text.h: PTX of a text that is compiled again after an edit.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/engine/compile/nvcc.h"

// nvcc takes most of its time for headers. A text up to its last #include is preprocessed once. For
// the rest, which a person edits, the preprocessor is given the macros of that part, and the second
// compiler reads both results one after the other. What it reads has the same tokens and lines as
// what nvcc gives it, so the PTX is the same.
//
//   Result<CompilerAnswer> answer = run_after_edit(task, 60);

namespace warpscope {

// No value if a text cannot be divided in two or does not compile, or if this system keeps no
// program to folders: `run_nvcc` compiles it or says why not.
std::optional<CompilerAnswer> run_edited(const NvccTask& task, double limit_s);

// By run_edited if that is possible. error: as run_nvcc.
Result<CompilerAnswer> run_after_edit(const NvccTask& task, double limit_s);

struct DividedText {
  std::string head, rest;
  int line = 1;  // that the rest begins at
};
// No value if the rest may include a file, or depends on more of the head than its macros.
std::optional<DividedText> divided_text(std::string_view text);

// The words of a command of nvcc's option --dryrun, with its variables replaced.
struct NvccSteps {
  std::vector<std::string> preprocess, compile, check;  // check: empty, or ptxas reads the PTX
};
// No value if it runs other programs than gcc, cicc and ptxas.
std::optional<NvccSteps> nvcc_steps(std::string_view dry_run);

}  // namespace warpscope
