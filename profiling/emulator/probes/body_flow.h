// profiling/emulator/probes/body_flow.h: the blocks and loops of a PTX entry.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "profiling/emulator/probes/ptx_body.h"

namespace warpscope {

struct BodyEdge {
  std::size_t from = 0, to = 0;  // blocks
  // The word of the branch that names the target; empty: control falls through, or `fixed`.
  std::string_view word;
  bool fixed = false;  // of an indexed branch, whose targets cannot be moved
};

struct BodyBlock {
  std::size_t first = 0, end = 0;  // statements
  std::size_t label = 0;           // the statement of its last label; `end` if it has none
};

// A natural loop: one entry, its head.
struct BodyLoop {
  std::size_t head = 0;
  std::vector<bool> blocks;                 // whether each block of the entry is in it
  std::vector<std::size_t> entries, exits;  // edges from outside to the head; from inside out
  std::size_t latch = 0;                    // the last block that goes back to the head
  std::size_t instructions = 0;
  int depth = 1;  // 1: in no other loop
};

struct BodyFlow {
  std::vector<BodyBlock> blocks;
  std::vector<BodyEdge> edges;
  std::vector<BodyLoop> loops;  // an outer loop comes before its inner ones
};

BodyFlow flow_of(const PtxBody& body);

}  // namespace warpscope
