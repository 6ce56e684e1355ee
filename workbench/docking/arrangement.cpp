// workbench/docking/arrangement.cpp: which panels are open, and where.
#include "workbench/docking/arrangement.h"

#include <algorithm>
#include <utility>

namespace warpscope {
namespace {

DockNode* find_node(DockNode& node, const std::function<bool(const DockNode&)>& wanted) {
  if (wanted(node)) return &node;
  for (DockNode& part : node.parts) {
    if (DockNode* found = find_node(part, wanted)) return found;
  }
  return nullptr;
}

bool holds_panel(const DockNode& node, const std::string& panel) {
  return std::find(node.panels.begin(), node.panels.end(), panel) != node.panels.end();
}

bool is_empty(const DockNode& node) { return !node.is_split() && node.panels.empty(); }

// Splits with one part left become that part.
void collapse(DockNode& node) {
  for (DockNode& part : node.parts) collapse(part);
  if (!node.is_split()) return;
  for (const std::size_t gone : {std::size_t{0}, std::size_t{1}}) {
    if (!is_empty(node.parts[gone])) continue;
    DockNode kept = std::move(node.parts[1 - gone]);
    node = std::move(kept);
    return;
  }
}

std::string free_name(Arrangement& arrangement, const std::string& stem) {
  for (int i = 1;; ++i) {
    std::string name = stem + std::to_string(i);
    if (node_named(arrangement, name) == nullptr) return name;
  }
}

// How many panels of a region a leaf has.
std::ptrdiff_t count_of(const DockNode& leaf, Region region) {
  return std::count_if(leaf.panels.begin(), leaf.panels.end(), [&](const std::string& name) {
    const PanelRow* panel = find_panel(name);
    return panel != nullptr && panel->region == region;
  });
}

bool is_list(Region region) { return region == Region::left_top || region == Region::left_bottom; }

// Where a closed panel is at home. Where no place has any panel of its region the last one that has
// panels other than lists takes it, or the last one at all.
DockNode& home_of(Arrangement& arrangement, const PanelRow& panel) {
  DockNode* best = nullptr;
  std::ptrdiff_t most = 0;
  DockNode* fallback = nullptr;
  for_each_leaf(arrangement.root, [&](DockNode& leaf) {
    if (const std::ptrdiff_t count = count_of(leaf, panel.region); count > most) {
      most = count;
      best = &leaf;
    }
    const bool lists =
        std::all_of(leaf.panels.begin(), leaf.panels.end(), [](const std::string& name) {
          const PanelRow* row = find_panel(name);
          return row != nullptr && is_list(row->region);
        });
    if (fallback == nullptr || lists == is_list(panel.region)) fallback = &leaf;
  });
  return best != nullptr ? *best : *fallback;
}

}  // namespace

DockNode leaf_of_regions(std::string name, const std::vector<Region>& regions) {
  DockNode leaf;
  leaf.name = std::move(name);
  for (const Region region : regions) {
    for (const PanelRow& panel : all_panels()) {
      if (panel.region == region) leaf.panels.emplace_back(panel.name);
    }
  }
  leaf.front = leaf.panels.front();
  return leaf;
}

DockNode split_of(std::string name, bool beside, float ratio, bool of_second, DockNode first,
                  DockNode second) {
  DockNode split;
  split.name = std::move(name);
  split.beside = beside;
  split.ratio = ratio;
  split.of_second = of_second;
  split.parts = {std::move(first), std::move(second)};
  return split;
}

Arrangement first_look() {
  DockNode left =
      split_of("split-axes", false, 0.46f, false, leaf_of_regions("axes", {Region::left_top}),
               leaf_of_regions("variants", {Region::left_bottom}));
  DockNode upper =
      split_of("split-right", true, 0.48f, true, leaf_of_regions("centre", {Region::centre}),
               leaf_of_regions("right", {Region::right}));
  DockNode right = split_of("split-bottom", false, 0.34f, true, std::move(upper),
                            leaf_of_regions("bottom", {Region::bottom}));
  Arrangement a;
  a.root = split_of("split-left", true, 0.29f, false, std::move(left), std::move(right));
  return a;
}

DockNode* leaf_with(Arrangement& arrangement, const std::string& panel) {
  return find_node(arrangement.root,
                   [&panel](const DockNode& node) { return holds_panel(node, panel); });
}

DockNode* node_named(Arrangement& arrangement, const std::string& name) {
  return find_node(arrangement.root, [&name](const DockNode& node) { return node.name == name; });
}

PanelWindow* window_of(Arrangement& arrangement, const std::string& panel) {
  for (PanelWindow& window : arrangement.windows) {
    if (window.panel == panel) return &window;
  }
  return nullptr;
}

bool is_open(const Arrangement& arrangement, const std::string& panel) {
  bool open = std::any_of(arrangement.windows.begin(), arrangement.windows.end(),
                          [&panel](const PanelWindow& window) { return window.panel == panel; });
  for_each_leaf(arrangement.root,
                [&](const DockNode& leaf) { open = open || holds_panel(leaf, panel); });
  return open;
}

void for_each_leaf(DockNode& node, const std::function<void(DockNode&)>& act) {
  if (!node.is_split()) return act(node);
  for (DockNode& part : node.parts) for_each_leaf(part, act);
}

void for_each_leaf(const DockNode& node, const std::function<void(const DockNode&)>& act) {
  if (!node.is_split()) return act(node);
  for (const DockNode& part : node.parts) for_each_leaf(part, act);
}

void dock(Arrangement& arrangement, const std::string& panel, const std::string& place,
          DockSide side) {
  const DockNode* target = node_named(arrangement, place);
  if (target == nullptr || target->is_split()) return;
  if (holds_panel(*target, panel) && (side == DockSide::inside || target->panels.size() == 1))
    return;
  close_panel(arrangement, panel);
  DockNode& leaf = *node_named(arrangement, place);
  if (side == DockSide::inside || leaf.panels.empty()) {
    leaf.panels.push_back(panel);
    leaf.front = panel;
    return;
  }
  DockNode added;
  added.name = free_name(arrangement, "place-");
  added.panels = {panel};
  added.front = panel;
  const std::string name = free_name(arrangement, "split-");
  DockNode there = std::move(leaf);
  const bool before = side == DockSide::left || side == DockSide::above;
  leaf = split_of(name, side == DockSide::left || side == DockSide::right, 0.5f, !before,
                  before ? added : there, before ? there : added);
}

void close_panel(Arrangement& arrangement, const std::string& panel) {
  std::erase_if(arrangement.windows,
                [&panel](const PanelWindow& window) { return window.panel == panel; });
  DockNode* leaf = leaf_with(arrangement, panel);
  if (leaf == nullptr) return;
  const auto at = std::find(leaf->panels.begin(), leaf->panels.end(), panel);
  const auto next = leaf->panels.erase(at);
  if (leaf->front == panel && !leaf->panels.empty())
    leaf->front = next != leaf->panels.end() ? *next : leaf->panels.back();
  collapse(arrangement.root);
}

void open_panel(Arrangement& arrangement, const std::string& panel) {
  const PanelRow* row = find_panel(panel);
  if (row == nullptr || is_open(arrangement, panel)) return;
  DockNode& home = home_of(arrangement, *row);
  if (home.name.empty()) home.name = "centre";
  // Among its neighbours it stands where it stood.
  const auto order = [](const std::string& name) { return find_panel(name) - all_panels().data(); };
  const auto after =
      std::find_if(home.panels.begin(), home.panels.end(),
                   [&](const std::string& other) { return order(other) > order(panel); });
  home.panels.insert(after, panel);
  home.front = panel;
}

void tear_off(Arrangement& arrangement, PanelWindow window) {
  close_panel(arrangement, window.panel);
  arrangement.windows.push_back(std::move(window));
}

}  // namespace warpscope
