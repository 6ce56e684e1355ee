// workbench/docking/panels_menu.cpp: the menus that choose layouts, open and close panels, and move
// a tab.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <vector>

#include "workbench/docking/docking.h"
#include "workbench/drawing/focus.h"

namespace warpscope {
namespace {

using Say = std::function<void(const std::string&)>;

bool choose_row(const char* words, bool chosen) {
  // The menu stays open: several are chosen one after the other.
  return ImGui::Selectable(words, chosen, ImGuiSelectableFlags_NoAutoClosePopups);
}

std::string mark(bool on, const std::string& words) { return (on ? "● " : "○ ") + words; }

void write_down(Docking& docking, const Say& say) {
  if (const Result<void> saved = save_layouts(docking.book, docking.present); !saved)
    say(sentence(saved.error()));
}

void draw_layouts(Docking& docking, const Style& style, const Say& say) {
  LayoutBook& book = docking.book;
  ImGui::TextDisabled("Layouts");
  for (const ShippedLayout& shipped : shipped_layouts()) {
    const bool chosen = book.chosen == shipped.name;
    if (choose_row((mark(chosen, shipped.name) + "###" + shipped.name).c_str(), chosen))
      choose_layout(docking, shipped.name);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", shipped.sentence);
  }
  for (const auto& [name, arrangement] : book.own) {
    const bool chosen = book.chosen == name;
    if (choose_row((mark(chosen, name) + "###own " + name).c_str(), chosen))
      choose_layout(docking, name);
  }
  if (ImGui::Button("reset")) choose_layout(docking, std::string(book.chosen));
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Brings back “%s” as it was saved.", book.chosen.c_str());
  const auto own = book.own.find(book.chosen);
  ImGui::SameLine();
  ImGui::BeginDisabled(own == book.own.end());
  if (ImGui::Button("delete") && own != book.own.end()) {
    book.own.erase(own);
    book.chosen = shipped_layouts().front().name;
    write_down(docking, say);
  }
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    ImGui::SetTooltip(
        "Deletes the chosen layout if it is your own. The panels stay where they are.");
  ImGui::SetNextItemWidth(style.unit(14));
  const bool entered = ImGui::InputTextWithHint("##name", "name", &docking.menu.name,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  type_where_focus_came();
  ImGui::SameLine();
  if (ImGui::Button("save") || entered) {
    if (const Result<void> kept = keep_layout(book, docking.menu.name, docking.present); !kept) {
      say(sentence(kept.error()));
    } else {
      docking.menu.name.clear();
      write_down(docking, say);
    }
  }
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Saves the present arrangement under this name.");
}

void draw_panel_row(Docking& docking, const PanelRow& panel) {
  const bool open = is_open(docking.present, panel.name);
  const std::string words = (open ? "✔ " : "– ") + std::string(panel.title) + "###" + panel.name;
  const bool chosen = choose_row(words.c_str(), false);
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right) || menu_asked())
    docking.menu.tab_wanted = panel.name;
  if (!chosen) return;
  if (open) return close_panel(edit(docking), panel.name);
  open_panel(edit(docking), panel.name);
  docking.shown_panel = panel.name;
}

// The other places, by the title of the tab in front.
void draw_places(Docking& docking, const Layout& layout, const PanelRow& panel) {
  for (const Place& place : layout.places) {
    if (place_of(layout, panel.name) == &place) continue;
    const auto front = std::find_if(place.panels.begin(), place.panels.end(),
                                    [&](const PanelRow* row) { return *place.front == row->name; });
    const PanelRow* named = front != place.panels.end() ? *front : place.panels.front();
    const std::string words = "Move to the tabs with " + std::string(named->title);
    if (!ImGui::MenuItem((words + "###" + place.name).c_str())) continue;
    dock(edit(docking), panel.name, place.name, DockSide::inside);
    docking.shown_panel = panel.name;
    return;  // places have changed
  }
}

}  // namespace

void draw_panels_menu(Docking& docking, const Belongs& belongs, const Style& style,
                      const Say& say) {
  constexpr const char* kName = "panels menu";
  if (docking.menu.wanted) ImGui::OpenPopup(kName);
  docking.menu.wanted = false;
  // Under its button, which was drawn last, and as high as there is room.
  const ImGuiViewport& main = *ImGui::GetMainViewport();
  const ImVec2 button = ImGui::GetItemRectMax();
  ImGui::SetNextWindowPos(button, ImGuiCond_Always, {1, 0});
  ImGui::SetNextWindowSizeConstraints(
      {0, 0},
      {button.x - main.Pos.x - style.unit(1), main.Pos.y + main.Size.y - button.y - style.unit(1)});
  if (!ImGui::BeginPopup(kName)) return;
  if (ImGui::BeginTable("columns", 3, ImGuiTableFlags_SizingFixedFit)) {
    ImGui::TableNextColumn();
    draw_layouts(docking, style, say);
    std::vector<const PanelRow*> rows;
    for (const PanelRow& panel : all_panels()) {
      if (belongs(panel)) rows.push_back(&panel);
    }
    const std::size_t half = (rows.size() + 1) / 2;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == 0 || i == half) {
        ImGui::TableNextColumn();
        ImGui::TextDisabled("%s", i == 0 ? "Panels" : "");
      }
      draw_panel_row(docking, *rows[i]);
    }
    ImGui::EndTable();
  }
  ImGui::EndPopup();
}

void draw_tab_menu(Docking& docking, const Layout& layout, std::string& maximised) {
  constexpr const char* kName = "tab menu";
  PanelsMenu& menu = docking.menu;
  if (!menu.tab_wanted.empty()) {
    menu.tab = menu.tab_wanted;
    ImGui::OpenPopup(kName);
  }
  menu.tab_wanted.clear();
  const PanelRow* panel = find_panel(menu.tab);
  if (!ImGui::BeginPopup(kName)) return;
  if (panel == nullptr) return ImGui::EndPopup();
  if (ImGui::MenuItem("Close", "middle click")) close_panel(edit(docking), panel->name);
  const bool large = maximised == panel->name;
  if (ImGui::MenuItem(large ? "Show all panels" : "Maximise", "F11"))
    maximised = large ? "" : panel->name;
  if (ImGui::MenuItem("Move to a window of its own", nullptr, false, docking.windows_possible)) {
    tear_off(edit(docking), {panel->name, 0, 0, 0, 0});
    docking.shown_panel = panel->name;
  }
  if (const Place* place = place_of(layout, panel->name); place != nullptr && !layout.folded) {
    ImGui::Separator();
    const std::string here = place->name;
    const bool several = place->panels.size() > 1;
    for (const auto& [words, side] : {std::pair("Split off to the left", DockSide::left),
                                      std::pair("Split off to the right", DockSide::right),
                                      std::pair("Split off above", DockSide::above),
                                      std::pair("Split off below", DockSide::below)}) {
      if (!ImGui::MenuItem(words, nullptr, false, several)) continue;
      dock(edit(docking), panel->name, here, side);
      docking.shown_panel = panel->name;
      return ImGui::EndPopup();
    }
    ImGui::Separator();
    draw_places(docking, layout, *panel);
  }
  ImGui::EndPopup();
}

}  // namespace warpscope
