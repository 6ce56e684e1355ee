// workbench/docking/layouts.h: arrangements with names, those that ship and a person's own, and the
// file that keeps them.
#pragma once

#include <map>
#include <span>
#include <string>

#include "scenes/host/result.h"
#include "workbench/docking/arrangement.h"

// $XDG_CONFIG_HOME/warpscope/layouts.json: the present arrangement, the name of the layout that it
// came from, and the person's own layouts.

namespace warpscope {

struct ShippedLayout {
  const char* name;  // "first look"
  const char* sentence;
  Arrangement (*make)();
};
std::span<const ShippedLayout> shipped_layouts();

struct LayoutBook {
  std::string chosen = "first look";
  std::map<std::string, Arrangement> own;
};

// The layout of this name, shipped or own; the first look where there is none.
Arrangement layout_named(const LayoutBook& book, const std::string& name);
// Keeps an arrangement under a name, in place of what had it. error: usage, where the name is
// empty, too long or that of a shipped layout.
Result<void> keep_layout(LayoutBook& book, const std::string& name, const Arrangement& arrangement);

// A file that is not there is no error. error: input, where it is broken: all of it is ignored, and
// both are left as they are.
Result<void> load_layouts(LayoutBook& book, Arrangement& present);
// Replaces the file in one step. error: environment.
Result<void> save_layouts(const LayoutBook& book, const Arrangement& present);

}  // namespace warpscope
