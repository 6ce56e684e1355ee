// workbench/docking/layouts.cpp: arrangements with names, those that ship and a person's own, and
// the file that keeps them.
#include "workbench/docking/layouts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "profiling/text/json_text.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "workbench/workspace/file_kind.h"

namespace warpscope {
namespace {

using nlohmann::json;

std::filesystem::path layouts_path() { return config_folder() / "layouts.json"; }

// Diagrams as large as they get: all others are tabs of the middle, sliders and variants of the
// left.
Arrangement lecture() {
  Arrangement a;
  DockNode right = split_of("split-right", true, 0.5f, true,
                            leaf_of_regions("centre", {Region::centre, Region::bottom}),
                            leaf_of_regions("right", {Region::right}));
  a.root =
      split_of("split-left", true, 0.27f, false,
               leaf_of_regions("left", {Region::left_top, Region::left_bottom}), std::move(right));
  return a;
}

// As many panels as there is room for: the counters' tables under the plots, the source under the
// diagrams.
Arrangement expert() {
  DockNode tables = leaf_of_regions("bottom", {Region::bottom});
  DockNode source;
  source.name = "source";
  for (const char* name : {"source", "occupancy", "engine"}) {
    std::erase(tables.panels, name);
    source.panels.emplace_back(name);
  }
  source.front = "source";
  DockNode left =
      split_of("split-axes", false, 0.42f, false, leaf_of_regions("axes", {Region::left_top}),
               leaf_of_regions("variants", {Region::left_bottom}));
  DockNode middle = split_of("split-bottom", false, 0.42f, true,
                             leaf_of_regions("centre", {Region::centre}), std::move(tables));
  DockNode right = split_of("split-source", false, 0.42f, true,
                            leaf_of_regions("right", {Region::right}), std::move(source));
  Arrangement a;
  a.root = split_of("split-left", true, 0.27f, false, std::move(left),
                    split_of("split-right", true, 0.5f, true, std::move(middle), std::move(right)));
  return a;
}

// For a narrow window beside an editor: the sliders above, one panel below.
Arrangement one_column() {
  Arrangement a;
  a.root = split_of("split-axes", false, 0.34f, false,
                    leaf_of_regions("left", {Region::left_top, Region::left_bottom}),
                    leaf_of_regions("centre", {Region::centre, Region::right, Region::bottom}));
  return a;
}

constexpr ShippedLayout kShipped[] = {
    {"first look", "sliders, variants, plots, diagrams and tables beside each other", first_look},
    {"lecture", "plots and diagrams as large as they get", lecture},
    {"expert", "six places: counters under the plots, source under the diagrams", expert},
    {"one column", "sliders above, one panel below: for a narrow window", one_column},
};

json to_json(const DockNode& node) {
  if (!node.is_split()) return {{"place", node.name}, {"tabs", node.panels}, {"front", node.front}};
  return {{"split", node.name},
          {"beside", node.beside},
          {"ratio", node.ratio},
          {"of_second", node.of_second},
          {"parts", {to_json(node.parts[0]), to_json(node.parts[1])}}};
}

json to_json(const Arrangement& arrangement) {
  json windows = json::array();
  for (const PanelWindow& w : arrangement.windows) {
    windows.push_back(
        {{"panel", w.panel}, {"x", w.x}, {"y", w.y}, {"width", w.width}, {"height", w.height}});
  }
  return {{"panels", to_json(arrangement.root)},
          {"windows", std::move(windows)},
          {"folded_ratio", arrangement.folded_ratio}};
}

// Reads an arrangement, or says no. What a name stands for is checked, each panel stands once.
class ArrangementReader {
 public:
  bool read(const json& from, Arrangement& arrangement) {
    constexpr float kFar = 1 << 15;
    if (!from.is_object() || !from.contains("panels") || !node(from["panels"], arrangement.root, 0))
      return false;
    if (!number(from, "folded_ratio", arrangement.folded_ratio, 0, 1)) return false;
    const auto windows = from.find("windows");
    if (windows == from.end() || !windows->is_array()) return false;
    for (const json& each : *windows) {
      PanelWindow w;
      if (!each.is_object() || !each.contains("panel") || !panel(each["panel"], w.panel) ||
          !number(each, "x", w.x, -kFar, kFar) || !number(each, "y", w.y, -kFar, kFar) ||
          !number(each, "width", w.width, 0, kFar) || !number(each, "height", w.height, 0, kFar))
        return false;
      arrangement.windows.push_back(std::move(w));
    }
    return true;
  }

