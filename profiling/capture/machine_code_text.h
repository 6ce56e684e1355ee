// profiling/capture/machine_code_text.h: a cubin as the text of a source, so that it goes wherever
// kernels' texts go.
#pragma once

#include <string>
#include <string_view>

#include "scenes/base/source.h"
#include "scenes/host/result.h"

namespace warpscope {

struct MachineCode {
  std::string cubin;
  int compute_capability = 0;
  std::string of;  // hash of the PTX that it belongs to; empty: it stands alone
};

std::string machine_code_text(const MachineCode& code);
// error: input: the text is not one of machine_code_text.
Result<MachineCode> machine_code_of(std::string_view text, const std::string& where);

// The machine code among the texts of a kernel, whose own text is the first: of that very text, or
// alone. Null: there is none, or the text was changed since.
const KernelSource* machine_code_among(const std::vector<KernelSource>& sources);

}  // namespace warpscope
