// workbench/window/tell.cpp: what the window shows, told to a file as JSON lines, for scripts.
#include "workbench/window/tell.h"

#include <imgui_internal.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "workbench/drawing/keys.h"

namespace warpscope {
namespace {

using nlohmann::json;

json to_json(const Box& box) { return {box.x0, box.y0, box.x1, box.y1}; }
json to_json(const ImRect& box) { return {box.Min.x, box.Min.y, box.Max.x, box.Max.y}; }

json pins_of(const Pins& pins) {
  return {pins.a ? pins.a->variant : "", pins.b ? pins.b->variant : ""};
}

json open_ones(const FrameState& state) {
  json names = json::array();
  if (state.focus.popup) names.push_back("popup");
  if (state.focus.typing) names.push_back("text box");
  for (const Closable& closable : all_closables()) {
    if (closable.open(state)) names.push_back(closable.name);
  }
  return names;
}

json notices_of(const FrameState& state) {
  json words = json::array();
  for (const Notice& notice : state.notices.shown) words.push_back(notice.words);
  const ImGuiWindow* window = ImGui::FindWindowByName("notices");
  const bool drawn = window != nullptr && window->Active && !words.empty();
  return {{"words", words}, {"box", drawn ? to_json(window->Rect()) : json()}};
}

// The panels of every place, and under "windows" those in windows of their own.
json places_of(const Arrangement& arrangement) {
  json places = json::object();
  for_each_leaf(arrangement.root,
                [&places](const DockNode& leaf) { places[leaf.name] = leaf.panels; });
  for (const PanelWindow& window : arrangement.windows) places["windows"].push_back(window.panel);
  return places;
}

json focus_of_keys(const Focus& focus) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  json told = {{"id", focus.id}, {"shown", focus_is_shown()}, {"window", ""}, {"box", json()}};
  if (focus.window == nullptr) return told;
  told["window"] = focus.window->Name;
  told["box"] =
      to_json(ImGui::WindowRectRelToAbs(focus.window, focus.window->NavRectRel[g.NavLayer]));
  return told;
}

json pointer_now() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImVec2 at = g.IO.MousePos;
  const bool inside = ImGui::IsMousePosValid(&at);
  return {
      {"at", inside ? json{at.x, at.y} : json()}, {"over", g.HoveredId}, {"presses", g.ActiveId}};
}

}  // namespace

Result<Teller> Teller::open(const std::string& path) {
  std::ofstream file(path, std::ios::trunc);
  if (!file) {
    return failure(ErrorKind::environment,
                   std::string("the file cannot be written: ") + std::strerror(errno), path,
                   "choose a folder that exists and that you may write to");
  }
  return Teller(std::move(file));
}

void Teller::tell(const Workspace& workspace, const PanelStates& panels, const FrameState& state,
                  bool rests) {
  const Selection& selection = workspace.selection;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  json boxes = json::object();
  for (const auto& [name, box] : state.boxes) boxes[name] = to_json(box);
  const json line = {{"scene", selection.scene},
                     {"variant", selection.variant},
                     {"baseline", selection.baseline},
                     {"key", workspace.view().key()},
                     {"pins", pins_of(selection.pins)},
                     {"theme", state.theme == Theme::light ? "light" : "dark"},
                     {"scale", state.user_scale},
                     {"size", {size.x, size.y}},
                     {"tabs",
                      {{"left", state.left_tab},
                       {"centre", state.centre_tab},
                       {"right", state.right_tab},
                       {"bottom", state.bottom_tab},
                       {"stacked", state.stacked_tab}}},
                     {"layout", state.docks.book.chosen},
                     {"places", places_of(state.docks.present)},
                     {"maximised", state.maximised},
                     {"lesson", state.lesson_title},
                     {"lesson_step", state.lesson_step},
                     {"open", open_ones(state)},
                     {"notices", notices_of(state)},
                     {"panels", boxes},
                     {"focus", focus_of_keys(state.focus)},
                     {"clicked", focused_window(state.focus)},
                     {"pointer", pointer_now()},
                     {"held", keys_held()},
                     {"busy", workspace.view().progress().busy},
                     {"rests", rests},
                     {"roofline_x", {panels.roofline.view.x.low, panels.roofline.view.x.high}}};
  std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text == last_) return;
  last_ = std::move(text);
  file_ << last_ << std::endl;
}

}  // namespace warpscope
