// workbench/window/open_dialog.cpp: the dialog that opens files, and the question which scene takes
// one.
#include "workbench/window/open_dialog.h"

#include <imgui.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "scenes/file_scene.h"
#include "scenes/host/input_file.h"
#include "scenes/host/paths.h"
#include "scenes/host/program.h"
#include "workbench/client/own_binary.h"
#include "workbench/client/remembered_folders.h"
#include "workbench/drawing/keys.h"
#include "workbench/panels/panels.h"
#include "workbench/window/frame.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// A line of the list: a recent file, a folder, or a file.
struct Row {
  std::string label;
  fs::path path;
  bool folder = false;
  std::string missing;  // why it cannot be opened; empty: it can
};

// Where files of a kind are, before one was opened. A kernel is the person's: where they started.
fs::path first_folder(FileKind kind) {
  std::error_code ignored;
  const Result<fs::path> home = home_folder();
  const char* below = kind == FileKind::session  ? "assets/sessions"
                      : kind == FileKind::lesson ? "assets/lessons"
                      : kind == FileKind::scene  ? "assets/examples"
                                                 : "";
  if (home && *below != '\0') return *home / below;
  return fs::current_path(ignored);
}

void list(OpenDialog& dialog) {
  if (!dialog.listed.changes_to({dialog.folder, dialog.kind})) return;
  dialog.chosen = 0;
  dialog.trouble.clear();
  dialog.entries.clear();
  Result<std::vector<FolderEntry>> entries = entries_of(dialog.folder, dialog.kind);
  if (entries) {
    dialog.entries = std::move(*entries);
  } else {
    dialog.trouble = sentence(entries.error());
  }
}

void turn_to(OpenDialog& dialog, FileKind kind) {
  dialog.kind = kind;
  const auto& recent = dialog.recent->paths[kind];
  dialog.folder = recent.empty() ? first_folder(kind) : fs::path(recent.front()).parent_path();
  std::error_code ignored;
  if (!fs::is_directory(dialog.folder, ignored)) dialog.folder = first_folder(kind);
  dialog.typed[0] = '\0';
  dialog.chosen = 0;
}

bool has_part(const std::string& text, const std::string& part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         }) != text.end();
}

// Recent files first, then the folder's, as far as they have what was typed.
std::vector<Row> rows_of(OpenDialog& dialog, std::size_t& recent_count) {
  std::vector<Row> rows;
  const std::string part = dialog.typed;
  for (const std::string& path : dialog.recent->paths[dialog.kind]) {
    if (has_part(path, part))
      rows.push_back({fs::path(path).filename().string(), path, false, why_missing(path)});
  }
  recent_count = rows.size();
  if (part.empty() && dialog.folder.has_relative_path())
    rows.push_back({"..", dialog.folder.parent_path(), true, ""});
  for (const FolderEntry& entry : dialog.entries) {
    if (!has_part(entry.name, part)) continue;
    rows.push_back(
        {entry.name + (entry.folder ? "/" : ""), dialog.folder / entry.name, entry.folder, ""});
  }
  return rows;
}

// Goes into a folder, or opens a file and closes.
void take(Workspace& workspace, FrameState& state, const fs::path& path) {
  OpenDialog& dialog = state.open;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    dialog.folder = fs::weakly_canonical(path, ignored);
    dialog.typed[0] = '\0';
    dialog.begun = false;
    return;
  }
  dialog.shown = false;
  if (std::exchange(dialog.for_baseline, false))
    return workspace.requests.ask(request::TakeBaselines{path.string()});
  open_file(workspace, state, path);
}

// What was typed is a path, or the part of a name.
void enter(Workspace& workspace, FrameState& state, const std::vector<Row>& rows) {
  OpenDialog& dialog = state.open;
  const fs::path typed = dialog.typed;
  std::error_code ignored;
  if (!typed.empty() && typed.has_parent_path() && fs::exists(dialog.folder / typed, ignored))
    return take(workspace, state, dialog.folder / typed);
  // As on a command line: from the folder in which the program was started.
  if (!typed.empty() && typed.has_parent_path() && fs::exists(typed, ignored))
    return take(workspace, state, fs::absolute(typed, ignored));
  const auto chosen = static_cast<std::size_t>(dialog.chosen);
  dialog.begun = false;  // Enter left the box
  if (chosen < rows.size() && rows[chosen].missing.empty())
    take(workspace, state, rows[chosen].path);
}

