// workbench/panels/source/source_editor.cpp: the text of a folder's file while it is edited in
// Source.
#include "workbench/panels/source/source_editor.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "scenes/read_folder.h"
#include "workbench/drawing/keys.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/outcome.h"
#include "workbench/panels/source/source_text.h"
#include "workbench/workspace/scene/scene_folder.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

constexpr double kLookedEveryS = 0.25;

// Takes the file anew where it is another one, or where it changed and nothing was typed.
void look_at_file(const SessionView& view, const std::string& file, SourceEdit& edit) {
  const double now = ImGui::GetTime();
  const bool other = edit.file != file;
  if (!other && edit.looked_s >= 0 && now - edit.looked_s < kLookedEveryS) return;
  edit.looked_s = now;
  const Result<std::string> read = read_input(view.shown.folder() / file, kMostTextFileBytes);
  if (!read && !other) return;  // it is being replaced
  const std::string text = read.value_or("");
  if (other || (!edit.unsaved() && text != edit.began)) {
    edit.file = file;
    edit.text = edit.began = text;
    edit.on_disk.clear();
    ++edit.taken;
  } else if (text == edit.text) {
    edit.began = text;  // saved, here or elsewhere
    edit.on_disk.clear();
  } else {
    edit.on_disk = text == edit.began ? "" : text;
  }
}

void save(const PanelContext& context, SourceEdit& edit) {
  context.requests.ask(request::Edit{edit.file, edit.text});
  edit.began = edit.text;
  edit.on_disk.clear();
  edit.looked_s = ImGui::GetTime();  // the file follows with the next update
}

void draw_coloured(ImU32 colour, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  draw_fitting_text(text, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

// Save, leave, and what is typed and not saved.
void draw_editor_bar(const PanelContext& context, SourceEdit& edit) {
  const Style& style = context.style;
  ImGui::BeginDisabled(!edit.unsaved());
  if (tool_button("save (Ctrl+S)")) save(context, edit);
  ImGui::EndDisabled();
  ImGui::SameLine();
  ImGui::BeginDisabled(!edit.unsaved());
  if (tool_button("drop the changes")) {
    edit.text = edit.began;
    ++edit.taken;
  }
  ImGui::EndDisabled();
  ImGui::SameLine();
  const std::string place = (context.view.shown.folder() / edit.file).string();
  if (tool_button("copy its path")) ImGui::SetClipboardText(place.c_str());
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s: open it in your own editor; a save there counts like one here.",
                      place.c_str());
  ImGui::SameLine();
  draw_coloured(edit.unsaved() ? style.colours.warning : style.colours.muted,
                edit.unsaved() ? "● not saved: " + edit.file : edit.file);
  if (edit.on_disk.empty()) return;
  draw_coloured(style.colours.warning,
                edit.file + " was saved by another program while it was edited here:");
  if (tool_button("take what is on disk")) {
    edit.text = edit.began = edit.on_disk;
    edit.on_disk.clear();
    ++edit.taken;
  }
  ImGui::SameLine();
  if (tool_button("keep what is here")) edit.began = std::exchange(edit.on_disk, "");
}

}  // namespace

std::string file_in_folder(const SessionView& view, const std::string& path) {
  if (view.shown.folder().empty()) return "";
  const std::string own = view.scene().name + "/";
  std::string file = path.starts_with(own) ? path.substr(own.size()) : path;
  std::error_code ignored;
  const fs::path whole = view.shown.folder() / file;
  // A trace of a session names what it likes.
  const bool inside = inner_path(file) && lies_in(whole, view.shown.folder());
  return inside && fs::is_regular_file(whole, ignored) ? file : "";
}

std::vector<Mistake> compiler_mistakes(const std::string& words) {
  constexpr std::string_view kError = "): error: ";
  std::vector<Mistake> found;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find('\n', begin), words.size());
    const std::string line = words.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t error = line.find(kError);
    const std::size_t open = error == std::string::npos ? error : line.rfind('(', error);
    if (open == std::string::npos) continue;
    found.push_back({line.substr(0, open), std::atoi(line.c_str() + open + 1),
                     line.substr(error + kError.size())});
  }
  return found;
}

