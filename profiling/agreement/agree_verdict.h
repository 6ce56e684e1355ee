// profiling/agreement/agree_verdict.h: whether a figure agrees with its counter, and what explains
// it if not.
#pragma once

#include <string>

#include "profiling/agreement/agree.h"
#include "scenes/base/scene.h"

namespace warpscope {

// A cause that a figure may differ for whatever the variant is, with its bound.
struct Cause {
  std::string sentence;  // empty: none
  bool holds = false;    // the difference is within the cause's bound
};

// Whose figure it is: what the variant knows of itself may explain it. Null: of no variant.
struct Subject {
  const Variant* variant = nullptr;
  const Configuration* axes = nullptr;  // never null with a variant
};

// Fills in difference, match and reason of a pair that has both sides. `within`: the limit of its
// kind is kept. Beyond it the variant's known difference explains the pair up to its bound, or
// `cause` does; else it is a finding.
void judge(FigureMatch& pair, bool within, Subject of, const Cause& cause = {});

}  // namespace warpscope
