// workbench/commands/plans/planned_sweep.h: `warpscope sweep` of a plan, by the devices of one
// machine.
#pragma once

#include <cstddef>
#include <string>

#include "workbench/commands/commands.h"

namespace warpscope {

struct PlannedSweep {
  EngineChoice engine;
  std::string plan;          // its file
  std::string chunk;         // "3/8"; empty: all of it
  std::string devices, ssh;  // as parse_devices
  std::string session;       // what it is appended to; empty: named after the plan
  bool roofs = false, json = false;
};
// Points that the session has an answer to are not measured again. Returns the exit status: 1 where
// an output is wrong, 3 where points are left.
int run_planned_sweep(const PlannedSweep& sweep);

// "3/8": the third of eight. error: usage.
struct ChunkNumber {
  std::size_t number = 1, count = 1;
};
Result<ChunkNumber> parse_chunk(const std::string& text);

// The session of a plan, beside it: "a.wsj" of "a.plan", "a-3-of-8.wsj" of a chunk.
std::string session_of_plan(const std::string& plan, const std::string& chunk);

}  // namespace warpscope