// A button a kind; Page Up and Page Down go round.
void draw_kinds(const Style& style, OpenDialog& dialog) {
  constexpr int kCount = static_cast<int>(std::size(kFileKinds));
  int at = static_cast<int>(dialog.kind);
  if (key_pressed(ImGuiKey_PageDown)) at = (at + 1) % kCount;
  if (key_pressed(ImGuiKey_PageUp)) at = (at + kCount - 1) % kCount;
  if (at != static_cast<int>(dialog.kind)) turn_to(dialog, kFileKinds[at]);
  for (const FileKind kind : kFileKinds) {
    ImGui::PushStyleColor(ImGuiCol_Text,
                          kind == dialog.kind ? style.colours.accent : style.colours.muted);
    if (ImGui::Button(plural_of(kind))) turn_to(dialog, kind);
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s  (Page Up, Page Down)", endings_of(kind));
    ImGui::SameLine();
  }
}

// Whether a running program's kernel is to be captured instead.
bool draw_capture_button() {
  const bool clicked = ImGui::Button("Capture a running program …");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Run a program, see the kernels that it launches, and open one (Ctrl+K).");
  return clicked;
}

void draw_row(const Style& style, const Row& row, bool chosen, bool into_view, bool& clicked) {
  ImGui::PushStyleColor(ImGuiCol_Text, !row.missing.empty() ? style.colours.muted
                                       : row.folder         ? style.colours.accent
                                                            : style.colours.text);
  if (ImGui::Selectable(row.label.c_str(), chosen)) clicked = row.missing.empty();
  ImGui::PopStyleColor();
  if (into_view) ImGui::SetScrollHereY();
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s%s%s", row.path.string().c_str(), row.missing.empty() ? "" : "\n",
                      row.missing.c_str());
  }
  if (row.missing.empty()) return;
  ImGui::SameLine();
  ImGui::TextDisabled("– %s", row.missing.c_str());
}

void draw_rows(Workspace& workspace, const Style& style, FrameState& state) {
  OpenDialog& dialog = state.open;
  std::size_t recent = 0;
  const std::vector<Row> rows = rows_of(dialog, recent);
  const int count = static_cast<int>(rows.size());
  const int before = dialog.chosen;
  if (key_pressed(ImGuiKey_DownArrow)) ++dialog.chosen;
  if (key_pressed(ImGuiKey_UpArrow)) --dialog.chosen;
  dialog.chosen = std::clamp(dialog.chosen, 0, std::max(0, count - 1));
  const bool moved = dialog.chosen != before;
  if (key_pressed(ImGuiKey_Enter)) return enter(workspace, state, rows);
  if (key_pressed(ImGuiKey_Backspace) && dialog.typed[0] == '\0' && dialog.begun)
    return take(workspace, state, dialog.folder.parent_path());
  const float below = ImGui::GetFrameHeightWithSpacing();
  ImGui::BeginChild("files", {0, -below}, ImGuiChildFlags_Borders);
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (index == 0 && recent > 0) draw_note(style, "opened before");
    if (index == recent) draw_note(style, dialog.folder.string());
    bool clicked = false;
    ImGui::PushID(i);
    draw_row(style, rows[index], i == dialog.chosen, moved && i == dialog.chosen, clicked);
    ImGui::PopID();
    if (!clicked) continue;
    take(workspace, state, rows[index].path);
    break;
  }
  if (!dialog.trouble.empty()) draw_note(style, dialog.trouble);
  if (dialog.trouble.empty() && count == 0) {
    draw_note(style, dialog.typed[0] != '\0'
                         ? "Nothing here has that in its name."
                         : "No " + std::string(plural_of(dialog.kind)) + " in " +
                               dialog.folder.string() + " (" + endings_of(dialog.kind) + ").");
  }
  ImGui::EndChild();
}

