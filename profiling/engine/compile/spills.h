// profiling/engine/compile/spills.h: which registers of a kernel the compiler spills, by line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiling/access/trace.h"
#include "profiling/listings/compiler_options.h"
#include "scenes/host/result.h"

// PTX has as many registers as it likes, so spills are first seen when ptxas compiles it. Its
// report has their sums; the machine code has the loads and stores of local memory with their
// lines. A kernel that keeps arrays in local memory has those among them.
//
//   Result<std::optional<SpilledRegisters>> spills = spilled_registers(ptx, "_Z3sumPf", "sum.cu",
//   {});

namespace warpscope {

// Whether a kernel declares so many registers that they may not fit in those that a thread has. It
// reads the text alone; true if it cannot tell.
bool may_spill(std::string_view ptx, const std::string& symbol, const CompilerOptions& options);

// No value: none is spilled. Lines of `main_file` are those that inlined code was called from.
// error: environment (no ptxas), input (it does not compile within 30 s).
Result<std::optional<SpilledRegisters>> spilled_registers(const std::string& ptx,
                                                          const std::string& symbol,
                                                          const std::string& main_file,
                                                          const CompilerOptions& options);

// The loads and stores of local memory in a kernel's machine code, with most bytes first. error:
// input: it is not a cubin of a GPU since Volta.
Result<std::vector<SpilledRegisters::Line>> local_accesses(std::string_view cubin,
                                                           const std::string& symbol,
                                                           const std::string& main_file);

}  // namespace warpscope
