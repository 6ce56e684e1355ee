// scenes/choice/choose.h: asks a fitted tree at a workload which row is taken, and why.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/choice/model.h"

// A scene lists what its trees may ask: axes, and numbers made of axes and facts.
//
//   const std::vector<ChoiceFeature> features = {axis_feature("op"), number_feature("mean_row",
//       "entries per row", [](const Workload& w) { return w.fact("mean_row"); })};
//   const AutomaticChoice choice(*built_in_choice("csrmm")->tree("auto"), features, among, axes);
//   choice.picked(w).steps(choice.own(w));
//   show(choice.why(w));    // "k_tiles: tree: op is NT, entries per row 200 ≥ 12.5"

namespace warpscope {

struct ChoiceFeature {
  std::string name;   // in the file of a tree: "mean_row"
  std::string label;  // "entries per row"
  // One of the two. No value if it does not apply at this workload.
  std::function<std::optional<double>(const Workload&)> number = nullptr;
  std::function<std::optional<std::string>(const Workload&)> text = nullptr;
};
using ChoiceFeatures = std::vector<ChoiceFeature>;

ChoiceFeature number_feature(std::string name, std::string label,
                             std::function<std::optional<double>(const Workload&)> number);
// A feature that is an axis of the problem: a number, or one of its choices.
ChoiceFeature axis_feature(const Axis& axis);
const ChoiceFeature* find_feature(const ChoiceFeatures& features, std::string_view name);

// A question of a tree, and whether it is answered with yes. An unknown feature, or one that does
// not apply, answers no.
bool answers_yes(const ChoiceNode& node, const ChoiceFeatures& features, const Workload& workload);

// The nodes from the first question to a leaf.
std::vector<const ChoiceNode*> path_of(const ChoiceTree& tree, const ChoiceFeatures& features,
                                       const Workload& workload);

// The questions and answers of that path in words: "op is NT, entries per row 200 ≥ 12.5". Of
// several questions about one number, the last answer on each side is shown.
std::string words_of_path(const std::vector<const ChoiceNode*>& path,
                          const ChoiceFeatures& features, const Workload& workload);

// Rows in the order in which the tree prefers them here: those of the leaf, then `otherwise`.
std::vector<ChosenRow> preferred_rows(const ChoiceTree& tree, const ChoiceFeatures& features,
                                      const Workload& workload);

// Whether the names in a tree exist: its features, and its rows among `variants` with their axes.
// error: input, with the names there are.
Result<void> fits_scene(const ChoiceTree& tree, const ChoiceFeatures& features,
                        const std::vector<Variant>& variants, const std::vector<Axis>& axes);

// What an automatic row takes at a workload.
class AutomaticChoice {
 public:
  // `among`: every row of the tree must be there. `axes`: of the scene.
  AutomaticChoice(ChoiceTree tree, ChoiceFeatures features, const std::vector<Variant>& among,
                  std::vector<Axis> axes);
  // The first preferred row that applies and can run on the design device; the first preferred row
  // if none can.
  const Variant& picked(const Workload& workload) const;
  // The workload with the axes that the picked row runs at.
  Workload own(const Workload& workload) const;
  // "label: tree: why", and which preferred rows cannot run here.
  std::string why(const Workload& workload) const;
  const std::vector<Variant>& rows() const { return rows_; }  // that it may take

 private:
  std::pair<const Variant*, ChosenRow> first_that_runs(const Workload& workload) const;
  const Variant& row(const std::string& name) const;
  Workload at(const Workload& workload, const ChosenRow& chosen) const;

  ChoiceTree tree_;
  ChoiceFeatures features_;
  std::vector<Variant> rows_;
  std::vector<Axis> axes_;
};

}  // namespace warpscope