void draw_offer(Workspace& workspace, const Style& style, FrameState& state) {
  OpenDialog& dialog = state.open;
  if (dialog.uses.empty() || !begin_dialog("Which scene takes it?", style, 70, 0)) return;
  ImGui::TextWrapped("%s can be the input of several scenes.",
                     dialog.offered.filename().string().c_str());
  bool done = key_pressed(ImGuiKey_Escape);
  for (const FileUse& use : dialog.uses) {
    const std::string words = use.scene + ": " + use.label;
    if (!ImGui::Button((words + "##" + use.axis).c_str(), {-1, 0})) continue;
    use_file(workspace, state, use);
    done = true;
    break;
  }
  if (ImGui::Button("none (Esc)")) done = true;
  if (done) {
    dialog.uses.clear();
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

// Files outside of what was opened are read only where a person says so, folder by folder.
void draw_folder_question(Workspace& workspace, const Style& style, FrameState& state) {
  const std::vector<MissedFile> missed = missed_files();
  if (!state.attended || missed.empty() || !begin_dialog("Read from another folder?", style, 80, 0))
    return;
  const MissedFile& first = missed.front();
  ImGui::TextWrapped("What you opened asks for the file %s, which lies outside of it, in",
                     visible_name(first.name).c_str());
  ImGui::TextWrapped("%s", visible_name(first.folder.string()).c_str());
  ImGui::TextWrapped(
      "Allow the folder if you trust what you opened: its files are then read, and their text goes "
      "into sessions that you record. The answer is remembered.");
  const bool allowed = ImGui::Button("Allow this folder");
  ImGui::SameLine();
  const bool declined = ImGui::Button("Don't allow (Esc)") || key_pressed(ImGuiKey_Escape);
  if (allowed || declined) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (declined) decline_folder(first.folder);
  if (!allowed) return;
  if (const Result<void> kept = remember_folder(first.folder); !kept) {
    // Where nothing can be written the answer holds until Warpscope ends.
    if (const Result<void> good = allow_folder(first.folder); !good) {
      decline_folder(first.folder);
      return toast(state, sentence(good.error()));
    }
  }
  toast(state, first.folder.string() + " may be read from now on");
  // An open scene is read again by the watcher of its folder.
  const fs::path again = std::exchange(state.open.refused, {});
  if (!again.empty()) open_file(workspace, state, again);
}

RecentFiles& recent_of(FrameState& state) {
  OpenDialog& dialog = state.open;
  if (!dialog.recent) {
    Result<RecentFiles> loaded = load_recent();
    if (!loaded) toast(state, sentence(loaded.error()));
    dialog.recent = loaded ? std::move(*loaded) : RecentFiles{};
  }
  return *dialog.recent;
}

void keep(FrameState& state, FileKind kind, const fs::path& path) {
  RecentFiles& recent = recent_of(state);
  remember(recent, kind, path);
  if (const Result<void> saved = save_recent(recent); !saved) toast(state, sentence(saved.error()));
}

// Below kernels/ a path is as a trace has it; elsewhere it is whole.
std::string kernel_name(const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(path, ignored);
  const Result<fs::path> home = home_folder();
  if (!home) return whole.string();
  const std::string inside =
      whole.lexically_relative(fs::weakly_canonical(*home / "kernels", ignored)).string();
  return inside.empty() || inside.starts_with("..") ? whole.string() : inside;
}

// A .cu file of the person's own is a scene. What cannot be one, and every other text, is shown.
void open_kernel(Workspace& workspace, FrameState& state, const fs::path& path) {
  const std::string name = kernel_name(path);
  const bool own = name.starts_with("/");
  std::string why;
  if (own && is_scene_file(path)) {
    const Result<const Scene*> opened = workspace.catalogue()->open_file(path);
    if (opened && is_capture_file(path)) {
      workspace.selection.scene = (*opened)->name;
      workspace.selection.live = false;
      toast(state, path.filename().string() +
                       " is emulated. Its kernel runs on the GPU when you press Run: check where "
                       "the file is from.");
      return;
    }
    if (opened) {
      workspace.selection.scene = (*opened)->name;
      workspace.selection.wanted_panel = "launch";
      return;
    }
    if (is_capture_file(path)) return toast(state, sentence(opened.error()));
    why = " and cannot be a scene: " + opened.error().what;
  }
  workspace.selection.show_source = {name, 1};
  if (own) {
    name_path(name);
    toast(state, path.filename().string() + " is shown in Source" + why +
                     ". To run it on the emulator: warpscope trace --source " + name +
                     " --kernel NAME --grid … --block … --arg …");
  } else {
    toast(state, "kernels/" + name +
                     " is shown in Source: choose a variant that launches it to "
                     "see its figures");
  }
}

// Kernels with PTX are a scene; of the others there is a list.
void open_compiled(Workspace& workspace, FrameState& state, const fs::path& path) {
  if (const auto opened = workspace.catalogue()->open_file(path)) {
    workspace.selection.scene = (*opened)->name;
    workspace.selection.wanted_panel = "launch";
    return;
  }
  Result<KernelList> kernels = kernel_list_of(path.string());
  if (!kernels) return toast(state, sentence(kernels.error()));
  state.open.kernels = std::move(*kernels);
}

}  // namespace

bool begin_dialog(const char* title, const Style& style, float width, float height) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  if (!ImGui::IsPopupOpen(title)) ImGui::OpenPopup(title);
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(style.unit(width), display.x * 0.92f),
                            height > 0 ? std::min(style.unit(height), display.y * 0.88f) : 0});
  return ImGui::BeginPopupModal(
      title, nullptr,
      ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings);
}

