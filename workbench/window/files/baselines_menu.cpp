// workbench/window/files/baselines_menu.cpp: the list of named baselines.
#include "workbench/window/files/baselines_menu.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "workbench/window/frame.h"
#include "workbench/workspace/kept_baselines.h"

namespace warpscope {
namespace {

const char* const kMenu = "baselines menu";

// What is compared with while no name is chosen.
std::string scene_baseline(const Workspace& workspace) {
  const SessionView& view = workspace.view();
  const std::string name = view.points.baseline_id(workspace.selection.variant).variant;
  const Variant* variant = find_variant(workspace.scene(), name);
  return variant == nullptr ? "no variant" : variant->label;
}

// The day on which it was measured, and what it is of where the name does not say it.
std::string about_of(const NamedBaseline& baseline) {
  constexpr std::size_t kDay = 10;  // "2026-11-29"
  const std::string day = baseline.point.conditions.date.substr(0, kDay), of = describe(baseline);
  if (of == baseline.name) return day;
  return day.empty() ? of : day + ", " + of;
}

// Each baseline of the scene with what it is of; a click chooses it. Returns how many there are.
int draw_choices(Workspace& workspace, const Style& style) {
  NamedBaselines& baselines = workspace.selection.baselines;
  ImGui::TextDisabled("Overview and Metrics compare the focus with");
  const std::string scene = "the variant that is the baseline: " + scene_baseline(workspace);
  if (ImGui::Selectable((scene + "##variant").c_str(), baselines.chosen.empty()))
    baselines.chosen.clear();
  int count = 0;
  for (const auto& each : baselines.all) {
    if (each->point.scene != workspace.scene().name) continue;
    ++count;
    const std::string about = about_of(*each);
    const std::string words = fitting(each->name, style.unit(40));
    if (ImGui::Selectable((words + "##" + each->id).c_str(), baselines.chosen == each->id,
                          ImGuiSelectableFlags_AllowOverlap, {style.unit(90), 0}))
      baselines.chosen = each->id;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s\n%s, measured %s", each->name.c_str(), describe(*each).c_str(),
                        each->point.conditions.date.c_str());
    ImGui::SameLine(style.unit(42));
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
    ImGui::TextUnformatted(fitting(about, style.unit(48)).c_str());
    ImGui::PopStyleColor();
  }
  return count;
}

void draw_name(Workspace& workspace, const Style& style, BaselinesMenu& menu) {
  NamedBaselines& baselines = workspace.selection.baselines;
  const NamedBaseline* chosen = chosen_baseline(baselines);
  if (chosen == nullptr) return;
  if (menu.of != chosen->id || menu.renamed != chosen->name) {
    menu.of = chosen->id;
    menu.typed = menu.renamed = chosen->name;
    menu.trouble.clear();
  }
  ImGui::Separator();
  ImGui::SetNextItemWidth(style.unit(40));
  const bool entered =
      ImGui::InputText("##name", &menu.typed, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if (ImGui::Button("rename") || entered) {
    const Result<void> renamed = rename_baseline(baselines, menu.of, menu.typed);
    menu.trouble = renamed ? "" : sentence(renamed.error());
  }
  ImGui::SameLine();
  if (ImGui::Button("remove")) remove_baseline(baselines, menu.of);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Ctrl+Z brings it back.");
  if (menu.trouble.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
  ImGui::TextUnformatted(menu.trouble.c_str());
  ImGui::PopStyleColor();
}

}  // namespace

std::string baseline_words(const Selection& selection, bool brief) {
  const NamedBaseline* chosen = chosen_baseline(selection.baselines);
  if (chosen == nullptr) return brief ? "⇄ ▾" : "baseline ▾";
  // The bar is short: the list has the whole name.
  constexpr std::size_t kMostBytes = 14;
  std::string name = chosen->name;
  if (name.size() > kMostBytes) {
    std::size_t end = kMostBytes;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
    name = name.substr(0, end) + "…";
  }
  return (brief ? "⇄ " : "baseline ") + name + " ▾";
}

void draw_baselines_menu(Workspace& workspace, const Style& style, FrameState& state) {
  BaselinesMenu& menu = state.open.baselines;
  if (std::exchange(menu.wanted, false)) ImGui::OpenPopup(kMenu);
  // Below its button, also if a key opens it.
  ImGui::SetNextWindowPos({ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y},
                          ImGuiCond_Appearing);
  if (!ImGui::BeginPopup(kMenu)) return;
  const int count = draw_choices(workspace, style);
  ImGui::Separator();
  const Variant* focus = find_variant(workspace.scene(), workspace.selection.variant);
  if (focus != nullptr &&
      ImGui::MenuItem(("keep " + focus->label + " as it is here").c_str(), "Ctrl+4"))
    keep_baseline(workspace.view(), workspace.selection, focus->name);
  if (ImGui::MenuItem("take from another session …")) show_baseline_dialog(state);
  if (count > 0 && ImGui::MenuItem("save all as a session …"))
    export_to(state, "warpscope-baselines.wsj", session_of(workspace.selection.baselines));
  draw_name(workspace, style, menu);
  ImGui::EndPopup();
}

}  // namespace warpscope