 private:
  static bool number(const json& from, const char* name, float& value, float low, float high) {
    const auto found = from.find(name);
    if (found == from.end() || !found->is_number()) return false;
    value = found->get<float>();
    return value >= low && value <= high;
  }
  bool panel(const json& from, std::string& name) {
    if (!from.is_string()) return false;
    name = from.get<std::string>();
    return find_panel(name) != nullptr && panels_.insert(name).second;
  }
  bool named(const json& from, const char* key, std::string& name) {
    const auto found = from.find(key);
    if (found == from.end() || !found->is_string()) return false;
    name = found->get<std::string>();
    constexpr std::size_t kLongest = 40;
    return !name.empty() && name.size() <= kLongest && names_.insert(name).second;
  }
  bool node(const json& from, DockNode& node, int depth) {
    constexpr int kDeepest = 24;  // there are fewer panels
    if (!from.is_object() || depth > kDeepest) return false;
    return from.contains("split") ? split(from, node, depth) : leaf(from, node, depth);
  }
  bool split(const json& from, DockNode& node, int depth) {
    const auto beside = from.find("beside"), of_second = from.find("of_second"),
               parts = from.find("parts");
    if (beside == from.end() || !beside->is_boolean() || of_second == from.end() ||
        !of_second->is_boolean() || parts == from.end() || !parts->is_array() ||
        parts->size() != 2 || !named(from, "split", node.name) ||
        !number(from, "ratio", node.ratio, 0, 1))
      return false;
    node.beside = beside->get<bool>();
    node.of_second = of_second->get<bool>();
    node.parts.resize(2);
    return this->node((*parts)[0], node.parts[0], depth + 1) &&
           this->node((*parts)[1], node.parts[1], depth + 1);
  }
  bool leaf(const json& from, DockNode& node, int depth) {
    const auto tabs = from.find("tabs"), front = from.find("front");
    if (tabs == from.end() || !tabs->is_array() || front == from.end() || !front->is_string() ||
        !named(from, "place", node.name))
      return false;
    for (const json& each : *tabs) {
      node.panels.emplace_back();
      if (!panel(each, node.panels.back())) return false;
    }
    node.front = front->get<std::string>();
    if (node.panels.empty()) return depth == 0 && node.front.empty();
    return std::find(node.panels.begin(), node.panels.end(), node.front) != node.panels.end();
  }

  std::set<std::string> panels_, names_;
};

}  // namespace

std::span<const ShippedLayout> shipped_layouts() { return kShipped; }

Arrangement layout_named(const LayoutBook& book, const std::string& name) {
  if (const auto own = book.own.find(name); own != book.own.end()) return own->second;
  for (const ShippedLayout& shipped : kShipped) {
    if (name == shipped.name) return shipped.make();
  }
  return first_look();
}

Result<void> keep_layout(LayoutBook& book, const std::string& name,
                         const Arrangement& arrangement) {
  constexpr std::size_t kLongest = 40;
  const auto refuse = [&](const char* what) {
    return failure(ErrorKind::usage, what, "layout “" + name + "”", "choose another name");
  };
  if (name.find_first_not_of(' ') == std::string::npos) return refuse("a layout needs a name");
  if (name.size() > kLongest) return refuse("this name is longer than 40 bytes");
  for (const ShippedLayout& shipped : kShipped) {
    if (name == shipped.name) return refuse("a layout that comes with Warpscope has this name");
  }
  book.own[name] = arrangement;
  book.chosen = name;
  return {};
}

Result<void> load_layouts(LayoutBook& book, Arrangement& present) {
  constexpr std::int64_t kMostBytes = 1 << 20;
  std::error_code ignored;
  if (config_folder().empty() || !std::filesystem::exists(layouts_path(), ignored)) return {};
  const Result<std::string> text = read_input(layouts_path(), kMostBytes);
  if (!text) return tl::unexpected(text.error());
  const Result<json> parsed = parse_json(*text, "");
  LayoutBook read;
  Arrangement arrangement;
  bool whole = parsed && parsed->is_object() && parsed->contains("chosen") &&
               (*parsed)["chosen"].is_string() && parsed->contains("present") &&
               ArrangementReader().read((*parsed)["present"], arrangement) &&
               parsed->contains("layouts") && (*parsed)["layouts"].is_object();
  if (whole) {
    read.chosen = (*parsed)["chosen"].get<std::string>();
    for (const auto& [name, layout] : (*parsed)["layouts"].items()) {
      Arrangement own;
      whole = whole && ArrangementReader().read(layout, own) &&
              keep_layout(read, name, own).has_value();
    }
    read.chosen = (*parsed)["chosen"].get<std::string>();
  }
  if (!whole) {
    return failure(
        ErrorKind::input,
        "the file of layouts is not as the window writes it, so the first layout is shown",
        layouts_path().string(), "close the window to have it written anew, or delete it");
  }
  book = std::move(read);
  present = std::move(arrangement);
  return {};
}

Result<void> save_layouts(const LayoutBook& book, const Arrangement& present) {
  if (config_folder().empty()) return {};  // nobody's: nothing is remembered
  json own = json::object();
  for (const auto& [name, arrangement] : book.own) own[name] = to_json(arrangement);
  const json file = {
      {"chosen", book.chosen}, {"present", to_json(present)}, {"layouts", std::move(own)}};
  std::error_code ignored;
  std::filesystem::create_directories(layouts_path().parent_path(), ignored);
  return write_own_file(layouts_path(),
                        file.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace warpscope
