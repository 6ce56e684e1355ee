// profiling/emulator/sass/live/dependencies.h: which instructions of machine code each one has to
// wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/emulator/sass/read/machine_text.h"

// An instruction of fixed latency is waited for by the cycles that the compiler wrote into the
// code. One of unknown latency, such as a load, sets one of six scoreboards; who needs its result,
// or overwrites what it reads, waits until the scoreboard is clear.
//
//   add_dependencies(program.function(), trace.machine_code->rows);

namespace warpscope {

// What the compiler wrote into the encoding for the scheduler.
struct ControlFields {
  int issue_cycles = 0;    // at least, to the warp's next instruction: 0 … 15
  int set_by_result = -1;  // the scoreboard that is clear when the result is there; −1: none
  int set_by_reads = -1;   // … when its registers were read
  std::uint8_t waits = 0;  // one bit for each scoreboard that it waits for
};
// source: bits 105 … 121 of the 128, as in "Dissecting the NVIDIA Volta GPU Architecture via
// Microbenchmarking" (arXiv:1804.06826); tests/sass compares them with the registers of our
// kernels, compiled for compute capabilities 8.0 and 9.0.
ControlFields control_fields(const MachineInstruction& instruction);

// Sets issue_cycles, needs and next of the rows, one for each instruction of the function. The
// needs that are named by a register come first, and among equals what was issued last.
void add_dependencies(const MachineFunction& function, std::vector<MachineRow>& rows);

}  // namespace warpscope
