// workbench/window/files/save_dialog.h: asks where a file is to be written, and before it replaces
// one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "workbench/drawing/style.h"
#include "workbench/workspace/file_kind.h"
#include "workbench/workspace/selection/memo.h"

namespace warpscope {

struct FrameState;

// The dialog while it is open, with the text that it writes.
struct SaveDialog {
  bool shown = false;
  std::string text;
  std::string ending;            // ".csv": files with it are listed
  std::filesystem::path folder;  // where the last file was written; empty: where Warpscope started
  std::string typed;             // the name, or a path
  std::filesystem::path asked;   // it is there already: shall it be replaced? Empty: not asked
  std::string trouble;           // why nothing was written
  std::vector<FolderEntry> entries;
  LastKey<std::pair<std::filesystem::path, std::string>> listed;
  bool begun = false;  // the box has had the keyboard
};

// Opens it with a name that nothing in the folder has.
void ask_where(FrameState& state, const std::string& name, std::string text);
void draw_save_dialog(const Style& style, FrameState& state);

// Where what was typed leads from a folder: a path as it stands, a name in the folder. A name
// without the ending gets it.
std::filesystem::path place_to_save(const std::filesystem::path& folder, const std::string& typed,
                                    const std::string& ending);

}  // namespace warpscope
