// profiling/engine/run/emulated/host_functions.h: instructions whose last bit is that of the host's
// mathematical functions.
#pragma once

#include <optional>
#include <string>

#include "profiling/access/trace.h"
#include "profiling/emulator/emulator.h"

namespace warpscope {

// The first instruction of the program, or of its machine code, that the emulators compute by a
// function of the C library: sine, cosine, exponential, logarithm, hyperbolic tangent. Another
// library may round it otherwise. "ex2.approx.f32"; empty: there is none, so that outputs have the
// same bits on every machine.
std::string host_function_in(const Program& program,
                             const std::optional<MachineFigures>& machine_code);
// The first instruction whose result a GPU approximates and the emulators compute exactly, or by
// the C library: "MUFU.RCP", "rsqrt.approx.f32"; empty: there is none.
std::string approximation_in(const Program& program,
                             const std::optional<MachineFigures>& machine_code);
// What is to be said of an emulated output that lacks bits of a GPU's.
std::string why_bits_may_differ(const std::string& approximation);
// Why outputs of a kernel with such an instruction have no hash.
std::string no_hash_because(const std::string& host_function);

}  // namespace warpscope