void show_open_dialog(FrameState& state, FileKind kind) {
  OpenDialog& dialog = state.open;
  Result<RecentFiles> loaded = load_recent();
  if (!loaded) toast(state, sentence(loaded.error()));
  dialog.recent = loaded ? std::move(*loaded) : RecentFiles{};
  dialog.shown = true;
  dialog.for_baseline = false;
  dialog.begun = false;
  dialog.listed.forget();
  turn_to(dialog, kind);
}

void show_baseline_dialog(FrameState& state) {
  show_open_dialog(state, FileKind::session);
  state.open.for_baseline = true;
}

void draw_open_dialog(Workspace& workspace, const Style& style, FrameState& state) {
  OpenDialog& dialog = state.open;
  draw_program_capture(workspace, style, state);
  draw_save_dialog(style, state);
  const char* title = dialog.for_baseline ? "Take a baseline from a session" : "Open";
  if (dialog.shown && begin_dialog(title, style, 100, 76)) {
    if (dialog.for_baseline) {
      draw_note(style,
                "Its named baselines of this scene are added. A session without any gives its "
                "point of the variant in focus at the present values.");
    } else {
      draw_kinds(style, dialog);
      ImGui::NewLine();
      if (draw_capture_button()) {
        dialog.shown = false;
        show_program_capture(state);
      }
    }
    list(dialog);
    ImGui::SetNextItemWidth(-1);
    if (!dialog.begun) ImGui::SetKeyboardFocusHere();
    dialog.begun = true;
    ImGui::InputTextWithHint("##name", "a part of the name, or a path", dialog.typed,
                             sizeof dialog.typed);
    draw_rows(workspace, style, state);
    ImGui::TextDisabled("Enter opens · arrows choose · Backspace goes up · Esc closes");
    if (key_pressed(ImGuiKey_Escape)) dialog.shown = false;
    if (!dialog.shown) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  draw_offer(workspace, style, state);
  if (const auto copied = draw_kernel_list(dialog.kernels, style))
    toast(state, "copied: " + *copied);
  draw_folder_question(workspace, style, state);
}

void use_file(Workspace& workspace, FrameState& state, const FileUse& use) {
  if (use.scene != workspace.scene().name) {
    if (const Result<void> turned = workspace.choose_scene(use.scene); !turned)
      return toast(state, sentence(turned.error()));
  }
  Selection& selection = workspace.selection;
  name_path(use.changes.at(use.axis));
  const auto axes = with_values(workspace.scene().axes, selection.axes, use.changes);
  if (!axes) return toast(state, sentence(axes.error()));
  selection.axes = *axes;
  const std::string file = use.changes.at(use.axis);
  const Result<void> admitted = workspace.scene().admit(*axes);
  toast(state, admitted ? fs::path(file).filename().string() + " is the " + use.label + " of " +
                              use.scene + " now; undo takes it back"
                        : sentence(admitted.error()));
}

void open_file(Workspace& workspace, FrameState& state, const fs::path& path) {
  if (const std::string why = why_missing(path.string()); !why.empty())
    return toast(state, path.string() + " cannot be opened: " + why);
  FileKind kind = kind_of(path);
  // Programs have no ending.
  if (kind == FileKind::unknown && kind_of_file(path.string()) != BinaryKind::none)
    kind = FileKind::compiled;
  if (kind == FileKind::session) {
    if (const Result<void> opened = workspace.open(path); !opened)
      return toast(state, sentence(opened.error()));
  } else if (kind == FileKind::lesson) {
    state.lesson_wish = path;
  } else if (kind == FileKind::kernel) {
    open_kernel(workspace, state, path);
  } else if (kind == FileKind::compiled) {
    open_compiled(workspace, state, path);
  } else if (kind == FileKind::scene) {
    const Result<const Scene*> opened = workspace.catalogue()->open_folder(path);
    if (!opened) {
      state.open.refused = path;
      return toast(state, sentence(opened.error()));
    }
    workspace.selection.scene = (*opened)->name;
  } else {
    std::error_code ignored;
    const fs::path whole = fs::absolute(path, ignored);
    std::vector<FileUse> uses = uses_of(*workspace.catalogue(), whole);
    if (uses.empty()) {
      return toast(state,
                   path.filename().string() +
                       " is of no kind that Warpscope opens: sessions (.wsj), lessons "
                       "(.json), matrices (.mtx), arrays (.npy, .raw), kernels (.cu, .ptx, .wcap, "
                       ".cubin, .fatbin, .o, .a, .so, programs), "
                       "scenes (scene.toml "
                       "or its folder)");
    }
    if (uses.size() == 1) {
      use_file(workspace, state, uses.front());
    } else {
      state.open.offered = whole;
      state.open.uses = std::move(uses);
    }
  }
  if (kind != FileKind::unknown) keep(state, kind, path);
}

}  // namespace warpscope