std::vector<Mistake> mistakes_in(const SessionView& view, const std::string& variant) {
  if (view.folder.mistake()) return {*view.folder.mistake()};
  const Measurement* point = view.folder.judged(variant);
  if (point == nullptr) point = view.state(variant).point;
  if (point == nullptr || point->verdict.outcome != Outcome::compile_failed) return {};
  std::vector<Mistake> found = compiler_mistakes(point->verdict.sentence);
  if (found.empty()) found.push_back({"", 0, point->verdict.sentence});
  return found;
}

void draw_edit_buttons(const PanelContext& context, Selection& selection, const std::string& file,
                       SourceEdit& edit) {
  if (for_slides()) return;
  const SessionView& view = context.view;
  const Variant* variant = find_variant(view.scene(), selection.variant);
  if (variant != nullptr && variant->own_kernels) {
    if (tool_button("fork")) {
      context.requests.ask(request::Fork{variant->name});
      edit = {};
      edit.open = true;
    }
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip(
          view.shown.folder().empty()
              ? "Copies this variant's kernels into a folder of yours, where they can be edited: "
                "the copy is listed below it."
              : "Copies this variant within its folder: the copy is listed below it.");
    ImGui::SameLine();
  }
  if (view.shown.folder().empty()) return;
  ImGui::BeginDisabled(file.empty() && !edit.description && !edit.open);
  if (tool_button(edit.open ? "read" : "edit")) edit.open = !edit.open;
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (tool_button(edit.description ? "back to the kernel" : kDescriptionFile)) {
    edit.description = !edit.description;
    edit.open = edit.open || edit.description;
  }
  ImGui::SameLine();
}

void draw_judgement(const PanelContext& context, Selection& selection, SourcePanel& state) {
  const SessionView& view = context.view;
  const Style& style = context.style;
  const std::vector<Mistake> mistakes = mistakes_in(view, selection.variant);
  // The text needs its room: in a low panel the first one, which the others follow from.
  const std::size_t most = ImGui::GetContentRegionAvail().y < style.unit(45) ? 1 : 3;
  for (std::size_t i = 0; i < mistakes.size() && i < most; ++i) {
    const Mistake& mistake = mistakes[i];
    ImGui::PushID(static_cast<int>(i));
    if (mistake.line > 0 && !for_slides()) {
      const std::string line = "line " + std::to_string(mistake.line);
      if (state.edit.open) {
        ImGui::TextUnformatted(line.c_str());
      } else if (small_tool_button(line.c_str())) {
        show_line(state, mistake.line);
      }
      ImGui::SameLine();
    }
    ImGui::PopID();
    draw_coloured(style.colours.bad, "✕ " + mistake.file + ": " + mistake.sentence +
                                         (i == 0 ? "; what ran last stays" : ""));
  }
  if (!mistakes.empty()) return;
  const Measurement* point = view.folder.judged(selection.variant);
  if (point == nullptr) return;
  draw_coloured(verdict_colour(style, point->verdict.outcome),
                verdict_text(point->verdict.outcome) + ", emulated: " + point->verdict.sentence);
}

void draw_editor(const PanelContext& context, Selection& selection, const std::string& file,
                 SourcePanel& state) {
  SourceEdit& edit = state.edit;
  // What is typed is never dropped for another file: that is saved or left first.
  const std::string& shown = edit.unsaved() && !edit.file.empty() ? edit.file : file;
  look_at_file(context.view, std::string(shown), edit);
  draw_editor_bar(context, edit);
  draw_judgement(context, selection, state);
  push_face(context.style.mono);
  ImGui::PushID(edit.taken);
  ImGui::InputTextMultiline("##editor", &edit.text, {-1, ImGui::GetContentRegionAvail().y},
                            ImGuiInputTextFlags_AllowTabInput);
  const bool typing = ImGui::IsItemActive();
  ImGui::PopID();
  ImGui::PopFont();
  if (typing && ImGui::GetIO().KeyCtrl && letter_pressed('S') && edit.unsaved())
    save(context, edit);
}

}  // namespace warpscope
