// workbench/window/palette/palette.h: the command palette: one box that finds every action, panel,
// scene, variant, axis and metric by its name, and does it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "workbench/drawing/style.h"
#include "workbench/panels/panels.h"
#include "workbench/workspace/selection/memo.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

struct Command;
struct FrameState;

enum class PaletteKind {
  panel,
  command,
  variant,
  axis,
  scene,
  metric,
  counters,
  preset,
  lesson,
  layout,
  baseline,
  file
};
const char* to_text(PaletteKind kind);  // "action", "metric"

// A row: what Enter does.
struct PaletteEntry {
  PaletteKind kind = PaletteKind::command;
  std::string name;    // of the panel, command, axis … in the program
  std::string title;   // as people know it
  std::string detail;  // in a few words
  std::string other;   // also searched: CUPTI's name of a metric
  std::string keys;    // that do the same; empty: none
  std::string id() const { return std::string(to_text(kind)) + " " + name; }
};

// Everything that can be done or shown now.
std::vector<PaletteEntry> palette_entries(const Workspace& workspace);

// The entries that fit what was typed, the best first; those that were chosen lately win among
// equals. Without words the recent ones come first, then all others. `recent`: ids, newest first.
std::vector<std::size_t> palette_rows(const std::vector<PaletteEntry>& entries,
                                      const std::string& typed,
                                      const std::vector<std::string>& recent);

struct CommandPalette {
  bool wanted = false;  // opens in this frame
  bool shown = false;   // it was drawn in the last frame
  bool begun = false;   // … and its box has the keyboard
  std::string typed;
  std::vector<PaletteEntry> entries;  // as of its opening
  Memo<std::string, std::vector<std::size_t>> rows;
  int chosen = 0;
  bool moved = false;                // by keys: the chosen row comes into view
  std::vector<std::string> recent;   // ids of what was chosen lately, newest first
  const Command* pending = nullptr;  // acts when the next frame begins, without the palette
};

void open_palette(const Workspace& workspace, FrameState& state);
// Does what an entry says. A command acts in the next frame.
void choose_entry(const PaletteEntry& entry, Workspace& workspace, PanelStates& panels,
                  FrameState& state);
void draw_palette(Workspace& workspace, PanelStates& panels, const Style& style, FrameState& state);

}  // namespace warpscope
