// profiling/session/roof_join.h: which roofs a point may be compared with: those of its own device.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "profiling/session/session.h"

// Roofs never cross devices: a point joins the set of its own UUID. Sessions of before the roofs of
// DRAM were a family may lack a card's roofs; those may borrow from another card of the same model,
// which is said in words wherever the figure stands. What one card borrows does not depend on which
// sessions of others it is joined with.
//
//   const std::vector<RoofSet> lent = lent_roofs(session);
//   const RoofJoin join = join_roofs(session, point.conditions, lent);
//   if (join.roofs != nullptr) stand(point, CacheState::warm, *join.roofs);   // else join.words

namespace warpscope {

struct RoofJoin {
  const RoofSet* roofs = nullptr;  // of the session or of `lent`
  std::string
      words;  // that they are borrowed, and from where; or why there are none, and what to do
};

// `lent`: sets that an old session may borrow from beside its own; empty: none.
RoofJoin join_roofs(const Session& session, const Conditions& point,
                    std::span<const RoofSet> lent = {});

// The roofs of the recorded sessions in a folder. Files that cannot be read are passed over.
std::vector<RoofSet> recorded_roofs(const std::filesystem::path& folder);
// Those of the shipped recordings where an old session has points without roofs, of their own card
// or of another of its model; else none.
std::vector<RoofSet> lent_roofs(const Session& session);

}  // namespace warpscope
