// profiling/listings/machine_pipes.h: which pipe of a multiprocessor runs an instruction of machine
// code, and how many issue slots of each pipe a launch takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/access/trace.h"

// The pipes are those of compute capability 9.0. source: what each runs: Nsight Compute, Profiling
// Guide, "Pipelines"; that the FMA pipe has two parts of which one multiplies integers, and that
// both together run pairs of halves: an answer of NVIDIA in its developer forum (topic 302018);
// results per cycle: CUDA C++ Programming Guide, "Arithmetic Instructions". What none of them
// places is `other`: it has issue slots, and no pipe.
//
//   for (const PipeSlots& p : pipe_slots(trace)) show(to_text(p.pipe), p.executed);

namespace warpscope {

enum class MachinePipe : std::uint8_t {
  alu,        // integers but products, logic, comparisons, choices
  fma,        // FFMA, FADD, FMUL
  fma_heavy,  // the part of FMA that multiplies integers too: IMAD, IDP
  fp16,       // pairs of halves, by both parts of FMA
  fp64,
  xu,       // special functions, conversions, counts of bits
  tensor,   // products of matrices
  lsu,      // loads, stores, atomics, shuffles, special registers
  uniform,  // the uniform datapath
  adu,      // constants by address, barriers of the block, branches by a register
  cbu,      // branches and convergence
  tma,      // bulk copies
  other
};

const char* to_text(MachinePipe pipe);
// What it runs, in a few words.
const char* description_of(MachinePipe pipe);
// The pipe of an opcode: "IMAD.WIDE.U32".
MachinePipe pipe_of_opcode(std::string_view opcode);
// Warp instructions that a multiprocessor can issue to the pipe per cycle; 0: not said.
double issues_per_cycle(MachinePipe pipe);

struct PipeSlots {
  MachinePipe pipe = MachinePipe::other;
  std::int64_t executed = 0;  // warp instructions
  double share_ratio = 0;     // of all
  // Cycles that the pipe needs at least, if all multiprocessors of an H200 share the work evenly;
  // 0: not known.
  double cycles = 0;
};
// Those with instructions, the most first; IMAD and IDP count in the row of FMA as well, whose
// issue slots they take. Empty if the trace is of PTX. Without cycles if only a block was run.
std::vector<PipeSlots> pipe_slots(const Trace& trace);
// Cycles to issue them all; 0: only a block was run, or the trace is of PTX.
double issue_cycles(const Trace& trace);

// The table for a terminal; empty if the trace is of PTX.
std::string pipe_table_text(const Trace& trace);
// The same as a JSON list: [{"pipe":"FMA","issue_slots":400,"share":0.87,"cycles":100.0}].
std::string pipes_json(const Trace& trace);

}  // namespace warpscope
