// workbench/window/files/save_dialog.cpp: asks where a file is to be written, and before it
// replaces one.
#include "workbench/window/files/save_dialog.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "profiling/figures/metric.h"
#include "scenes/host/write_file.h"
#include "workbench/drawing/keys.h"
#include "workbench/window/frame.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

void list(SaveDialog& dialog) {
  if (!dialog.listed.changes_to({dialog.folder, dialog.ending})) return;
  dialog.entries.clear();
  Result<std::vector<FolderEntry>> entries = entries_of(dialog.folder, dialog.ending);
  if (entries) {
    dialog.entries = std::move(*entries);
  } else {
    dialog.trouble = sentence(entries.error());
  }
}

void go_into(SaveDialog& dialog, const fs::path& folder) {
  std::error_code ignored;
  dialog.folder = fs::weakly_canonical(folder, ignored);
  dialog.trouble.clear();
  dialog.asked.clear();
  dialog.begun = false;
}

void write(SaveDialog& dialog, FrameState& state, const fs::path& path) {
  const Result<void> written = write_file(path, dialog.text);
  if (!written) {
    dialog.trouble = sentence(written.error());
    return;
  }
  dialog.folder = path.parent_path();
  dialog.shown = false;
  dialog.text = {};
  toast(state, wrote_words(path));
}

// A folder is gone into, a file that is there is asked for, everything else is written.
void save(SaveDialog& dialog, FrameState& state) {
  dialog.trouble.clear();
  dialog.begun = false;  // Enter left the box
  std::error_code ignored;
  const std::size_t first = dialog.typed.find_first_not_of(' ');
  if (first == std::string::npos) {
    dialog.trouble = "A file needs a name: type one.";
    return;
  }
  const fs::path plain = dialog.folder / dialog.typed;
  if (fs::is_directory(plain, ignored)) {
    dialog.typed.clear();
    return go_into(dialog, plain);
  }
  const fs::path path = place_to_save(dialog.folder, dialog.typed, dialog.ending);
  if (!fs::is_directory(path.parent_path(), ignored)) {
    dialog.trouble =
        "There is no folder " + path.parent_path().string() + ": choose one that is there.";
    return;
  }
  if (fs::is_directory(path, ignored)) {
    dialog.trouble = path.string() + " is a folder: choose another name.";
    return;
  }
  if (fs::exists(path, ignored)) {
    dialog.asked = path;
    return;
  }
  write(dialog, state, path);
}

// The folder's rows: folders to go into, files to replace. What is clicked.
void draw_rows(const Style& style, SaveDialog& dialog) {
  const float below = 4 * ImGui::GetFrameHeightWithSpacing();
  ImGui::BeginChild("files", {0, -below}, ImGuiChildFlags_Borders | kReached);
  draw_note(style, dialog.folder.string());
  if (dialog.folder.has_relative_path() && ImGui::Selectable("..")) {
    ImGui::EndChild();
    return go_into(dialog, dialog.folder.parent_path());
  }
  fs::path entered;
  for (const FolderEntry& entry : dialog.entries) {
    ImGui::PushStyleColor(ImGuiCol_Text, entry.folder ? style.colours.accent : style.colours.text);
    if (ImGui::Selectable((entry.name + (entry.folder ? "/" : "")).c_str())) {
      if (entry.folder) {
        entered = dialog.folder / entry.name;
      } else {
        dialog.typed = entry.name;
        dialog.asked.clear();
      }
    }
    ImGui::PopStyleColor();
  }
  ImGui::EndChild();
  if (!entered.empty()) go_into(dialog, entered);
}

// Whether a file that is there shall be replaced.
void draw_question(const Style& style, SaveDialog& dialog, FrameState& state) {
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
  draw_fitting_text("⚠ " + dialog.asked.filename().string() + " is there already. Replace it?",
                    ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (ImGui::Button("replace it")) {
    const fs::path path = std::exchange(dialog.asked, {});
    write(dialog, state, path);
  }
  ImGui::SameLine();
  if (ImGui::Button("keep it (Esc)") || key_pressed(ImGuiKey_Escape)) {
    dialog.asked.clear();
    dialog.begun = false;
  }
}

void draw_buttons(const Style& style, SaveDialog& dialog, FrameState& state) {
  ImGui::PushStyleColor(ImGuiCol_Text,
                        dialog.trouble.empty() ? style.colours.muted : style.colours.warning);
  draw_fitting_text(dialog.trouble.empty()
                        ? format_value(static_cast<double>(dialog.text.size()), "B") +
                              " · Enter saves · Esc closes"
                        : "✕ " + dialog.trouble,
                    ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (ImGui::Button("save")) save(dialog, state);
  ImGui::SameLine();
  if (ImGui::Button("cancel (Esc)") || key_pressed(ImGuiKey_Escape)) dialog.shown = false;
}

}  // namespace

fs::path place_to_save(const fs::path& folder, const std::string& typed,
                       const std::string& ending) {
  const std::size_t first = typed.find_first_not_of(' ');
  if (first == std::string::npos) return folder;
  const fs::path name = typed.substr(first, typed.find_last_not_of(' ') + 1 - first);
  fs::path path = folder / name;  // an absolute one stands as it is
  if (path.extension().empty()) path += ending;
  return path.lexically_normal();
}

void ask_where(FrameState& state, const std::string& name, std::string text) {
  SaveDialog& dialog = state.open.save;
  std::error_code ignored;
  if (dialog.folder.empty() || !fs::is_directory(dialog.folder, ignored))
    dialog.folder = fs::current_path(ignored);
  dialog.text = std::move(text);
  dialog.ending = fs::path(name).extension().string();
  dialog.typed = unused_path(dialog.folder / name).filename().string();
  dialog.asked.clear();
  dialog.trouble.clear();
  dialog.listed.forget();
  dialog.begun = false;
  dialog.shown = true;
}

void draw_save_dialog(const Style& style, FrameState& state) {
  SaveDialog& dialog = state.open.save;
  if (!dialog.shown || !begin_dialog("Save as", style, 90, 66)) return;
  list(dialog);
  const bool asks = !dialog.asked.empty();
  ImGui::BeginDisabled(asks);
  ImGui::SetNextItemWidth(-1);
  if (!dialog.begun && !asks) ImGui::SetKeyboardFocusHere();
  dialog.begun = true;
  const bool entered = ImGui::InputTextWithHint("##name", "a name, or a path", &dialog.typed,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  draw_rows(style, dialog);
  ImGui::EndDisabled();
  if (asks) {
    draw_question(style, dialog, state);
  } else {
    if (entered) save(dialog, state);
    draw_buttons(style, dialog, state);
  }
  if (!dialog.shown) {
    dialog.text = {};
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace warpscope
