// profiling/capture/machine_code_text.h: a cubin as the text of a source, so that it goes wherever
// kernels' texts go.
#pragma once

#include <optional>
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

// Whether a kernel's own text is machine code, so that there is no PTX of it.
bool is_machine_code(const KernelSource& source);

// The machine code among the texts of a kernel, whose own text is the first: of that very text, or
// alone. Null: there is none, or the text was changed since.
const KernelSource* machine_code_among(const std::vector<KernelSource>& sources);

// The cubin of the machine code among the texts, if it is for this compute capability. No value:
// there is none, or the first text is PTX (`has_ptx`), which can be compiled for any device.
// error: environment: only machine code for another compute capability; input: it is damaged.
Result<std::optional<std::string>> captured_cubin(const std::vector<KernelSource>& sources,
                                                  int compute_capability, bool has_ptx,
                                                  const std::string& where);

}  // namespace warpscope
