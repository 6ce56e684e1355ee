// profiling/access/warp_roles.h: warps of a block that run different code, and what each kind does.
#pragma once

#include <string>
#include <vector>

#include "profiling/access/trace.h"

// Warps have different roles where each runs instructions that the other never does, not a few but
// a tenth of its own at least: then a branch on the warp's index chose between them. One that only
// does less than the others (a guard at the array's end, the last step of a reduction) has no role
// of its own. Roles are named by what is in their own code; where that says nothing, by a letter.

namespace warpscope {

struct WarpRole {
  std::string name;  // "producer", "consumer", "role A"
  std::string does;  // "copies to shared memory and arrives at barriers"
  std::vector<int> warps;
};

struct BlockRoles {
  std::vector<WarpRole> roles;  // fewer than two: all warps run the same code
  std::vector<int> of;          // by warp: index in roles; −1: none, or not kept
  bool any() const { return roles.size() > 1; }
  // What follows a warp's name: " · producer", or empty if the warp has no role.
  std::string suffix(int warp) const;
};

// Names of roles as they are shown: those that are equal get letters, "consumer A", and so does one
// that says nothing, "role A".
std::vector<std::string> distinct_role_names(std::vector<std::string> names);

// The roles in the block whose instructions a trace keeps. This goes over all instructions, so keep
// the result.
BlockRoles warp_roles(const Trace& trace);

}  // namespace warpscope
