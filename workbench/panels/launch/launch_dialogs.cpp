// workbench/panels/launch/launch_dialogs.cpp: where Launch writes a folder or a launch file.
#include "workbench/panels/launch/launch_dialogs.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "scenes/read_folder.h"
#include "workbench/drawing/keys.h"
#include "workbench/panels/launch/launch_text.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPopup = "write what Launch says";

// Why nothing can be written there; empty: it can.
std::string refusal_at(const std::string& path, LaunchPanel::Writing what, const fs::path& file) {
  std::error_code ignored;
  if (path.empty()) return "no path is named";
  if (what == LaunchPanel::Writing::launch_file)
    return fs::exists(path, ignored) ? "this file is there already: name another one" : "";
  if (fs::exists(path, ignored) && !fs::is_directory(path, ignored))
    return "this is a file: name a folder";
  for (const fs::path& name : {fs::path(kDescriptionFile), file.filename()}) {
    if (fs::exists(fs::path(path) / name, ignored))
      return "the folder has " + name.string() + " already: name another one";
  }
  return "";
}

}  // namespace

void ask_for_path(const PanelContext& context, const Selection& selection,
                  LaunchPanel::Writing what, LaunchPanel& state) {
  const ShownScene& shown = context.view.shown;
  const fs::path file = shown.catalogue().file_of(shown.name());
  state.writing = what;
  state.path =
      (what == LaunchPanel::Writing::folder
           ? free_path(file.parent_path(), file.empty() ? shown.name() : file.stem().string(), "")
           : free_path(file.parent_path(), selection.variant, ".toml"))
          .string();
}

void draw_path_dialog(const PanelContext& context, const Selection& selection,
                      const LaunchForm& form, const std::string& description, LaunchPanel& state) {
  if (state.writing == LaunchPanel::Writing::nothing || for_slides()) return;
  const Style& style = context.style;
  const bool folder = state.writing == LaunchPanel::Writing::folder;
  const ShownScene& shown = context.view.shown;
  const fs::path file = shown.catalogue().file_of(shown.name());
  if (!ImGui::IsPopupOpen(kPopup)) ImGui::OpenPopup(kPopup);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(style.unit(90), display.x * 0.92f), 0});
  if (!ImGui::BeginPopupModal(kPopup, nullptr,
                              ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                  ImGuiWindowFlags_AlwaysAutoResize))
    return;
  const auto close = [&state] {
    state.writing = LaunchPanel::Writing::nothing;
    ImGui::CloseCurrentPopup();
  };
  draw_paragraph(folder ? "A folder with a copy of the file and a description of its launches. "
                          "The window turns to that folder."
                        : "A launch file: warpscope trace --launch runs it again.");
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const bool entered =
      ImGui::InputText("##path", &state.path, ImGuiInputTextFlags_EnterReturnsTrue);
  const std::string refusal = refusal_at(state.path, state.writing, file);
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
  draw_paragraph(refusal.empty() ? " " : "✕ " + refusal);
  ImGui::PopStyleColor();
  ImGui::BeginDisabled(!refusal.empty());
  const bool write = ImGui::Button(folder ? "make the folder" : "write the file");
  ImGui::EndDisabled();
  ImGui::SameLine();
  const bool cancel = ImGui::Button("cancel") || key_pressed(ImGuiKey_Escape);
  if ((write || entered) && refusal.empty()) {
    if (folder) {
      context.requests.ask(request::MakeScene{state.path});
    } else {
      const fs::path place = fs::path(state.path).parent_path();
      const fs::path near = file.parent_path() == place ? file.filename() : file;
      context.requests.ask(request::WriteText{
          state.path, launch_text(form, description, near.string(),
                                  entry_of(description, selection.variant), selection.axes)});
    }
    close();
  } else if (cancel) {
    close();
  }
  ImGui::EndPopup();
}

}  // namespace warpscope
