// workbench/window/files/program_capture.h: a running program's launches in a dialog, where a
// person captures one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiling/points/timeline.h"
#include "workbench/client/captures/live_capture.h"
#include "workbench/drawing/style.h"
#include "workbench/drawing/table.h"

namespace warpscope {

struct FrameState;
class Workspace;

struct ProgramCapture {
  bool shown = false;
  bool begun = false;           // the box of the command has had the keyboard
  std::string command, folder;  // as typed
  std::string part;             // of the kernel's name that is captured next
  std::string trouble;          // why the last button did nothing
  std::shared_ptr<LiveCapture> live;
  std::string chosen;                       // the symbol of the row that was clicked
  std::uint64_t revision = 0;               // of `live`, that these are of …
  std::vector<TableRow> rows;               // … by kernel
  std::vector<std::string> symbols, words;  // of the rows: symbols, and what their tooltips say
  Timeline timeline;                        // … and the newest launches
  std::size_t remembered = 0;               // captures that are among the recent files
};

// The newest launches of the program for the Timeline panel; null: none was timed.
const Timeline* shown_program(const ProgramCapture& capture);
void show_program_capture(FrameState& state);
// Starts the command that was typed. What was running goes on, unwatched.
void start_program(ProgramCapture& capture);
// Whether something may come from a program: frames are then due without a person's input.
bool is_watching(const ProgramCapture& capture);
// Takes in what the program has said, and draws the dialog while it is open.
void draw_program_capture(Workspace& workspace, const Style& style, FrameState& state);

}  // namespace warpscope
