// workbench/window/open_dialog.h: opens files of every kind: a dialog, what was opened last, and
// what is dropped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workbench/drawing/style.h"
#include "workbench/window/files/baselines_menu.h"
#include "workbench/window/files/kernel_list.h"
#include "workbench/window/files/program_capture.h"
#include "workbench/window/files/save_dialog.h"
#include "workbench/workspace/file_kind.h"
#include "workbench/workspace/selection/memo.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

struct FrameState;

// The dialog while it is open, and what was opened before.
struct OpenDialog {
  bool shown = false;
  FileKind kind = FileKind::session;
  bool for_baseline = false;         // a session's points become baselines; it is not opened
  std::filesystem::path folder;      // empty: where the last file of the kind was
  std::vector<FolderEntry> entries;  // of `listed`
  LastKey<std::pair<std::filesystem::path, FileKind>> listed;
  std::string trouble;   // why it cannot be listed
  char typed[512] = "";  // a part of a name, or a path
  int chosen = 0;        // the row that Enter opens
  bool moved = false;    // it comes into view
  bool begun = false;    // the box has had the keyboard
  std::optional<RecentFiles> recent;
  // A file that scenes can take: which shall?
  std::filesystem::path offered;
  std::vector<FileUse> uses;
  // A scene's folder that could not be opened: tried again when a folder was allowed.
  std::filesystem::path refused;
  std::optional<KernelList> kernels;  // of a compiled file that was opened
  ProgramCapture program;             // that runs, and the dialog that captures its launches
  BaselinesMenu baselines;            // the list of named baselines
  SaveDialog save;                    // asks where a table or a report is to be written
};

// A dialog in the middle of the window; true: it is there to be filled, and then ended. Without a
// height it is as high as what it has.
bool begin_dialog(const char* title, const Style& style, float width, float height);
// Shows the dialog, at a kind of files.
void show_open_dialog(FrameState& state, FileKind kind);
// The same for a session whose points become named baselines.
void show_baseline_dialog(FrameState& state);
// Draws the dialog, that of a running program, and the questions which scene takes a file and
// whether files of another folder may be read. Draws nothing while none of them is open.
void draw_open_dialog(Workspace& workspace, const Style& style, FrameState& state);

// A session is shown; a lesson is left in state.lesson_wish; a matrix or an array goes to an
// axis that takes it, where several do after a question; a kernel is shown in Source; the kernels
// of a compiled file, also of a program without an ending, are listed in a dialog. What cannot
// be opened is said in a sentence. What was opened is remembered.
void open_file(Workspace& workspace, FrameState& state, const std::filesystem::path& path);

// Turns to the scene and gives the file to its axis.
void use_file(Workspace& workspace, FrameState& state, const FileUse& use);

}  // namespace warpscope
